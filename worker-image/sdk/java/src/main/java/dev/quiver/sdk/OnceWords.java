package dev.quiver.sdk;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks the name that a task which an answer brings has alone. */
final class OnceWords {
    private static final int MOST_CHARACTERS = 253;
    private static final List<String> FIELDS = List.of("name", "until", "replace");

    private OnceWords() {}

    /**
     * Checks it.
     *
     * @param once a JSON value
     * @param isSingle whether the task is a call or a command
     * @throws IllegalArgumentException naming field and value
     */
    static void check(String where, String once, boolean isSingle) {
        if (!once.startsWith("{")) {
            throw Nodes.fault(where, "once is " + JsonValues.shown(once) + ", an object with a name is needed");
        }
        Map<String, String> said = JsonValues.members(once);
        said.keySet().stream()
                .filter(field -> !FIELDS.contains(field))
                .findFirst()
                .ifPresent(field -> {
                    throw Nodes.fault(where, "once has no \"" + JsonValues.shown(field) + "\"");
                });
        String name = said.getOrDefault("name", "null");
        if (JsonValues.text(name).filter(OnceWords::isName).isEmpty()) {
            throw Nodes.fault(
                    where,
                    "once is a text of 1 to " + MOST_CHARACTERS + " characters without control characters, not "
                            + JsonValues.shown(name));
        }
        Optional<String> until = JsonValues.text(said.getOrDefault("until", "\"End\""));
        boolean isOfStart = until.filter("Start"::equals).isPresent();
        if (!isOfStart && until.filter("End"::equals).isEmpty()) {
            throw Nodes.fault(where, "until is \"End\" or \"Start\", not " + JsonValues.shown(said.get("until")));
        }
        String replace = said.getOrDefault("replace", "false");
        if (!replace.equals("false") && !(replace.equals("true") && isOfStart)) {
            throw Nodes.fault(
                    where,
                    "replace is " + JsonValues.shown(replace)
                            + ": it is true or false, and true with until: \"Start\" alone");
        }
        if (isOfStart && !isSingle) {
            throw Nodes.fault(
                    where,
                    "once is " + JsonValues.shown(once)
                            + ": until: \"Start\" is of a call or a command, not of a composite");
        }
    }

    private static boolean isName(String name) {
        return !name.isEmpty()
                && name.codePointCount(0, name.length()) <= MOST_CHARACTERS
                && name.codePoints()
                        .noneMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
    }
}
