package dev.quiver.sdk;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An operation on a field of a complex task's state.
 *
 * @param kind {@code set}, {@code delete} or {@code add}
 * @param field 1 to 128 printable characters of ASCII without blanks
 * @param value JSON; empty of a delete
 * @param expect the JSON value that the field must have, {@code null} for one that is not there; empty: any
 */
public record Change(String kind, String field, Optional<String> value, Optional<String> expect) {

    private static final Pattern NAME = Pattern.compile("[!-~]{1,128}");

    private static final Set<String> KINDS = Set.of("set", "delete", "add");

    /**
     * Checks it.
     *
     * @throws IllegalArgumentException for another kind or name, and for what is no JSON. A delete has no value, an add has a
     *     number, and each other kind has a value
     */
    public Change {
        if (kind == null || !KINDS.contains(kind)) {
            throw new IllegalArgumentException("a change is \"" + kind + "\", set, delete or add is needed");
        }
        checkName("state", field);
        value.ifPresent(json -> check("state: " + field, json));
        expect.ifPresent(json -> check("state: " + field + ": expect", json));
        if (value.isPresent() == kind.equals("delete")) {
            throw new IllegalArgumentException(kind + ": the value for \"" + field + "\" is "
                    + value.map(json -> JsonValues.shown(json) + ", a delete has none")
                            .orElse("null, the text of a JSON value is needed"));
        }
        if (kind.equals("add") && !JsonValues.isNumber(value.orElseThrow().strip())) {
            throw new IllegalArgumentException("add: the value for \"" + field + "\" is "
                    + JsonValues.shown(value.orElseThrow()) + ", a number is needed");
        }
    }

    private static void check(String where, String json) {
        JsonValues.checkEncodable(where, JsonValues.value(where, json));
    }

    /** The field has this JSON value from now on. */
    public static Change set(String field, String value) {
        return new Change("set", field, Optional.ofNullable(value), Optional.empty());
    }

    /** The field is no more. */
    public static Change delete(String field) {
        return new Change("delete", field, Optional.empty(), Optional.empty());
    }

    /**
     * The field, which is a number or is not there, is so much more.
     *
     * @throws IllegalArgumentException for what is no JSON number
     */
    public static Change add(String field, String number) {
        return new Change("add", field, Optional.ofNullable(number), Optional.empty());
    }

    /** The same, where the field has this JSON value before; {@code null}: where it is not there. Else nothing is changed. */
    public Change expecting(String json) {
        return new Change(
                kind,
                field,
                value,
                Optional.of(Objects.requireNonNull(
                        json, () -> "state: " + field + ": expect is null, the text of a JSON value is needed")));
    }

    static String checkName(String what, String name) {
        if (!isName(name)) {
            throw new IllegalArgumentException(what + " has the name \"" + name
                    + "\", 1 to 128 printable characters of ASCII without blanks are allowed");
        }
        return name;
    }

    static boolean isName(String text) {
        return text != null && NAME.matcher(text).matches();
    }

    static String quoted(String name) {
        return "\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    String json() {
        return "{\"" + kind + "\":" + quoted(field)
                + value.map(json -> ",\"value\":" + json).orElse("")
                + expect.map(json -> ",\"expect\":" + json).orElse("") + "}";
    }
}
