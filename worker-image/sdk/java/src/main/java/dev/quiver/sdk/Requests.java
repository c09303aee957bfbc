package dev.quiver.sdk;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Checks the requests to complex tasks among tasks that an answer brings: the worker would refuse them after the work. */
final class Requests {
    private static final Pattern PRINTABLE = Pattern.compile("[!-~]+");
    private static final int MOST = 119; // characters of a complex task's name and key together

    private Requests() {}

    /**
     * Checks a call with a complexKey.
     *
     * @throws IllegalArgumentException naming field and value, for a request that no complex task can have
     */
    static void check(String where, Map<String, String> said) {
        int size = printable(where, "complexKey", said) + printable(where, "handler", said);
        if (size > MOST) {
            throw new IllegalArgumentException(where + ": handler and complexKey have " + size
                    + " characters together, at most " + MOST + " are allowed");
        }
        if ("false".equals(said.get("plan"))) {
            throw new IllegalArgumentException(where + ": plan is false: with complexKey there is a plan");
        }
        for (String field : List.of("contingency", "resources")) {
            String value = said.getOrDefault(field, "null");
            boolean isNone = List.of("false", "null").contains(value)
                    || value.startsWith("[") && JsonText.elements(value).isEmpty();
            if (!isNone) {
                throw new IllegalArgumentException(where + ": " + field + " is " + JsonValues.shown(value)
                        + ": with complexKey it is of the markers");
            }
        }
    }

    private static int printable(String where, String field, Map<String, String> said) {
        Optional<String> value = Optional.ofNullable(said.get(field));
        return value.flatMap(JsonValues::text)
                .filter(text -> PRINTABLE.matcher(text).matches())
                .orElseThrow(() -> new IllegalArgumentException(where + ": " + field + " is "
                        + value.map(JsonValues::shown).orElse("absent")
                        + ": with complexKey it is printable ASCII without blanks"))
                .length();
    }
}
