package dev.quiver.sdk;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/** Checks what an answer says of markers as the worker does, which would say it when the work is done. */
final class Markers {
    private static final int MOST = 64; // and so many tasks of them
    private static final int MOST_WRITTEN = 128 * 1024; // of what their tasks say: each has the marker
    private static final int MOST_NAMES = 8;
    private static final int MOST_PRIORITY = 99_999;
    private static final int MOST_TRIALS = 100;
    private static final int WEEK = 604_800; // seconds

    private static final Pattern REFERENCE = Pattern.compile("\\$\\(results\\.([^)]+)\\)");

    private static final Map<String, BiConsumer<String, String>> FIELDS = Map.ofEntries(
            Map.entry("args", Markers::args),
            Map.entry("count", (field, value) -> whole(field, value, 1, MOST)),
            Map.entry("parallel", Markers::choice),
            Map.entry("relPriority", (field, value) -> whole(field, value, -MOST_PRIORITY, MOST_PRIORITY)),
            Map.entry("tags", Markers::names),
            Map.entry("resources", Markers::names),
            Map.entry("fairnessKey", Markers::name),
            Map.entry("maxTrials", (field, value) -> whole(field, value, 1, MOST_TRIALS)),
            Map.entry("backoff", Markers::backoff),
            Map.entry("activeDeadlineSeconds", (field, value) -> whole(field, value, 1, Integer.MAX_VALUE)),
            Map.entry("contingency", Markers::choice),
            Map.entry("name", Markers::text));

    private static final Map<String, BiConsumer<String, String>> OF_BACKOFF = Map.of(
            "initialSeconds", (field, value) -> whole(field, value, 0, WEEK),
            "factor", (field, value) -> whole(field, value, 1, 10),
            "maxSeconds", (field, value) -> whole(field, value, 0, WEEK),
            "jitterPercent", (field, value) -> whole(field, value, 0, 100));

    private Markers() {}

    /**
     * Checks all of them; see {@link Done#changing}.
     *
     * @param markers ids to what each says; null withdraws one
     */
    static void check(Map<String, String> markers) throws DoNotRetryException {
        long tasks = 0;
        long bytes = 0;
        for (Map.Entry<String, String> marker : markers.entrySet()) {
            Change.checkName("markers", marker.getKey());
            if (marker.getValue() != null) {
                long count = tasks("Done: markers: " + marker.getKey(), marker.getValue());
                tasks += count;
                bytes += count * marker.getValue().getBytes(StandardCharsets.UTF_8).length;
            }
        }
        if (markers.size() > MOST || tasks > MOST) {
            throw new DoNotRetryException("Done: markers has " + markers.size() + " names and " + tasks
                    + " tasks of them, at most " + MOST + " are taken");
        }
        if (bytes > MOST_WRITTEN) {
            throw new DoNotRetryException("Done: the tasks of markers have " + bytes + " bytes of JSON, at most "
                    + MOST_WRITTEN + " are taken");
        }
    }

    /**
     * Refuses a contingency that nobody serves: its marker would be in doubt for ever.
     *
     * @param of the complex task, which serves none
     */
    static void checkWithoutContingency(Map<String, String> markers, String of) {
        markers.forEach((id, said) -> {
            if (said != null
                    && JsonValues.members(said)
                            .getOrDefault("contingency", "false")
                            .equals("true")) {
                throw fault(
                        "Done: markers: " + id + ": contingency",
                        "true",
                        "and the complex task " + of + " has none: hasContingency is false");
            }
        });
    }

    /** How many tasks it makes. */
    private static long tasks(String where, String marker) {
        JsonValues.object(where, marker);
        JsonValues.checkEncodable(where, marker);
        Map<String, String> said = JsonValues.members(marker);
        check(where + ": ", "a marker", said, FIELDS);
        boolean isParallel = said.getOrDefault("parallel", "false").equals("true");
        int most = isParallel ? MOST_NAMES : MOST_NAMES - 1; // it takes turns by one more
        int resources = names("resources", said.getOrDefault("resources", "[]")).size();
        if (resources > most) {
            throw new IllegalArgumentException(where + ": resources has " + resources + " names, at most " + most
                    + " are allowed" + (isParallel ? "" : " without parallel"));
        }
        return JsonValues.whole(said.getOrDefault("count", "1")).orElseThrow();
    }

    private static void check(
            String where, String whose, Map<String, String> said, Map<String, BiConsumer<String, String>> known) {
        said.forEach((field, value) -> {
            if (!known.containsKey(field)) {
                throw new IllegalArgumentException(where + JsonValues.shown(field) + " is " + JsonValues.shown(value)
                        + ", which is no field of " + whose);
            }
            known.get(field).accept(where + field, value);
        });
    }

    private static void args(String field, String value) {
        for (String argument : elements(field, value)) {
            JsonValues.text(argument)
                    .filter(text -> REFERENCE.matcher(text).matches())
                    .ifPresent(text -> {
                        throw new IllegalArgumentException(
                                field + " has " + JsonValues.shown(text) + ", and no node is called so");
                    });
        }
    }

    private static List<String> elements(String field, String value) {
        if (!value.startsWith("[")) {
            throw fault(field, value, "an array is needed");
        }
        return JsonText.elements(value);
    }

    private static Set<String> names(String field, String value) {
        Set<String> names = new LinkedHashSet<>();
        for (String element : elements(field, value)) {
            names.add(name(field, element));
        }
        if (names.size() > MOST_NAMES) {
            throw new IllegalArgumentException(
                    field + " has " + names.size() + " names, at most " + MOST_NAMES + " are allowed");
        }
        return names;
    }

    private static String name(String field, String value) {
        return JsonValues.text(value)
                .filter(Change::isName)
                .orElseThrow(() -> new IllegalArgumentException(field + " has " + JsonValues.shown(value)
                        + ", 1 to 128 printable characters of ASCII without blanks are allowed"));
    }

    private static void text(String field, String value) {
        if (JsonValues.text(value).isEmpty()) {
            throw fault(field, value, "a text is needed");
        }
    }

    private static void choice(String field, String value) {
        if (!value.equals("true") && !value.equals("false")) {
            throw fault(field, value, "true or false is needed");
        }
    }

    private static void whole(String field, String value, long least, long most) {
        OptionalLong number = JsonValues.whole(value);
        if (number.isEmpty() || number.getAsLong() < least || number.getAsLong() > most) {
            throw fault(field, value, "a whole number from " + least + " to " + most + " is needed");
        }
    }

    private static void backoff(String field, String value) {
        if (!value.startsWith("{")) {
            throw fault(field, value, "an object is needed");
        }
        check(field + ".", "a backoff", JsonValues.members(value), OF_BACKOFF);
    }

    private static IllegalArgumentException fault(String field, String value, String need) {
        return new IllegalArgumentException(field + " is " + JsonValues.shown(value) + ", " + need);
    }
}
