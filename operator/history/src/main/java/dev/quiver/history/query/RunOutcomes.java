package dev.quiver.history.query;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;

import dev.quiver.history.store.PassCursor;
import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.TrialStatus;

/**
 * The outcome of each task of a run, in arrays. A task takes 21 bytes, so that two runs of a million tasks are compared
 * in little memory. A key is the task's number, or the hash of its name. Immutable once it is loaded.
 */
final class RunOutcomes {

    /** Tasks of a run that are compared at most, whatever the memory. */
    static final int MOST = 4_000_000;

    /** Bytes that a task takes at most, while the arrays grow and while they are sorted. */
    private static final int BYTES = 64;

    private static final int WINDOW = 1 << 16;

    long[] keys = new long[1024];
    long[] tasks = new long[1024];
    int[] millis = new int[1024];
    byte[] statuses = new byte[1024];
    int size;

    private final int most;

    private RunOutcomes(long bytes) {
        most = (int) Math.min(MOST, bytes / BYTES);
    }

    /**
     * Loads them.
     *
     * @param bytes of memory at most; with more tasks the query is refused
     */
    static RunOutcomes of(Connection connection, Run run, boolean byName, long bytes) throws SQLException {
        RunOutcomes outcomes = new RunOutcomes(bytes);
        PassCursor passes = new PassCursor(connection, run.id(), 0, WINDOW);
        while (passes.next()) {
            outcomes.add(passes.pass().task(), passes.pass().runMillis(), TrialStatus.PASSED);
        }
        try (PreparedStatement question =
                connection.prepareStatement("SELECT task, run_ms, status FROM tasks WHERE run_id = ? AND over = 1")) {
            Rows.bind(question, run.id());
            question.setFetchSize(1000);
            try (ResultSet rows = question.executeQuery()) {
                while (rows.next()) {
                    outcomes.add(rows.getLong(1), rows.getLong(2), TrialStatus.values()[rows.getInt(3)]);
                }
            }
        }
        if (byName) {
            outcomes.name(connection, run);
        }
        outcomes.sort();
        return outcomes;
    }

    private void add(long task, long runMillis, TrialStatus status) {
        if (size == most) {
            throw new BadQueryException("runs of more than " + most + " tasks are not compared"
                    + (most < MOST ? ": history's memory holds no more; raise its limit" : ""));
        }
        if (size == keys.length) {
            int more = size * 2;
            keys = Arrays.copyOf(keys, more);
            tasks = Arrays.copyOf(tasks, more);
            millis = Arrays.copyOf(millis, more);
            statuses = Arrays.copyOf(statuses, more);
        }
        keys[size] = task;
        tasks[size] = task;
        millis[size] = (int) Math.min(Integer.MAX_VALUE, runMillis);
        statuses[size++] = (byte) status.ordinal();
    }

    /** Hashes in place of numbers; a task without a name keeps its number. */
    private void name(Connection connection, Run run) throws SQLException {
        sort();
        Rows.all(
                connection,
                "SELECT first_task, n, hashes FROM names WHERE namespace = ? AND source_hash = ? ORDER BY first_task",
                row -> {
                    ByteBuffer hashes = ByteBuffer.wrap(row.getBytes(3));
                    long first = row.getLong(1);
                    int at = Arrays.binarySearch(tasks, 0, size, first);
                    at = at < 0 ? -at - 1 : at;
                    for (; at < size && tasks[at] < first + row.getInt(2); at++) {
                        keys[at] = hashes.getLong((int) (tasks[at] - first) * Long.BYTES);
                    }
                    return 0;
                },
                run.namespace(),
                run.sourceHash().orElse(""));
    }

    /** By key; of one key by task, and a pass behind a loss of the same task. */
    private void sort() {
        boolean sorted = true;
        for (int i = 1; i < size && sorted; i++) {
            sorted = keys[i - 1] <= keys[i];
        }
        if (sorted) {
            return;
        }
        Integer[] unsorted = new Integer[size];
        Arrays.setAll(unsorted, i -> i);
        Arrays.sort(unsorted, (a, b) -> keys[a] != keys[b] ? Long.compare(keys[a], keys[b]) : Long.compare(a, b));
        long[] newKeys = new long[size];
        long[] newTasks = new long[size];
        int[] newMillis = new int[size];
        byte[] newStatuses = new byte[size];
        for (int i = 0; i < size; i++) {
            int from = unsorted[i];
            newKeys[i] = keys[from];
            newTasks[i] = tasks[from];
            newMillis[i] = millis[from];
            newStatuses[i] = statuses[from];
        }
        keys = newKeys;
        tasks = newTasks;
        millis = newMillis;
        statuses = newStatuses;
    }

    boolean passed(int at) {
        return statuses[at] == TrialStatus.PASSED.ordinal() || statuses[at] == TrialStatus.PENDING.ordinal();
    }
}
