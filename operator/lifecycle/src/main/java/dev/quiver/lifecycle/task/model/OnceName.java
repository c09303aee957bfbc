package dev.quiver.lifecycle.task.model;

import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.execution.Utf8;

/**
 * A name that one tree has at a time. Immutable.
 *
 * @param name 1 to {@value #MOST_CHARS} characters, none of them a control character
 * @param only how long it keeps others away, and which of two stays
 */
public record OnceName(String name, Only only) {

    /** Characters of a name at most. */
    public static final int MOST_CHARS = 253;

    private static final Set<String> FIELDS = Set.of("name", "until", "replace");

    /** How long a name is taken. */
    public enum Only {
        /** While its tree goes on: another one is not made. */
        WHILE_IT_GOES_ON(""),
        /** While its task waits for a worker, or for its plan: another one is not made. */
        WHILE_IT_WAITS("\u0001"),
        /** The same, but another one takes the place of the one that waits. */
        THE_NEWEST("\u0002"),
        /** Not at all: the tree is made in any case, and has the name where that is free. */
        WHERE_FREE("\u0003");

        private final String mark;

        Only(String mark) {
            this.mark = mark;
        }
    }

    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException for one that is empty, too long, or has a control character
     */
    public OnceName {
        if (name.isEmpty()
                || name.codePointCount(0, name.length()) > MOST_CHARS
                || name.codePoints()
                        .anyMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE)) {
            throw new IllegalArgumentException("the name is \"" + Utf8.firstBytes(name, 80) + "\", 1 to " + MOST_CHARS
                    + " characters are needed, and no control character");
        }
    }

    /** The name and its bounds as the scripts take them. */
    public String text() {
        return only.mark + name;
    }

    /** Whether it is given free before its tree ends: then the tree is a single task. */
    public boolean isOfTask() {
        return only != Only.WHILE_IT_GOES_ON;
    }

    /**
     * The name that a node of a program has: {@code {"name": …, "until": "End" or "Start", "replace": …}}.
     *
     * @param field names it in messages
     * @throws IllegalArgumentException naming field and value
     */
    public static OnceName read(String field, JsonNode json) {
        if (!json.isObject() || !json.path("name").isTextual()) {
            throw fault(field, json, "an object with a name is needed");
        }
        json.fieldNames().forEachRemaining(word -> {
            if (!FIELDS.contains(word)) {
                throw new IllegalArgumentException(field + "." + word + " is no field of once");
            }
        });
        String until = json.path("until").asText("End");
        if (!until.equals("End") && !until.equals("Start")) {
            throw fault(field + ".until", json.get("until"), "End or Start is allowed");
        }
        JsonNode replace = json.path("replace");
        if (!replace.isMissingNode() && !replace.isBoolean() || replace.asBoolean() && until.equals("End")) {
            throw fault(field + ".replace", replace, "true or false is needed, and true with until: Start alone");
        }
        Only only = replace.asBoolean()
                ? Only.THE_NEWEST
                : until.equals("Start") ? Only.WHILE_IT_WAITS : Only.WHILE_IT_GOES_ON;
        return new OnceName(json.get("name").textValue(), only);
    }

    private static IllegalArgumentException fault(String field, JsonNode value, String need) {
        return new IllegalArgumentException(field + " is " + Utf8.firstBytes(value.toString(), 80) + ", " + need);
    }
}
