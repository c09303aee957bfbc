package dev.quiver.history.store;

import java.util.Arrays;

/**
 * The passes of the lowest tasks from one on, each task once: of two passes the later counts. Takes 82 bytes for each
 * pass of its capacity at most, however far apart a tenant puts its tasks. Not thread-safe.
 */
final class PassSelection implements PassBlock.Visitor {

    private static final int INDEX_BITS = 21;
    private static final int FIRST_ROOM = 256;

    private final long from;
    private final int capacity;
    private long[] tasks;
    private long[] finished;
    private long[] millis;
    private long[] workers;
    private byte[] slots;
    private int size;
    private long cutoff = Long.MAX_VALUE;
    /** Of the tasks that came; one may have been left out since. */
    private long highest = -1;

    /** Of tasks from that one on, so many: at most 2²⁰. */
    PassSelection(long from, int capacity) {
        this.from = from;
        this.capacity = capacity;
        room(Math.min(FIRST_ROOM, 2 * capacity));
    }

    private void room(int room) {
        tasks = tasks == null ? new long[room] : Arrays.copyOf(tasks, room);
        finished = finished == null ? new long[room] : Arrays.copyOf(finished, room);
        millis = millis == null ? new long[room] : Arrays.copyOf(millis, room);
        workers = workers == null ? new long[room] : Arrays.copyOf(workers, room);
        slots = slots == null ? new byte[room] : Arrays.copyOf(slots, room);
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
        if (size == tasks.length) {
            room(Math.min(2 * capacity, size * 2));
        }
        highest = Math.max(highest, task);
        tasks[size] = task;
        finished[size] = finishedAt;
        millis[size] = runMillis;
        workers[size] = worker;
        slots[size++] = (byte) slot;
    }

    /** Puts them in the order of their tasks, and leaves those out that are too many. */
    void sort() {
        long[] order = new long[size];
        for (int i = 0; i < size; i++) {
            order[i] = (tasks[i] - from) << INDEX_BITS | i;
        }
        Arrays.sort(order);
        PassSelection sorted = new PassSelection(from, capacity);
        sorted.room(Math.max(tasks.length, 1));
        int kept = 0;
        for (long each : order) {
            int at = (int) (each & ((1 << INDEX_BITS) - 1));
            boolean again = kept > 0 && sorted.tasks[kept - 1] == tasks[at];
            if (again && finished[at] < sorted.finished[kept - 1]) {
                continue;
            }
            if (!again && kept == capacity) {
                cutoff = sorted.tasks[kept - 1];
                break;
            }
            int to = again ? kept - 1 : kept++;
            sorted.tasks[to] = tasks[at];
            sorted.finished[to] = finished[at];
            sorted.millis[to] = millis[at];
            sorted.workers[to] = workers[at];
            sorted.slots[to] = slots[at];
        }
        tasks = sorted.tasks;
        finished = sorted.finished;
        millis = sorted.millis;
        workers = sorted.workers;
        slots = sorted.slots;
        size = kept;
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
        cutoff = tasks[size - 1];
    }

    /** The last task that is surely here with all below it; the largest number where no task was left out. */
    long cutoff() {
        return cutoff;
    }

    int size() {
        return size;
    }

    Pass get(int at) {
        return new Pass(tasks[at], workers[at], slots[at], finished[at], millis[at]);
    }
}
