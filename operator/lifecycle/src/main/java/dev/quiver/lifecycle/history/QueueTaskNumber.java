package dev.quiver.lifecycle.history;

import java.nio.charset.StandardCharsets;

/**
 * A task of the run of a pool's queue. Its id alone tells it from others, so its number is a hash of that: every
 * worker, and the reader, give the same. Pure.
 */
public final class QueueTaskNumber {

    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private QueueTaskNumber() {}

    /** The number of the task of an id, 0 to {@link HistoryBounds#TASK}; two ids have the same one hardly ever. */
    public static long number(String node) {
        long hash = OFFSET; // FNV-1a
        for (byte octet : node.getBytes(StandardCharsets.US_ASCII)) {
            hash = (hash ^ octet & 0xff) * PRIME;
        }
        hash ^= hash >>> 32; // the low bits of short texts are much alike
        hash *= 0x9e3779b97f4a7c15L;
        return hash >>> Long.numberOfLeadingZeros(HistoryBounds.TASK) + 1;
    }
}
