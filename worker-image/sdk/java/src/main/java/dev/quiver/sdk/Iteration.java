package dev.quiver.sdk;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

    private static final int MOST_PAGE = 4 * 1024 * 1024; // bytes of one answer with chunks

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
     * @throws IllegalArgumentException for a state that is no JSON, and with field and value for what is no task
     */
    public static String more(String state, List<String> tasks) {
        JsonValues.value("Iteration: state", state);
        for (int i = 0; i < tasks.size(); i++) {
            String where = "Iteration: tasks[" + i + "]";
            Nodes.checkKind(where, JsonValues.object(where, tasks.get(i)));
        }
        return "{\"state\":" + state + ",\"tasks\":[" + String.join(",", tasks) + "]}";
    }

    /**
     * An answer of a map with {@code paged: true}: more chunks.
     *
     * @param state JSON for the next call: what follows these chunks
     * @param chunks JSON values of at most 256 KiB each; at most {@link #room}
     * @throws IllegalArgumentException for a state or a chunk that is no JSON
     */
    public static String page(String state, List<String> chunks) {
        JsonValues.value("Iteration: state", state);
        for (int i = 0; i < chunks.size(); i++) {
            JsonValues.value("Iteration: chunks[" + i + "]", chunks.get(i));
        }
        return "{\"state\":" + state + ",\"chunks\":[" + String.join(",", chunks) + "]}";
    }

    /**
     * An answer: there are no more tasks, and this JSON is the iterator's result.
     *
     * @throws IllegalArgumentException for what is no JSON
     */
    public static String result(String json) {
        JsonValues.value("Iteration: result", json);
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

    /**
     * Checks an answer to this call, which may be written by hand.
     *
     * @param of the iterator
     * @throws DoNotRetryException for more than is taken, with both numbers
     * @throws IllegalArgumentException for another answer than those above
     */
    void check(String of, String answer) throws DoNotRetryException {
        String who = "iterator \"" + of + "\"";
        Map<String, String> said = answered(who, answer);
        for (String word : List.of("tasks", "chunks")) {
            List<String> made = JsonText.elements(said.getOrDefault(word, "[]"));
            for (int i = 0; word.equals("tasks") && i < made.size(); i++) {
                String where = who + ": tasks[" + i + "]";
                Nodes.checkKind(where, JsonValues.object(where, made.get(i)));
            }
            if (made.size() > room) {
                throw new DoNotRetryException(who + " answered " + made.size() + " " + word + ", it.room is " + room);
            }
        }
        int most = said.containsKey("chunks") ? MOST_PAGE : Effects.MOST_TASK_BYTES;
        int bytes = answer.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > most) {
            throw new DoNotRetryException(who + " answered " + bytes + " bytes, at most " + most + " are taken");
        }
    }

    private static Map<String, String> answered(String who, String answer) {
        if (answer.strip().equals(DONE)) {
            return Map.of();
        }
        Map<String, String> said = JsonValues.members(JsonValues.object(who + ": answer", answer));
        Set<String> words = said.keySet();
        if (!words.equals(Set.of("result"))
                && !Set.of("state", "tasks").containsAll(words)
                && !Set.of("state", "chunks").containsAll(words)) {
            throw new IllegalArgumentException(who + " answered " + JsonValues.shown(answer)
                    + ": it answers DONE, LATER, more, page or result of Iteration");
        }
        return said;
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
