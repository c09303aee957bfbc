package dev.quiver.sdk;

import java.util.List;
import java.util.Map;

/**
 * How far an iterator, or a map that makes chunks in pages, is when it is called, and what it answers.
 *
 * @param state JSON that the last call left, {@code null} in the first call
 * @param created tasks or chunks that the calls before this one have made
 * @param finished those of the tasks that have ended; of chunks all
 * @param room tasks that this call may make, at most {@value #MOST_TASKS}; or chunks
 * @param arguments of the node, each as its JSON text
 */
public record Iteration(String state, long created, long finished, int room, List<String> arguments) {
    /** Tasks of one answer at most. */
    public static final int MOST_TASKS = 500;

    /** An answer: there are no more tasks or chunks. */
    public static final String DONE = "null";

    /** An answer: nothing now. The iterator is asked again when one of its tasks ends, or after a second. */
    public static final String LATER = "{}";

    public Iteration {
        arguments = List.copyOf(arguments);
    }

    /**
     * An answer: more tasks.
     *
     * @param state JSON for the next call: what follows these tasks
     * @param tasks JSON objects, such as {@code {"handler":"row","args":[7]}}; at most {@link #room}
     */
    public static String more(String state, List<String> tasks) {
        return "{\"state\":" + state + ",\"tasks\":[" + String.join(",", tasks) + "]}";
    }

    /**
     * An answer of a map with {@code paged: true}: more chunks.
     *
     * @param state JSON for the next call: what follows these chunks
     * @param chunks JSON values of at most 256 KiB each; at most {@link #room}
     */
    public static String page(String state, List<String> chunks) {
        return "{\"state\":" + state + ",\"chunks\":[" + String.join(",", chunks) + "]}";
    }

    /** An answer: there are no more tasks, and this JSON is the iterator's result. */
    public static String result(String json) {
        return "{\"result\":" + json + "}";
    }

    /** The call in an input. */
    static Iteration of(Input input) {
        List<String> arguments = input.format() == Format.ARGUMENTS ? input.arguments() : List.of();
        if (arguments.size() != 1 || !arguments.getFirst().startsWith("{")) {
            throw notAnIterator();
        }
        Map<String, String> facts = JsonText.members(arguments.getFirst());
        try {
            return new Iteration(
                    fact(facts, "state"),
                    Long.parseLong(fact(facts, "created")),
                    Long.parseLong(fact(facts, "finished")),
                    "\"chunks\"".equals(facts.get("makes"))
                            ? Integer.parseInt(fact(facts, "room"))
                            : Math.min(Integer.parseInt(fact(facts, "room")), MOST_TASKS),
                    JsonText.elements(fact(facts, "args")));
        } catch (NumberFormatException e) {
            throw notAnIterator();
        }
    }

    private static String fact(Map<String, String> facts, String name) {
        if (!facts.containsKey(name)) {
            throw notAnIterator();
        }
        return facts.get(name);
    }

    private static InputInvalidException notAnIterator() {
        return new InputInvalidException("the handler is an iterator: only the iterator of a Task calls it");
    }
}
