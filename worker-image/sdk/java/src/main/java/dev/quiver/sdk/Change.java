package dev.quiver.sdk;

import java.util.Optional;
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

    private static final Pattern NUMBER = Pattern.compile("-?[0-9].*");

    /**
     * Checks it.
     *
     * @throws IllegalArgumentException for another name, and for what is no JSON
     */
    public Change {
        checkName("state", field);
        value.ifPresent(json -> Effects.value("state: " + field, json));
        expect.ifPresent(json -> Effects.value("state: " + field, json));
    }

    /** The field has this JSON value from now on. */
    public static Change set(String field, String value) {
        return new Change("set", field, Optional.of(value), Optional.empty());
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
        if (!NUMBER.matcher(number.strip()).matches()) {
            throw new IllegalArgumentException(
                    "add: the value for \"" + field + "\" is " + number + ", a number is needed");
        }
        return new Change("add", field, Optional.of(number), Optional.empty());
    }

    /** The same, where the field has this JSON value before; {@code null}: where it is not there. Else nothing is changed. */
    public Change expecting(String json) {
        return new Change(kind, field, value, Optional.of(json));
    }

    static String checkName(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(what + " has the name \"" + name
                    + "\", 1 to 128 printable characters of ASCII without blanks are allowed");
        }
        return name;
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
