package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.PriorityQueue;

import dev.quiver.history.store.Pass;
import dev.quiver.history.store.PassCursor;
import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.TrialStatus;

/** The tasks of a run that have a record: those of its packed passes, and those with rows. Stateless. */
public final class Tasks {

    private static final int WINDOW = 4096;
    private static final int ALL = 1 << 16;

    /** Tasks at whose names one answer to a search looks. */
    private static final int LOOKED = 1 << 16;

    private static final String COLUMNS =
            "SELECT task, status, trials, over, run_ms, reason, estimate_sec FROM tasks WHERE run_id = ?";
    /** Longest first; of the same time the lower number. */
    private static final Comparator<TaskState> SLOWEST =
            Comparator.comparingLong(TaskState::runMillis).reversed().thenComparingLong(TaskState::task);

    private Tasks() {}

    /** In the order of their numbers, of one status where it is given. */
    public static Page<TaskState> list(
            Connection connection, long run, Optional<TrialStatus> status, int limit, Optional<String> token)
            throws SQLException {
        long from = PageToken.read(token, 1).map(key -> key[0] + 1).orElse(0L);
        List<TaskState> found = new ArrayList<>();
        if (status.isPresent() && status.get() != TrialStatus.PASSED) {
            found.addAll(Rows.all(
                    connection,
                    COLUMNS + " AND status = ? AND task >= ? ORDER BY task LIMIT " + (limit + 1),
                    Tasks::state,
                    run,
                    status.get().ordinal(),
                    from));
        } else {
            merge(connection, run, status, from, limit + 1, found);
        }
        return found.size() <= limit ? new Page<>(found, Optional.empty()) : cut(found, limit);
    }

    private static void merge(
            Connection connection, long run, Optional<TrialStatus> status, long from, int most, List<TaskState> found)
            throws SQLException {
        PassCursor passes = new PassCursor(connection, run, from, WINDOW);
        boolean pass = passes.next();
        List<TaskState> rows = rows(connection, run, from, most);
        int at = 0;
        while (found.size() < most && (pass || at < rows.size())) {
            long row = at < rows.size() ? rows.get(at).task() : Long.MAX_VALUE;
            if (pass && passes.pass().task() <= row) {
                // Whatever has a row beside it was lost before: the pass is the later word.
                found.add(pass(passes.pass()));
                at += passes.pass().task() == row ? 1 : 0;
                pass = passes.next();
            } else {
                TaskState state = rows.get(at++);
                if (status.isEmpty() || state.status() == status.get()) {
                    found.add(state);
                }
            }
            if (at == rows.size() && rows.size() == most) {
                rows = rows(connection, run, row(rows) + 1, most);
                at = 0;
            }
        }
    }

    private static long row(List<TaskState> rows) {
        return rows.getLast().task();
    }

    private static List<TaskState> rows(Connection connection, long run, long from, int most) throws SQLException {
        return Rows.all(connection, COLUMNS + " AND task >= ? ORDER BY task LIMIT " + most, Tasks::state, run, from);
    }

    /** The longest last trials first. */
    public static Page<TaskState> slowest(
            Connection connection, long run, Optional<TrialStatus> status, int limit, Optional<String> token)
            throws SQLException {
        Optional<long[]> key = PageToken.read(token, 2);
        Optional<TaskState> after = key.map(its -> TaskState.passed(its[1], its[0]));
        // The head is the quickest of those kept so far.
        PriorityQueue<TaskState> kept = new PriorityQueue<>(SLOWEST.reversed());
        if (status.isEmpty() || status.get() == TrialStatus.PASSED) {
            PassCursor passes = new PassCursor(connection, run, 0, ALL);
            while (passes.next()) {
                if (kept.size() <= limit
                        || passes.pass().runMillis() >= kept.peek().runMillis()) {
                    keep(kept, pass(passes.pass()), after, limit + 1);
                }
            }
        }
        List<Object> values = new ArrayList<>(List.of(run));
        status.ifPresent(its -> values.add(its.ordinal()));
        after.ifPresent(its -> {
            values.add(its.runMillis());
            values.add(its.runMillis());
            values.add(its.task());
        });
        for (TaskState state : Rows.all(
                connection,
                COLUMNS + (status.isPresent() ? " AND status = ?" : "")
                        + (after.isPresent() ? " AND (run_ms < ? OR run_ms = ? AND task > ?)" : "")
                        + " ORDER BY run_ms DESC, task LIMIT " + (limit + 1),
                Tasks::state,
                values.toArray())) {
            keep(kept, state, after, limit + 1);
        }
        List<TaskState> found = kept.stream().sorted(SLOWEST).toList();
        if (found.size() <= limit) {
            return new Page<>(found, Optional.empty());
        }
        TaskState last = found.get(limit - 1);
        return new Page<>(found.subList(0, limit), Optional.of(PageToken.of(last.runMillis(), last.task())));
    }

    private static void keep(PriorityQueue<TaskState> kept, TaskState state, Optional<TaskState> after, int most) {
        if (after.isPresent() && SLOWEST.compare(state, after.get()) <= 0) {
            return;
        }
        kept.add(state);
        if (kept.size() > most) {
            kept.poll();
        }
    }

    /**
     * Those whose name has the text, in the order of their numbers. Where names follow from nodes, an answer looks at so many
     * tasks that its page may be short, or empty, though others follow.
     */
    public static Page<TaskState> search(
            Connection connection, Run run, Names names, String text, int limit, Optional<String> token)
            throws SQLException {
        long from = PageToken.read(token, 1).map(key -> key[0] + 1).orElse(0L);
        if (names.followNodes()) {
            return look(connection, run, names, text.toLowerCase(Locale.ROOT), limit, from);
        }
        List<TaskState> found = new ArrayList<>();
        names.search(text, from, task -> {
            one(connection, run.id(), task).ifPresent(found::add);
            return found.size() <= limit;
        });
        return found.size() <= limit ? new Page<>(found, Optional.empty()) : cut(found, limit);
    }

    private static Page<TaskState> look(
            Connection connection, Run run, Names names, String wanted, int limit, long from) throws SQLException {
        List<TaskState> found = new ArrayList<>();
        long next = from;
        for (int looked = 0; looked < LOOKED; looked += WINDOW) {
            List<TaskState> some = new ArrayList<>();
            merge(connection, run.id(), Optional.empty(), next, WINDOW, some);
            names.ahead(some);
            for (TaskState each : some) {
                if (names.of(each.task())
                        .filter(name -> name.toLowerCase(Locale.ROOT).contains(wanted))
                        .isPresent()) {
                    found.add(each);
                }
                if (found.size() > limit) {
                    return cut(found, limit);
                }
            }
            if (some.size() < WINDOW) {
                return new Page<>(found, Optional.empty());
            }
            next = row(some) + 1;
        }
        return new Page<>(found, Optional.of(PageToken.of(next - 1)));
    }

    private static Page<TaskState> cut(List<TaskState> found, int limit) {
        return new Page<>(
                found.subList(0, limit),
                Optional.of(PageToken.of(found.get(limit - 1).task())));
    }

    /** One task; absent where the record has nothing of it. */
    public static Optional<TaskState> one(Connection connection, long run, long task) throws SQLException {
        Optional<Pass> pass = PassCursor.find(connection, run, task);
        if (pass.isPresent()) {
            return pass.map(Tasks::pass);
        }
        return Rows.first(connection, COLUMNS + " AND task = ?", Tasks::state, run, task);
    }

    private static TaskState pass(Pass pass) {
        return TaskState.passed(pass.task(), pass.runMillis());
    }

    static TaskState state(ResultSet row) throws SQLException {
        return new TaskState(
                row.getLong("task"),
                TrialStatus.values()[row.getInt("status")],
                row.getInt("trials"),
                row.getInt("over") != 0,
                row.getLong("run_ms"),
                Rows.text(row, "reason"),
                Rows.number(row, "estimate_sec"));
    }
}
