package dev.quiver.lifecycle.taskset;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.lettuce.core.ScriptOutputType;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/**
 * The order of a set's tasks as the operator writes it.
 *
 * @param sequence numbers of the tasks as they are given out: 0 to {@code n - 1}, each once
 * @param millis how long each takes, by its number; odd where no run knows it
 */
public record HandWrittenOrder(List<Integer> sequence, List<Integer> millis) {

    private static final String SET = "return redis.call('SET', KEYS[1], (string.gsub(ARGV[1], '..', function(hex) "
            + "return string.char(tonumber(hex, 16)) end)))";

    /** Longest first. */
    public static HandWrittenOrder longestFirst(List<Integer> millis) {
        return new HandWrittenOrder(
                IntStream.range(0, millis.size())
                        .boxed()
                        .sorted((a, b) -> millis.get(b) - millis.get(a))
                        .toList(),
                millis);
    }

    byte[] bytes() {
        ByteBuffer bytes =
                ByteBuffer.allocate(sequence.size() * 8 + millis.size() * 4).order(ByteOrder.LITTLE_ENDIAN);
        sequence.forEach(task -> bytes.putInt(task).putInt(millis.get(task)));
        millis.forEach(bytes::putInt);
        return bytes.array();
    }

    /** Sum of all. */
    long total() {
        return millis.stream().mapToLong(Integer::longValue).sum();
    }

    /** Gives it to a set of which nothing was given out yet. */
    public void write(RedisStore store, Keyspace keyspace, String uid) {
        TaskSetKeys keys = new TaskSetKeys(keyspace, uid);
        writeText(store, keys.source().order(), bytes());
        store.ask(redis -> redis.hset(keys.set(), Map.of("plain", "0", "ordered", Integer.toString(sequence.size()))));
        store.ask(redis -> redis.hset(keys.set(), "fresh_ms", Long.toString(total())));
    }

    static void writeText(RedisStore store, String key, byte[] bytes) {
        store.ask(redis -> redis.eval(
                SET, ScriptOutputType.STATUS, new String[] {key}, HexFormat.of().formatHex(bytes)));
    }
}
