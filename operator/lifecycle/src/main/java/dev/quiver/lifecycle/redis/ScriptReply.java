package dev.quiver.lifecycle.redis;

import java.util.List;

/**
 * A script's reply: a code and what the script's header says follows it.
 *
 * @param values strings and longs
 */
public record ScriptReply(List<Object> values) {

    /** The outcome of the script. */
    public ScriptCode code() {
        return ScriptCode.values()[Math.toIntExact(number(0))];
    }

    /** The element at this place, a number. */
    public long number(int at) {
        return (Long) values.get(at);
    }

    /** The element at this place, a text. */
    public String text(int at) {
        return (String) values.get(at);
    }

    /** For a code that the script's header does not have. */
    public IllegalStateException unexpected() {
        return new IllegalStateException("a script answered " + code() + " against its header");
    }

    /** How many elements there are, the code included. */
    public int size() {
        return values.size();
    }
}
