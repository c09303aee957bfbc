package dev.quiver.history.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.history.TrialStatus;

/**
 * Merges the packed passes of a run that ended into blocks by task, drops what came twice, and sums up each worker's
 * part. If tasks were given out in another order, every step's pack covers the whole run. A page of tasks would then
 * have to unpack all of it. Unpacked passes take the memory of half a million. Stateless.
 */
public final class Sealing {

    /** Passes that are sorted at a time. */
    private static final int AT_ONCE = 1 << 19;

    /** The mark of a run that cannot be sealed. */
    private static final int UNSEALABLE = 2;

    private static final Logger LOG = LoggerFactory.getLogger(Sealing.class);
    private static final int ROWS_AT_ONCE = 64;

    private final Database database;
    private final RunText log;

    /** Seals the runs of that database and stores no log of theirs. */
    public Sealing(Database database) {
        this(database, (connection, run) -> new byte[0]);
    }

    /**
     * Seals the runs of that database.
     *
     * @param log what is stored as the log of a run
     */
    public Sealing(Database database, RunText log) {
        this.database = database;
        this.log = log;
    }

    /** The part of a worker in a run. */
    private static final class Share {

        private long passed;
        private long millis;
        private long firstAt = Long.MAX_VALUE;
        private long lastAt = Long.MIN_VALUE;

        private void add(long finishedAt, long runMillis) {
            passed++;
            millis += runMillis;
            firstAt = Math.min(firstAt, finishedAt - runMillis);
            lastAt = Math.max(lastAt, finishedAt);
        }
    }

    /**
     * Seals the runs that ended and are not sealed, at most so many, each in a transaction of its own.
     *
     * @return how many were sealed
     */
    public int seal(int most) throws SQLException {
        List<Long> runs = database.ask(connection -> Rows.all(
                connection,
                "SELECT id FROM runs WHERE sealed = 0 AND finished_at IS NOT NULL AND removed = 0 ORDER BY finished_at"
                        + " LIMIT " + most,
                row -> row.getLong(1)));
        for (long run : runs) {
            try {
                database.change(connection -> {
                    seal(connection, run);
                    return run;
                });
            } catch (IllegalStateException | IndexOutOfBoundsException e) {
                // A damaged pack must not end the loop of all runs.
                LOG.error("run {} cannot be sealed and stays as it is", run, e);
                database.change(connection ->
                        Rows.change(connection, "UPDATE runs SET sealed = ? WHERE id = ?", UNSEALABLE, run));
            }
        }
        return runs.size();
    }

    private void seal(Connection connection, long run) throws SQLException {
        // The mark first: it locks the run against a replica that seals it, too.
        if (Rows.change(connection, "UPDATE runs SET sealed = 1 WHERE id = ? AND sealed = 0 AND removed = 0", run)
                == 0) {
            return;
        }
        Rows.change(connection, "UPDATE run_workers SET passed = 0, run_ms = 0 WHERE run_id = ?", run);
        // Those of an earlier sealing are read, too, and go with the rest.
        long first = Rows.first(
                        connection,
                        "SELECT COALESCE(MAX(call), -1) + 1 FROM passes WHERE run_id = ? AND worker_id = 0",
                        row -> row.getLong(1),
                        run)
                .orElse(0L);
        long number = first;
        List<Object[]> blocks = new ArrayList<>();
        Map<Long, Share> shares = new HashMap<>();
        RunTimes times = new RunTimes();
        PassCursor passes = new PassCursor(connection, run, 0, AT_ONCE);
        boolean more = passes.next();
        while (more) {
            PassBlock.Builder block = new PassBlock.Builder(passes.pass().finishedAt());
            PassPack.Sums sums = new PassPack.Sums();
            for (int n = 0; more && n < PassBlock.TASKS; n++) {
                Pass pass = passes.pass();
                block.add(pass.task(), pass.worker(), pass.slot(), pass.finishedAt(), pass.runMillis());
                sums.add(pass.task(), pass.runMillis());
                times.add(pass.runMillis(), 1);
                shares.computeIfAbsent(pass.worker(), it -> new Share()).add(pass.finishedAt(), pass.runMillis());
                more = passes.next();
            }
            blocks.add(row(run, number++, block, sums.packed(block.toBytes())));
            if (blocks.size() == ROWS_AT_ONCE) {
                // The cursor asks for tasks behind those of the blocks, so it does not meet them.
                database.write(connection, Tables.PASSES, blocks);
                blocks.clear();
            }
        }
        database.write(connection, Tables.PASSES, blocks);
        Rows.change(connection, "DELETE FROM passes WHERE run_id = ? AND (worker_id <> 0 OR call < ?)", run, first);
        share(connection, run, shares);
        count(connection, run, times);
        ClassMemory.remember(database, connection, run);
        byte[] text = log.of(connection, run);
        if (text.length > 0) {
            Rows.change(connection, "UPDATE runs SET log = ? WHERE id = ?", text, run);
        }
        measure(connection, run);
    }

    private static Object[] row(long run, long number, PassBlock.Builder block, PassPack pack) {
        return new Object[] {
            run,
            0L,
            number,
            pack.firstTask(),
            pack.lastTask(),
            pack.n(),
            block.baseAt,
            pack.millisSum(),
            pack.millisMax(),
            pack.packed()
        };
    }

    private void share(Connection connection, long run, Map<Long, Share> shares) throws SQLException {
        List<Object[]> rows = new ArrayList<>();
        shares.forEach((worker, share) ->
                rows.add(new Object[] {run, worker, share.passed, share.millis, share.firstAt, share.lastAt}));
        database.write(connection, Tables.SEALED_WORKERS, rows);
    }

    /** Trials with a row and passes together; a loss ran for no time that anybody knows. */
    private static void count(Connection connection, long run, RunTimes times) throws SQLException {
        String grouped = RunTimes.grouped("run_ms");
        Rows.all(
                connection,
                "SELECT " + grouped + " AS millis, COUNT(*) AS n FROM trials WHERE run_id = ? AND status <> "
                        + TrialStatus.LOST.ordinal() + " GROUP BY " + grouped,
                row -> {
                    times.add(row.getLong("millis"), row.getLong("n"));
                    return 0;
                },
                run);
        Rows.change(connection, "UPDATE runs SET run_ms_histogram = ? WHERE id = ?", times.toBytes(), run);
    }

    /** Replaces what was estimated while entries came by what is measured. */
    static void measure(Connection connection, long run) throws SQLException {
        Rows.change(
                connection,
                "UPDATE runs SET bytes = 1000 + COALESCE(LENGTH(log), 0)"
                        + " + (SELECT COALESCE(SUM(LENGTH(packed) + 100), 0) FROM passes WHERE run_id = runs.id)"
                        + " + (SELECT COALESCE(SUM(200 + COALESCE(LENGTH(stdout), 0) + COALESCE(LENGTH(stderr), 0)"
                        + " + COALESCE(LENGTH(result), 0)), 0) FROM trials WHERE run_id = runs.id)"
                        + " + (SELECT COALESCE(SUM(100 + LENGTH(name) + COALESCE(LENGTH(message), 0)), 0) FROM cases"
                        + " WHERE run_id = runs.id)"
                        + " + (SELECT COALESCE(SUM(100 + COALESCE(LENGTH(log), 0)), 0) FROM worker_logs"
                        + " WHERE run_id = runs.id)"
                        + " + (SELECT COALESCE(SUM(bytes), 0) FROM packs WHERE run_id = runs.id) WHERE id = ?",
                run);
    }
}
