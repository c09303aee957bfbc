package dev.quiver.lifecycle.task;

import java.nio.charset.StandardCharsets;

import dev.quiver.lifecycle.history.HistoryBounds;

/**
 * The run of a pool's queue in an hour, in which the record has trees without a resource. Its tasks are known by their
 * ids: the number of one is a hash of its id, so every worker gives the same. Pure.
 */
final class QueueRun {

    private static final String PREFIX = "queue:";
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private QueueRun() {}

    /** Whether the record of this run ends with its hour, and not with a tree. */
    static boolean is(String run) {
        int hour = run.lastIndexOf(':');
        return run.startsWith(PREFIX)
                && hour > PREFIX.length()
                && TaskKeys.isPool(run.substring(PREFIX.length(), hour))
                && run.substring(hour + 1).matches("[0-9]{1,9}");
    }

    /** The number of a task in such a run, 0 to {@link HistoryBounds#TASK}; two ids have the same one hardly ever. */
    static long number(String node) {
        long hash = OFFSET; // FNV-1a
        for (byte octet : node.getBytes(StandardCharsets.US_ASCII)) {
            hash = (hash ^ octet & 0xff) * PRIME;
        }
        hash ^= hash >>> 32; // the low bits of short texts are much alike
        hash *= 0x9e3779b97f4a7c15L;
        return hash >>> Long.numberOfLeadingZeros(HistoryBounds.TASK) + 1;
    }
}
