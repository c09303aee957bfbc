package dev.quiver.lifecycle.task.results;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;

/**
 * Reads results of many nodes as they are stored. Redis measures them before it copies them, and no answer has more than
 * {@link #CALL_BYTES} of them: a client whose answers pile up is cut off. Thread-safe.
 *
 * @param results the hash that has them
 */
public record ResultPages(RedisStore store, Keyspace keyspace, String results) {

    /** The results of the nodes of trees. */
    ResultPages(RedisStore store, Keyspace keyspace) {
        this(store, keyspace, new TaskKeys(keyspace).results());
    }

    /** Nodes of one call at most. */
    static final int PAGE = 500;

    /** Bytes of results of one call at most: more than the largest result of one task. */
    public static final int CALL_BYTES = 512 * 1024;

    /** The line that every result of a task begins with has so many bytes at least. */
    private static final int LINE = "J\n".length();

    /**
     * The stored texts of these nodes, in their order; empty for none.
     *
     * @param ids at most {@link #PAGE}
     * @param read bytes that the caller has read before
     * @param most bytes that the caller takes, those included
     * @throws InputTooLargeException with both sizes, before more than {@code most} bytes are read
     */
    List<String> read(List<String> ids, long read, long most) {
        String[] texts = new String[ids.size()];
        long[] sizes = new long[ids.size()];
        List<Integer> open = IntStream.range(0, ids.size()).boxed().toList();
        open = ask(ids, open, Math.clamp(most - read, 0, CALL_BYTES), texts, sizes);
        long bytes = Arrays.stream(sizes).map(size -> Math.max(0, size - LINE)).sum();
        InputTooLargeException.check("the input", read + bytes, most);
        while (!open.isEmpty()) {
            List<Integer> page = firstThatFit(open, sizes);
            if (ask(ids, page, CALL_BYTES, texts, sizes).size() == page.size()) {
                int first = page.getFirst();
                InputTooLargeException.check("the result of " + ids.get(first), sizes[first], TaskResult.MAX_BYTES);
            }
            open = open.stream().filter(i -> texts[i] == null).toList();
        }
        return List.of(texts);
    }

    private static List<Integer> firstThatFit(List<Integer> open, long[] sizes) {
        long bytes = 0;
        int count = 0;
        while (count < open.size() && (count == 0 || bytes + sizes[open.get(count)] <= CALL_BYTES)) {
            bytes += sizes[open.get(count++)];
        }
        return open.subList(0, count);
    }

    /** One call; answers those whose texts found no place in it. */
    private List<Integer> ask(List<String> ids, List<Integer> open, long most, String[] texts, long[] sizes) {
        List<String> arguments = new ArrayList<>(List.of(Long.toString(most)));
        open.forEach(i -> arguments.add(ids.get(i)));
        ScriptReply reply = store.run(
                TaskScripts.RESULTS, TaskScripts.RESULTS.keys(this::key, List.of()), arguments.toArray(String[]::new));
        List<ScriptReply.Row> rows = reply.rows("results");
        List<Integer> left = new ArrayList<>();
        for (int at = 0; at < open.size(); at++) {
            int i = open.get(at);
            sizes[i] = rows.get(at).number("bytes");
            String text = rows.get(at).text("text");
            if (text.isEmpty() && sizes[i] > 0) {
                left.add(i);
            } else {
                texts[i] = text;
            }
        }
        return left;
    }

    private String key(String name) {
        return name.equals("results")
                ? results
                : TaskScriptKeys.of(keyspace, "").key(name);
    }
}
