package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;

import dev.quiver.history.store.PassCursor;
import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.TrialStatus;

/** The tasks of an ended run that have no pass on record: those that failed, and those that never ran. Stateless. */
public final class Unpassed {

    /** Tasks of the largest run that is answered: a TaskSet's source has no more. */
    public static final int MOST_TASKS = 1 << 20;

    private Unpassed() {}

    /**
     * A bit for each task, the lowest first: set where the task did not pass. Absent where the record does not have every
     * pass that the run counted, so that nobody repeats what passed.
     *
     * @param run that has ended, with at most {@link #MOST_TASKS} tasks
     */
    public static Optional<byte[]> of(Connection connection, Run run) throws SQLException {
        int tasks = Math.toIntExact(run.tasks().orElse(0L));
        BitSet passed = new BitSet(tasks);
        PassCursor.each(connection, run.id(), (task, worker, slot, at, millis) -> {
            if (task >= 0 && task < tasks) {
                passed.set((int) task);
            }
        });
        Rows.all(
                connection,
                "SELECT task FROM tasks WHERE run_id = ? AND task >= 0 AND task < ? AND status IN ("
                        + TrialStatus.PASSED.ordinal() + ", " + TrialStatus.PENDING.ordinal() + ")",
                row -> {
                    passed.set(row.getInt(1));
                    return null;
                },
                run.id(),
                tasks);
        long counted = run.succeeded().orElse(0L) + run.pending().orElse(0L);
        if (passed.cardinality() != counted) {
            return Optional.empty();
        }
        passed.flip(0, tasks);
        return Optional.of(Arrays.copyOf(passed.toByteArray(), (tasks + 7) / 8));
    }
}
