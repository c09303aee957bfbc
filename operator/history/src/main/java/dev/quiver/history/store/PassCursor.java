package dev.quiver.history.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Goes over the first-time passes of a run in the order of its tasks, each task once, sealed or not. Takes the memory of
 * one selection, whatever the run has. Used by one thread, while its connection is open.
 */
public final class PassCursor {

    private static final int FETCHED = 64;

    private final Connection connection;
    private final long run;
    private final PassSelection selection;
    private long from;
    private boolean more = true;
    private int at;
    private Pass pass;

    /**
     * Before the first pass from a task on.
     *
     * @param capacity passes that are kept at a time: few for a page, many for all, at most 2²⁰
     */
    public PassCursor(Connection connection, long run, long from, int capacity) {
        this.connection = connection;
        this.run = run;
        this.from = from;
        selection = new PassSelection(from, capacity);
    }

    /**
     * Goes to the next pass.
     *
     * @return false behind the last one
     */
    public boolean next() throws SQLException {
        while (at == selection.size()) {
            if (!more) {
                return false;
            }
            select();
        }
        pass = selection.get(at++);
        return true;
    }

    private void select() throws SQLException {
        selection.restart(from);
        at = 0;
        try (PreparedStatement question = connection.prepareStatement("SELECT first_task, worker_id, base_at, packed"
                + " FROM passes WHERE run_id = ? AND last_task >= ? ORDER BY first_task")) {
            Rows.bind(question, run, from);
            question.setFetchSize(FETCHED);
            try (ResultSet rows = question.executeQuery()) {
                while (rows.next()) {
                    if (selection.isFullBefore(rows.getLong(1))) {
                        selection.cut();
                        break;
                    }
                    PassBlock.read(rows.getBytes(4), rows.getLong(2), rows.getLong(3), selection);
                }
            }
        }
        selection.sort();
        more = selection.cutoff() != Long.MAX_VALUE;
        from = more ? selection.cutoff() + 1 : from;
    }

    /** The pass on which it stands. */
    public Pass pass() {
        return pass;
    }

    /** Gives each pass of a run to the visitor, in no order. */
    public static void each(Connection connection, long run, PassBlock.Visitor visitor) throws SQLException {
        try (PreparedStatement question =
                connection.prepareStatement("SELECT worker_id, base_at, packed FROM passes WHERE run_id = ?")) {
            Rows.bind(question, run);
            question.setFetchSize(FETCHED);
            try (ResultSet rows = question.executeQuery()) {
                while (rows.next()) {
                    PassBlock.read(rows.getBytes(3), rows.getLong(1), rows.getLong(2), visitor);
                }
            }
        }
    }

    /** The pass of one task. */
    public static Optional<Pass> find(Connection connection, long run, long task) throws SQLException {
        PassSelection found = new PassSelection(task, 1);
        Rows.all(
                connection,
                "SELECT worker_id, base_at, packed FROM passes WHERE run_id = ? AND first_task <= ? AND last_task >= ?",
                row -> {
                    PassBlock.read(
                            row.getBytes(3),
                            row.getLong(1),
                            row.getLong(2),
                            (its, worker, slot, finishedAt, millis) -> {
                                if (its == task) {
                                    found.pass(its, worker, slot, finishedAt, millis);
                                }
                            });
                    return 0;
                },
                run,
                task,
                task);
        found.sort();
        return found.size() == 0 ? Optional.empty() : Optional.of(found.get(0));
    }
}
