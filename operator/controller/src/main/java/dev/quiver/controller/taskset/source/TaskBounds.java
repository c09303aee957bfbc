package dev.quiver.controller.taskset.source;

import java.util.List;
import java.util.regex.Pattern;

import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.EnvVar;
import dev.quiver.lifecycle.ordinals.OrdinalItem;

/**
 * The bounds of one task: a line of a ConfigMap has those of an item in the resource's definition. A value out
 * of bounds is an IllegalArgumentException, whose message has no full stop. Pure.
 */
final class TaskBounds {

    private static final int MAX_NAME_CHARS = 253;
    private static final int MAX_ENTRIES = 64;
    private static final int MAX_TEXT_CHARS = 16_384;
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

    private TaskBounds() {}

    /** Checks an item. */
    static void check(OrdinalItem item) {
        atMost("name", item.name(), MAX_NAME_CHARS);
        text("name", item.name());
        entries("args", item.args());
        for (int i = 0; i < item.args().size(); i++) {
            argument("args[" + i + "]", item.args().get(i));
        }
        entries("env", item.env());
        for (int i = 0; i < item.env().size(); i++) {
            variable("env[" + i + "]", item.env().get(i));
        }
    }

    /** Checks a string that becomes an argument of a process. */
    static void argument(String field, String text) {
        atMost(field, text, MAX_TEXT_CHARS);
        text(field, text);
    }

    /** Checks any text of a task: neither NUL nor half a character can be passed on. */
    static void text(String field, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(field + " has a NUL character, which no process can be given");
        }
        if (text.codePoints().anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
            throw new IllegalArgumentException(field + " has half a surrogate pair, which is no character");
        }
    }

    private static void variable(String field, EnvVar variable) {
        String name = variable.name();
        if (!VARIABLE.matcher(name).matches()) {
            throw new IllegalArgumentException(field + ".name is \"" + name
                    + "\"; allowed are a letter or _, then letters, digits or _, at most 128 characters");
        }
        if (name.startsWith(Quiver.RESERVED_ENV_PREFIX)) {
            throw new IllegalArgumentException(field + ".name is \"" + name + "\": names that begin with "
                    + Quiver.RESERVED_ENV_PREFIX + " are reserved, choose another name");
        }
        argument(field + ".value", variable.value());
    }

    private static void entries(String field, List<?> list) {
        if (list.size() > MAX_ENTRIES) {
            throw new IllegalArgumentException(
                    field + " has " + list.size() + " entries; at most " + MAX_ENTRIES + " are allowed");
        }
    }

    private static void atMost(String field, String text, int most) {
        int chars = text.codePointCount(0, text.length());
        if (chars > most) {
            throw new IllegalArgumentException(
                    field + " has " + chars + " characters; at most " + most + " are allowed");
        }
    }
}
