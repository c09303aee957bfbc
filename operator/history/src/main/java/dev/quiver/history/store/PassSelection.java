package dev.quiver.history.store;

import java.util.Arrays;

/**
 * The passes of the lowest tasks from one on, each task once: of two passes the later counts. Takes 80 bytes for each
 * pass of its capacity at most and 32 KiB at least, however far apart a tenant puts its tasks. Not thread-safe.
 */
final class PassSelection implements PassBlock.Visitor {

    private static final int INDEX_BITS = 21;

    /** Passes that share an array: none is copied when more come, and a short run takes little. */
    private static final int TOGETHER_BITS = 10;

    /** Numbers of a pass, side by side: sorting moves them, and they share a line of the processor's cache. */
    private static final int FIELDS = 4;

    private static final int FINISHED = 1;
    private static final int MILLIS = 2;
    /** The worker's id, and its slot in the lowest bits. */
    private static final int PLACE = 3;

    private static final int SLOT_BITS = 6;

    private final int capacity;
    private final long[][] passes;
    private long from;
    private long[] order = new long[0];
    private int size;
    private long cutoff;
    /** The highest number among the tasks that came; that task may have been left out since. */
    private long highest;

    /** Selects up to {@code capacity} tasks from {@code from} on; the capacity is at most 2²⁰. */
    PassSelection(long from, int capacity) {
        this.capacity = capacity;
        passes = new long[(2 * capacity - 1 >>> TOGETHER_BITS) + 1][];
        restart(from);
    }

    /** Begins anew with tasks from that one on, in the memory that it has. */
    void restart(long first) {
        from = first;
        size = 0;
        cutoff = Long.MAX_VALUE;
        highest = -1;
    }

    @Override
    public void pass(long task, long worker, int slot, long finishedAt, long runMillis) {
        if (task < from || task > cutoff) {
            return;
        }
        if (size == 2 * capacity) {
            sort();
            if (task > cutoff) {
                return;
            }
        }
        if (passes[size >>> TOGETHER_BITS] == null) {
            passes[size >>> TOGETHER_BITS] = new long[FIELDS << TOGETHER_BITS];
        }
        highest = Math.max(highest, task);
        put(size++, task, finishedAt, runMillis, worker << SLOT_BITS | slot);
    }

    /** Puts them in the order of their tasks, and leaves those out that are too many. */
    void sort() {
        arrange();
        int kept = 0;
        for (int at = 0; at < size; at++) {
            boolean again = kept > 0 && task(kept - 1) == task(at);
            if (again && field(at, FINISHED) < field(kept - 1, FINISHED)) {
                continue;
            }
            if (!again && kept == capacity) {
                cutoff = task(kept - 1);
                break;
            }
            move(at, again ? kept - 1 : kept++);
        }
        size = kept;
    }

    /** Follows each cycle of places, so that nothing but the order is in memory beside the passes. */
    private void arrange() {
        if (order.length < size) {
            order = new long[size];
        }
        for (int i = 0; i < size; i++) {
            order[i] = (task(i) - from) << INDEX_BITS | i;
        }
        Arrays.sort(order, 0, size);
        for (int first = 0; first < size; first++) {
            int at = source(first);
            if (at == first) {
                continue;
            }
            long task = task(first);
            long finished = field(first, FINISHED);
            long millis = field(first, MILLIS);
            long place = field(first, PLACE);
            int to = first;
            while (at != first) {
                move(at, to);
                order[to] = to;
                to = at;
                at = source(to);
            }
            put(to, task, finished, millis, place);
            order[to] = to;
        }
    }

    private int source(int at) {
        return (int) (order[at] & ((1 << INDEX_BITS) - 1));
    }

    private void put(int at, long task, long finished, long millis, long place) {
        long[] together = passes[at >>> TOGETHER_BITS];
        int offset = offset(at);
        together[offset] = task;
        together[offset + FINISHED] = finished;
        together[offset + MILLIS] = millis;
        together[offset + PLACE] = place;
    }

    private static int offset(int at) {
        return (at & ((1 << TOGETHER_BITS) - 1)) * FIELDS;
    }

    private void move(int at, int to) {
        System.arraycopy(passes[at >>> TOGETHER_BITS], offset(at), passes[to >>> TOGETHER_BITS], offset(to), FIELDS);
    }

    private long task(int at) {
        return field(at, 0);
    }

    private long field(int at, int field) {
        return passes[at >>> TOGETHER_BITS][offset(at) + field];
    }

    /** Whether it has all that it can hold, below that task. */
    boolean isFullBefore(long task) {
        if (size < capacity || task <= highest) {
            return false;
        }
        sort();
        return size == capacity;
    }

    /** Others were left out behind the last task. */
    void cut() {
        cutoff = task(size - 1);
    }

    /** The last task that is surely here with all below it; the largest number where no task was left out. */
    long cutoff() {
        return cutoff;
    }

    int size() {
        return size;
    }

    Pass get(int at) {
        long place = field(at, PLACE);
        int slot = (int) (place & ((1 << SLOT_BITS) - 1));
        return new Pass(task(at), place >> SLOT_BITS, slot, field(at, FINISHED), field(at, MILLIS));
    }
}
