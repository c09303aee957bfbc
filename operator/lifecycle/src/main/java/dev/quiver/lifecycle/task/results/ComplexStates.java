package dev.quiver.lifecycle.task.results;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

import com.fasterxml.jackson.databind.node.TextNode;

import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.Complex;
import dev.quiver.lifecycle.task.work.TaskLeaf;

/** Reads what complex tasks keep. Thread-safe. */
public final class ComplexStates {

    private static final char FIELD = 1;

    /** Bytes of all that one keeps, at most: its names twice, and a little room. */
    public static final int MOST_BYTES = 1 << 20;

    /**
     * What one keeps.
     *
     * @param version grows with each change while anything is kept
     * @param fields of its state: names to JSON
     * @param markers names to JSON objects: what each says, {@code left} leaves that have not ended, and {@code error}
     *     where one failed
     */
    public record State(long version, Map<String, String> fields, Map<String, String> markers) {

        /** Copies both. */
        public State {
            fields = Map.copyOf(fields);
            markers = Map.copyOf(markers);
        }
    }

    private final RedisStore store;
    private final Keyspace keyspace;

    /** The complex tasks of a keyspace. */
    public ComplexStates(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
    }

    /**
     * What the complex task of a pool keeps; absent where that is nothing.
     *
     * @throws InputTooLargeException where it is more than any script writes
     */
    public Optional<State> read(String pool, Complex of) {
        State state = read(pool, of, true, MOST_BYTES);
        return Optional.of(state).filter(some -> some.version() > 0);
    }

    /**
     * The task with what its complex task keeps: a plan gets the markers, too.
     *
     * @param most bytes of all that is its input
     * @throws InputTooLargeException with both sizes
     */
    public TaskLeaf read(TaskLeaf leaf, long most) {
        if (leaf.complex().isEmpty()) {
            return leaf;
        }
        Complex of = leaf.complex().get();
        State state = read(leaf.pool(), of, leaf.plans(), Math.min(most, MOST_BYTES));
        StringJoiner all = new StringJoiner(",", "{", "}");
        all.add("\"key\":" + quoted(of.key()));
        of.marker().ifPresent(name -> all.add("\"marker\":" + quoted(name)));
        all.add("\"state\":" + object(state.fields()));
        if (leaf.plans()) {
            all.add("\"markers\":" + object(state.markers()));
        }
        TaskLeaf whole = leaf.with(all.toString());
        InputTooLargeException.check("the input with the state", whole.inputBytes(), most);
        return whole;
    }

    private State read(String pool, Complex of, boolean markers, long most) {
        ScriptReply reply = store.run(
                TaskScripts.STATE,
                TaskScripts.STATE.keys(TaskScriptKeys.of(keyspace, "")::key, List.of()),
                of.name(pool),
                markers ? "1" : "0",
                Long.toString(most));
        InputTooLargeException.check("the state of " + of.handler() + ", key " + of.key(), reply.number("bytes"), most);
        Map<String, String> fields = new LinkedHashMap<>();
        Map<String, String> all = new LinkedHashMap<>();
        for (ScriptReply.Row entry : reply.rows("entries")) {
            String name = entry.text("name");
            if (name.charAt(0) == FIELD) {
                fields.put(name.substring(1), entry.text("value"));
            } else {
                all.put(name.substring(1), marker(entry.text("value")));
            }
        }
        return new State(reply.number("version"), fields, all);
    }

    /** Lines: how many leaves are left, what it says, why one of them failed. */
    private static String marker(String text) {
        String[] lines = text.split("\n", 3);
        String words = lines.length > 1 && lines[1].startsWith("{") ? lines[1] : "{}";
        return words.substring(0, words.length() - 1) + (words.length() > 2 ? "," : "") + "\"left\":" + lines[0]
                + (lines.length > 2 ? ",\"error\":" + lines[2] : "") + "}";
    }

    private static String object(Map<String, String> members) {
        StringJoiner all = new StringJoiner(",", "{", "}");
        members.forEach((name, json) -> all.add(quoted(name) + ":" + json));
        return all.toString();
    }

    private static String quoted(String text) {
        return new TextNode(text).toString();
    }
}
