package dev.quiver.history.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.lifecycle.history.TestNames;
import dev.quiver.lifecycle.history.TrialStatus;

/**
 * The memory of a class about its tests, which each sealed run adds to once. For each test it has how long a pass
 * takes, and in which of the last 64 runs the test ran, was hurt and failed. A test is hurt if one of its trials did not
 * pass, and it passed in the end. One that was skipped has not failed. Stateless.
 */
final class ClassMemory {

    /** Tests of a run that are remembered: a run is added in one transaction. */
    static final int MOST = TestNames.MOST;

    private static final int CAPACITY = 1 << 14;
    private static final int NAMES_AT_ONCE = 200;
    /** Trials of a task in one run that may tell that its time grew. */
    private static final int TIMEOUTS = 16;

    private final Database database;
    private final Connection connection;
    private final long run;
    private final Map<Long, Integer> speeds = new HashMap<>();

    private ClassMemory(Database database, Connection connection, long run) {
        this.database = database;
        this.connection = connection;
        this.run = run;
    }

    /** How a test fared: its time counts where it passed, at the speed of its worker, and each trial that timed out. */
    private record Outcome(boolean passed, boolean hurt, boolean failed, long millis, int speed, int timeouts) {}

    /** A row before this run. */
    private record Known(UsualTime usual, long ran, long hurt, long failed, long lastRun) {}

    /** Adds a run of a class whose tasks have names; others, and those that were added, change nothing. */
    static void remember(Database database, Connection connection, long run) throws SQLException {
        if (Rows.change(
                        connection,
                        "UPDATE runs SET remembered = 1 WHERE id = ? AND remembered = 0 AND class_id IS NOT NULL"
                                + " AND source_hash IS NOT NULL",
                        run)
                == 0) {
            return;
        }
        // By what the class knew without this run.
        EstimateError.keep(connection, run);
        new ClassMemory(database, connection, run).remember();
    }

    private void remember() throws SQLException {
        long runClass = number("SELECT class_id FROM runs WHERE id = ?", run);
        Rows.change(connection, "UPDATE classes SET runs = runs + 1 WHERE id = ?", runClass);
        long place = number("SELECT runs FROM classes WHERE id = ?", runClass);
        List<Long> blocks = Rows.all(
                connection,
                "SELECT names.first_task FROM names JOIN runs ON runs.namespace = names.namespace"
                        + " AND runs.source_hash = names.source_hash WHERE runs.id = ? AND names.first_task < ?"
                        + " ORDER BY names.first_task",
                row -> row.getLong(1),
                run,
                MOST);
        speeds();
        TestNames seen = new TestNames(MOST);
        PassCursor passes = new PassCursor(connection, run, 0, CAPACITY);
        boolean more = passes.next();
        for (long first : blocks) {
            List<String> names = names(first);
            Map<Long, Outcome> outcomes = rows(first, names.size());
            while (more && passes.pass().task() < first + names.size()) {
                Pass pass = passes.pass();
                outcomes.put(pass.task(), new Outcome(true, false, false, pass.runMillis(), speed(pass.worker()), 0));
                more = passes.next();
            }
            Map<String, Outcome> tests = new LinkedHashMap<>();
            for (int i = 0; i < names.size(); i++) {
                String name = seen.next(names.get(i));
                Outcome outcome = outcomes.get(first + i);
                if (outcome != null) {
                    tests.put(name, outcome);
                }
            }
            write(runClass, place, tests);
        }
    }

    private void speeds() throws SQLException {
        Rows.all(
                connection,
                "SELECT w.id, w.speed FROM run_workers rw JOIN workers w ON w.id = rw.worker_id WHERE rw.run_id = ?"
                        + " AND w.speed IS NOT NULL AND w.speed <> " + UsualTime.USUAL_SPEED,
                row -> speeds.put(row.getLong(1), row.getInt(2)),
                run);
    }

    private int speed(long worker) {
        return speeds.getOrDefault(worker, UsualTime.USUAL_SPEED);
    }

    private long number(String sql, long value) throws SQLException {
        return Rows.first(connection, sql, row -> row.getLong(1), value).orElseThrow();
    }

    private List<String> names(long first) throws SQLException {
        return Rows.first(
                        connection,
                        "SELECT names.packed FROM names JOIN runs ON runs.namespace = names.namespace"
                                + " AND runs.source_hash = names.source_hash WHERE runs.id = ? AND names.first_task = ?",
                        row -> NameBlock.unpack(row.getBytes(1)),
                        run,
                        first)
                .orElse(List.of());
    }

    private Map<Long, Outcome> rows(long first, int count) throws SQLException {
        Map<Long, Outcome> outcomes = new HashMap<>();
        Map<Long, Integer> timeouts = timeouts(first, count);
        Rows.all(
                connection,
                "SELECT task, status, trials, run_ms, (SELECT MIN(worker_id) FROM trials WHERE"
                        + " trials.run_id = tasks.run_id AND trials.task = tasks.task AND trials.trial = tasks.trials"
                        + " AND trials.status = tasks.status) FROM tasks WHERE run_id = ? AND task >= ? AND task < ?"
                        + " AND status <> " + TrialStatus.CANCELLED.ordinal(),
                row -> {
                    boolean passed = row.getInt(2) == TrialStatus.PASSED.ordinal();
                    boolean skipped = row.getInt(2) == TrialStatus.PENDING.ordinal();
                    // A loss uses no trial, so it hurts nobody.
                    return outcomes.put(
                            row.getLong(1),
                            new Outcome(
                                    passed,
                                    passed && row.getInt(3) > 1,
                                    !passed && !skipped,
                                    row.getLong(4),
                                    speed(row.getLong(5)),
                                    timeouts.getOrDefault(row.getLong(1), 0)));
                },
                run,
                first,
                first + count);
        return outcomes;
    }

    private Map<Long, Integer> timeouts(long first, int count) throws SQLException {
        Map<Long, Integer> timeouts = new HashMap<>();
        Rows.all(
                connection,
                "SELECT task, COUNT(*) FROM trials WHERE run_id = ? AND task >= ? AND task < ? AND status = "
                        + TrialStatus.TIMEOUT.ordinal() + " GROUP BY task",
                row -> timeouts.put(row.getLong(1), (int) Math.min(TIMEOUTS, row.getLong(2))),
                run,
                first,
                first + count);
        return timeouts;
    }

    private void write(long runClass, long place, Map<String, Outcome> tests) throws SQLException {
        List<String> names = List.copyOf(tests.keySet());
        List<Object[]> rows = new ArrayList<>();
        for (int from = 0; from < names.size(); from += NAMES_AT_ONCE) {
            List<String> some = names.subList(from, Math.min(names.size(), from + NAMES_AT_ONCE));
            Map<String, Known> known = known(runClass, some);
            some.forEach(name -> rows.add(row(runClass, place, name, tests.get(name), known.get(name))));
        }
        database.write(connection, Tables.TESTS, rows);
    }

    private Map<String, Known> known(long runClass, List<String> names) throws SQLException {
        Map<String, Known> known = new HashMap<>();
        List<Object> values = new ArrayList<>(List.of(runClass));
        values.addAll(names);
        Rows.all(
                connection,
                "SELECT name, log_mean, n, ran, hurt, failed, last_run FROM tests WHERE class_id = ? AND name IN ("
                        + Rows.marks(names.size()) + ")",
                row -> known.put(
                        row.getString(1),
                        new Known(
                                new UsualTime(Math.round(row.getDouble(2)), row.getLong(3)),
                                row.getLong(4),
                                row.getLong(5),
                                row.getLong(6),
                                row.getLong(7))),
                values.toArray());
        return known;
    }

    private static Object[] row(long runClass, long place, String name, Outcome outcome, Known before) {
        Known known = Optional.ofNullable(before).orElse(new Known(UsualTime.UNKNOWN, 0, 0, 0, place));
        UsualTime usual = known.usual;
        for (int i = 0; i < outcome.timeouts; i++) {
            usual = usual.timedOut();
        }
        if (outcome.passed) {
            usual = usual.passed(outcome.millis, outcome.speed);
        }
        long ran = shifted(known.ran, place - known.lastRun) | 1;
        long hurt = shifted(known.hurt, place - known.lastRun) | (outcome.hurt ? 1 : 0);
        long failed = shifted(known.failed, place - known.lastRun) | (outcome.failed ? 1 : 0);
        return new Object[] {runClass, name, usual.logMicros(), usual.n(), ran, hurt, failed, place};
    }

    private static long shifted(long bits, long by) {
        return by >= Long.SIZE ? 0 : bits << by;
    }
}
