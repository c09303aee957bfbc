package dev.quiver.sdk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A JSON object that says more than a result.
 *
 * @param json its UTF-8
 */
record Effects(ByteBuffer json) implements Output {
    static final int MOST_TASKS = 64;
    static final int MOST_NODES = 200; // of all of them
    static final int MOST_TASK_BYTES = 64 * 1024;
    static final int MOST_UNDO_BYTES = 16 * 1024;

    /**
     * An object of these members.
     *
     * @param members each a name and its value, such as {@code "result":7}
     */
    static Effects of(List<String> members) {
        return new Effects(StandardCharsets.UTF_8.encode("{" + String.join(",", members) + "}"));
    }

    /** The answer of a contingency that it was not done. */
    static Effects redo() {
        return of(List.of("\"redo\":true"));
    }

    /**
     * The member with the tasks; empty without any.
     *
     * @param kind of the answer, for the message
     * @param word its name
     * @param most bytes of JSON
     * @throws DoNotRetryException for more than are taken
     * @throws IllegalArgumentException with field and value, for one that the worker would not take
     */
    static List<String> tasks(String kind, String word, List<String> tasks, int most) throws DoNotRetryException {
        String field = kind + ": " + word;
        if (tasks.size() > MOST_TASKS) {
            throw new DoNotRetryException(
                    field + " has " + tasks.size() + " elements, at most " + MOST_TASKS + " are taken");
        }
        int nodes = 0;
        for (int i = 0; i < tasks.size(); i++) {
            String where = field + "[" + i + "]";
            nodes += Nodes.count(where, JsonValues.object(where, tasks.get(i)));
        }
        if (nodes > MOST_NODES) {
            throw new DoNotRetryException(field + " have " + nodes + " nodes, at most " + MOST_NODES + " are taken");
        }
        String array = "[" + String.join(",", tasks) + "]";
        int bytes = array.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > most) {
            throw new DoNotRetryException(field + " has " + bytes + " bytes of JSON, at most " + most + " are taken");
        }
        return tasks.isEmpty() ? List.of() : List.of("\"" + word + "\":" + array);
    }

    @Override
    public Format format() {
        return Format.EFFECTS;
    }

    @Override
    public long length() {
        return json.remaining();
    }

    @Override
    public void writeTo(WritableByteChannel channel) throws IOException {
        channel.write(json.duplicate());
    }
}
