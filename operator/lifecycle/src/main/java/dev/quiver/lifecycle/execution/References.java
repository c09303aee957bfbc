package dev.quiver.lifecycle.execution;

import java.util.Map;

/**
 * {@code $(NAME)} as Kubernetes expands it in commands and environment. {@code $$} is a dollar sign that starts no
 * reference. A reference to an unknown name stays unchanged, and a replacement is not expanded again.
 *
 * <p>A value that refers to others many times, and is itself referred to, grows without end. So the sum of an object's
 * expansions is bounded. One object for one run of a task, one thread.
 */
public final class References {

    private final Map<String, String> known;
    private final long room;
    private long taken;

    /**
     * Begins one run of a task.
     *
     * @param known the names that can be referred to; may change between calls
     * @param room characters of all expansions together; text without references is not counted
     */
    public References(Map<String, String> known, long room) {
        this.known = known;
        this.room = room;
    }

    /**
     * The text with its references replaced.
     *
     * @param field where the text stands, for the message
     * @throws InputTooLargeException when there is no room for it; nothing of that size was allocated
     */
    public String expand(String field, String text) {
        int dollar = text.indexOf('$');
        if (dollar < 0) {
            return text;
        }
        Expanded out = new Expanded(room - taken);
        int at = 0;
        while (dollar >= 0 && dollar + 1 < text.length()) {
            out.append(text, at, dollar);
            char next = text.charAt(dollar + 1);
            int close = next == '(' ? text.indexOf(')', dollar + 2) : -1;
            if (next == '$') {
                out.append("$");
                at = dollar + 2;
            } else if (close > 0) {
                String value = known.get(text.substring(dollar + 2, close));
                out.append(value == null ? text.substring(dollar, close + 1) : value);
                at = close + 1;
            } else {
                out.append("$");
                at = dollar + 1;
            }
            dollar = text.indexOf('$', at);
        }
        out.append(text, at, text.length());
        if (out.length > room - taken) {
            throw InputTooLargeException.expanded(field, out.length, room);
        }
        taken += out.length;
        return out.text.toString();
    }

    /** Text that is kept while there is room, and only counted beyond. */
    private static final class Expanded {
        private final StringBuilder text = new StringBuilder();
        private final long room;
        private long length;

        Expanded(long room) {
            this.room = room;
        }

        void append(String part) {
            append(part, 0, part.length());
        }

        void append(String from, int start, int end) {
            length += end - start;
            if (length <= room) {
                text.append(from, start, end);
            }
        }
    }
}
