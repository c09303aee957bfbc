package dev.quiver.lifecycle.wires.queue;

import java.util.List;
import java.util.StringJoiner;
import java.util.function.UnaryOperator;

import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;

/** The results of a job's chunks. */
record QueueResults(RedisStore store, String prefix) {

    private static final int PAGE_BYTES = 1 << 20;

    private static final UnaryOperator<String> NO_KEYS = name -> {
        throw new IllegalStateException("no key is called " + name);
    };

    /**
     * The array of those that are there, in the order of the chunks.
     *
     * @param most bytes at most
     * @throws InputTooLargeException with both sizes
     */
    String of(String job, long most) {
        StringJoiner json = new StringJoiner(",", "[", "]");
        long bytes = 2;
        long from = 0;
        do {
            ScriptReply reply = store.run(
                    QueueScripts.RESULTS,
                    QueueScripts.RESULTS.keys(NO_KEYS, List.of()),
                    job,
                    Long.toString(from),
                    Integer.toString(PAGE_BYTES),
                    prefix);
            for (String result : reply.texts("results")) {
                bytes += Utf8.length(result) + 1;
                InputTooLargeException.check("the results", bytes, most);
                json.add(result);
            }
            from = reply.number("next");
        } while (from >= 0);
        return json.toString();
    }
}
