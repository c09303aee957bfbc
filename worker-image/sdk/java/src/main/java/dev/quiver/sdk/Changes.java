package dev.quiver.sdk;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The members of an answer with what a complex task changes. */
final class Changes {
    private static final int MOST = 1024;
    private static final int MOST_BYTES = 64 * 1024;

    private Changes() {}

    /** Checks the bounds; see {@link Done#changing}. */
    static void check(List<Change> changes, Map<String, String> markers) throws DoNotRetryException {
        if (changes.size() > MOST) {
            throw new DoNotRetryException(
                    "Done: state has " + changes.size() + " changes, at most " + MOST + " are taken");
        }
        Set<String> seen = new HashSet<>();
        for (Change change : changes) {
            if (!seen.add(change.field())) {
                throw new IllegalArgumentException(
                        "Done: state has \"" + change.field() + "\" twice, each field is changed once");
            }
        }
        Markers.check(markers);
        int bytes = String.join(",", members(changes, markers)).getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MOST_BYTES) {
            throw new DoNotRetryException(
                    "Done: state and markers have " + bytes + " bytes of JSON, at most " + MOST_BYTES + " are taken");
        }
    }

    static List<String> members(List<Change> changes, Map<String, String> markers) {
        List<String> all = new ArrayList<>();
        if (!changes.isEmpty()) {
            all.add("\"state\":["
                    + String.join(",", changes.stream().map(Change::json).toList()) + "]");
        }
        if (!markers.isEmpty()) {
            all.add("\"markers\":{"
                    + String.join(
                            ",",
                            markers.entrySet().stream()
                                    .map(one -> Change.quoted(one.getKey()) + ":" + one.getValue())
                                    .toList())
                    + "}");
        }
        return all;
    }
}
