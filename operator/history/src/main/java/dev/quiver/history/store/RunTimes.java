package dev.quiver.history.store;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * How many trials of a run took how long. The first number counts those below 1 ms, each next one those below twice as
 * much. The last number counts all longer ones. Not thread-safe.
 */
public final class RunTimes {

    private static final byte VERSION = 1;
    private static final int BUCKETS = 32;

    private final long[] counts = new long[BUCKETS];

    /** Starts without a trial. */
    RunTimes() {}

    /** Adds so many trials of that time. */
    void add(long millis, long trials) {
        counts[bucket(millis)] += trials;
    }

    private static int bucket(long millis) {
        return Math.min(BUCKETS - 1, Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, millis)));
    }

    /** An SQL expression with one of the times of each bucket, for grouping. */
    static String grouped(String column) {
        StringBuilder cases = new StringBuilder("CASE");
        for (int bucket = 0; bucket < BUCKETS - 1; bucket++) {
            cases.append(" WHEN ")
                    .append(column)
                    .append(" < ")
                    .append(1L << bucket)
                    .append(" THEN ")
                    .append(bucket == 0 ? 0 : 1L << bucket - 1);
        }
        return cases.append(" ELSE ").append(1L << BUCKETS - 2).append(" END").toString();
    }

    byte[] toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(1 + BUCKETS * Long.BYTES).put(VERSION);
        for (long count : counts) {
            bytes.putLong(count);
        }
        return bytes.array();
    }

    /** The numbers without those behind the last trial; none where the bytes are of a newer program, or empty. */
    public static List<Long> read(byte[] bytes) {
        List<Long> counts = new ArrayList<>();
        if (bytes.length != 1 + BUCKETS * Long.BYTES || bytes[0] != VERSION) {
            return counts;
        }
        ByteBuffer numbers = ByteBuffer.wrap(bytes, 1, BUCKETS * Long.BYTES);
        while (numbers.hasRemaining()) {
            counts.add(numbers.getLong());
        }
        while (!counts.isEmpty() && counts.getLast() == 0) {
            counts.removeLast();
        }
        return counts;
    }
}
