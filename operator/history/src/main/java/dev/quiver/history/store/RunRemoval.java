package dev.quiver.history.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Removes a run with all that belongs to it, a bounded number of rows in each transaction. A run that is being removed is
 * shown nowhere; a removal that was cut off goes on with the next sweep. Stateless.
 */
public final class RunRemoval {

    /** Rows of one transaction. */
    static final int ROWS = 5_000;

    /** The mark of a run whose output is being removed; 1 follows. */
    static final int REMOVING_OUTPUT = 2;

    /** Tables of a run, with the columns that find a row within it. */
    private static final List<String[]> PARTS = List.of(
            new String[] {"trials", "task, trial, copy"},
            new String[] {"tasks", "task"},
            new String[] {"passes", "worker_id, call"},
            new String[] {"nodes", "ordinal"},
            new String[] {"node_ranges", "first"},
            new String[] {"cases", "task, trial, n"},
            new String[] {"worker_logs", "worker_id"},
            new String[] {"run_workers", "worker_id"});

    private final Database database;

    /** In that database. */
    public RunRemoval(Database database) {
        this.database = database;
    }

    /**
     * Removes the run for good: what comes of it later writes nothing, for 30 days.
     *
     * @param now milliseconds since 1970
     */
    public void forget(long run, long now) throws SQLException {
        database.change(connection -> {
            Optional<String[]> facts = Rows.first(
                    connection,
                    "SELECT keyspace, uid FROM runs WHERE id = ?",
                    row -> new String[] {row.getString(1), row.getString(2)},
                    run);
            if (facts.isEmpty()) {
                return 0;
            }
            // A writer that did not see the mark has committed behind this lock, and its rows are removed below.
            database.lock(connection, facts.get()[0]);
            database.write(
                    connection, Tables.REMOVED_RUNS, List.<Object[]>of(new Object[] {facts.get()[0], facts.get()[1], now
                    }));
            return Rows.change(connection, "UPDATE runs SET removed = 1 WHERE id = ?", run);
        });
        remove(run);
    }

    /** Removes the run with its record, names that no other run has, and its unread entries. */
    public void remove(long run) throws SQLException {
        database.change(connection -> Rows.change(connection, "UPDATE runs SET removed = 1 WHERE id = ?", run));
        Packs.remove(database, run);
        for (String[] part : PARTS) {
            removeRows(part[0], part[1], run);
        }
        database.change(connection -> removeRun(connection, run));
        removeWorkers();
        removeTests();
        database.giveBack();
    }

    /** The memory of a class goes with its last run. */
    private void removeTests() throws SQLException {
        int removed;
        do {
            removed = database.change(connection -> Rows.change(
                    connection,
                    "DELETE FROM tests WHERE (class_id, name) IN (SELECT tests.class_id, tests.name FROM tests"
                            + " WHERE tests.class_id IN (SELECT classes.id FROM classes WHERE NOT EXISTS"
                            + " (SELECT 1 FROM runs WHERE runs.class_id = classes.id)) LIMIT " + ROWS + ")"));
        } while (removed == ROWS);
    }

    private static int removeRun(Connection connection, long run) throws SQLException {
        Optional<String[]> facts = Rows.first(
                connection,
                "SELECT keyspace, uid, namespace, source_hash FROM runs WHERE id = ?",
                row -> new String[] {row.getString(1), row.getString(2), row.getString(3), row.getString(4)},
                run);
        Rows.change(connection, "DELETE FROM runs WHERE id = ?", run);
        if (facts.isPresent()) {
            String[] of = facts.get();
            Rows.change(connection, "DELETE FROM unread WHERE keyspace = ? AND uid = ?", of[0], of[1]);
            if (of[3] != null) {
                Rows.change(
                        connection,
                        "DELETE FROM names WHERE namespace = ? AND source_hash = ? AND NOT EXISTS"
                                + " (SELECT 1 FROM runs WHERE namespace = ? AND source_hash = ?)",
                        of[2],
                        of[3],
                        of[2],
                        of[3]);
            }
        }
        return 1;
    }

    private void removeRows(String table, String key, long run) throws SQLException {
        String sql = "DELETE FROM " + table + " WHERE run_id = ? AND (" + key + ") IN (SELECT " + key + " FROM " + table
                + " WHERE run_id = ? LIMIT " + ROWS + ")";
        int removed;
        do {
            removed = database.change(connection -> Rows.change(connection, sql, run, run));
        } while (removed == ROWS);
    }

    /** Workers that left and are named by no run. */
    private void removeWorkers() throws SQLException {
        database.change(connection -> Rows.change(
                connection,
                "DELETE FROM workers WHERE closed_at IS NOT NULL AND NOT EXISTS"
                        + " (SELECT 1 FROM run_workers WHERE worker_id = workers.id)"));
    }

    /**
     * Removes what the run's tasks printed and returned, and what they will; its numbers stay. A removal that was cut off
     * goes on with the next sweep.
     */
    public void removeOutput(long run) throws SQLException {
        database.change(connection -> {
            Optional<String> keyspace =
                    Rows.first(connection, "SELECT keyspace FROM runs WHERE id = ?", row -> row.getString(1), run);
            if (keyspace.isPresent()) {
                database.lock(connection, keyspace.get());
            }
            return Rows.change(connection, "UPDATE runs SET output_removed = ? WHERE id = ?", REMOVING_OUTPUT, run);
        });
        Packs.remove(database, run);
        int removed;
        do {
            removed = database.change(connection -> Rows.change(
                    connection,
                    "UPDATE trials SET stdout = NULL, stderr = NULL, result = NULL, pack = NULL,"
                            + " stdout_pack = NULL, stderr_pack = NULL WHERE run_id = ?"
                            + " AND (task, trial, copy) IN (SELECT task, trial, copy FROM trials WHERE run_id = ?"
                            + " AND (stdout IS NOT NULL OR stderr IS NOT NULL OR result IS NOT NULL OR pack IS NOT NULL"
                            + " OR stdout_pack IS NOT NULL OR stderr_pack IS NOT NULL) LIMIT "
                            + ROWS
                            + ")",
                    run,
                    run));
        } while (removed == ROWS);
        database.change(connection -> {
            Rows.change(connection, "UPDATE worker_logs SET log = NULL WHERE run_id = ?", run);
            // What is left counts: else whole runs would go for the room that output took.
            Sealing.measure(connection, run);
            return Rows.change(connection, "UPDATE runs SET output_removed = 1 WHERE id = ?", run);
        });
        database.giveBack();
    }
}
