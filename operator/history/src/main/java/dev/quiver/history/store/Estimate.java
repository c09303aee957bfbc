package dev.quiver.history.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import dev.quiver.lifecycle.history.TestNames;

/**
 * The rest of a run, by the times that its tests had in earlier runs of its class.
 *
 * @param known tasks that have not ended, and whose usual time is known
 * @param unknown tasks that have not ended, of which nothing is known: each counts as the mean of the known ones
 * @param workMillis usual time of all of them, one after another
 * @param longestMillis usual time of the longest one
 * @param slots of the workers that take part and have not left, each weighed by its worker's speed
 */
public record Estimate(long known, long unknown, long workMillis, long longestMillis, double slots) {

    /** Tests of a class that are looked at, and the first tasks of a run that may have a name among them. */
    private static final int MOST = TestNames.MOST;

    private static final double MICRO = 1e6;
    private static final double USUAL_SPEED = 1000;
    private static final Estimate NONE = new Estimate(0, 0, 0, 0, 0);

    /** How long it will take: the work spread over the slots, and no less than the longest task; absent: nobody knows. */
    public Optional<Long> leftMillis() {
        return known == 0 || slots <= 0
                ? Optional.empty()
                : Optional.of(Math.max(longestMillis, Math.round(workMillis / slots)));
    }

    /** As it is now; nothing is known of a run that is over, that has no class, or whose tasks have no names. */
    public static Estimate now(Connection connection, long run) throws SQLException {
        return of(connection, run, " AND status IS NULL", OptionalLong.empty());
    }

    /**
     * As it was at an instant, by what the class remembers now.
     *
     * @param instant milliseconds since 1970
     */
    static Estimate at(Connection connection, long run, long instant) throws SQLException {
        return of(connection, run, "", OptionalLong.of(instant));
    }

    /** The source of the names of a run's tests. */
    private record Source(String namespace, String hash, long tasks) {}

    private static Estimate of(Connection connection, long run, String condition, OptionalLong instant)
            throws SQLException {
        Optional<Source> found = Rows.first(
                connection,
                "SELECT namespace, source_hash, tasks FROM runs WHERE id = ? AND class_id IS NOT NULL"
                        + " AND source_hash IS NOT NULL" + condition,
                row -> new Source(row.getString(1), row.getString(2), row.getLong(3)),
                run);
        return found.isEmpty() ? NONE : of(connection, run, found.get(), instant);
    }

    private static Estimate of(Connection connection, long run, Source source, OptionalLong instant)
            throws SQLException {
        Map<Long, Double> usual = usual(connection, run);
        Ended ended = Ended.of(connection, run, instant);
        TestNames tests = new TestNames(MOST);
        long known = 0;
        long named = 0;
        double work = 0;
        double longest = 0;
        for (long first : blocks(connection, source)) {
            List<String> names = names(connection, source, first);
            for (int i = 0; i < names.size(); i++) {
                if (first + i >= MOST) {
                    break;
                }
                Double millis = usual.get(TestNames.hash(tests.next(names.get(i))));
                boolean left = !ended.tasks.get((int) first + i);
                named += left ? 1 : 0;
                if (left && millis != null) {
                    known++;
                    work += millis;
                    longest = Math.max(longest, millis);
                }
            }
        }
        long unknown = Math.max(named, source.tasks - ended.count()) - known;
        work += known == 0 ? 0 : work / known * unknown;
        return new Estimate(known, unknown, Math.round(work), Math.round(longest), slots(connection, run, instant));
    }

    /** The usual times, in milliseconds, by the hashes of the names. */
    private static Map<Long, Double> usual(Connection connection, long run) throws SQLException {
        Map<Long, Double> usual = new HashMap<>();
        Rows.all(
                connection,
                "SELECT name, log_mean FROM tests WHERE n > 0 AND class_id = (SELECT class_id FROM runs WHERE id = ?)"
                        + " LIMIT " + MOST,
                row -> usual.put(TestNames.hash(row.getString(1)), Math.exp(row.getDouble(2) / MICRO)),
                run);
        return usual;
    }

    /** Tasks that had ended. A further one counts twice where its record came twice. */
    private static final class Ended {

        private final BitSet tasks = new BitSet();
        private long further;

        static Ended of(Connection connection, long run, OptionalLong instant) throws SQLException {
            long until = instant.orElse(Long.MAX_VALUE);
            Ended ended = new Ended();
            PassCursor.each(
                    connection, run, (task, worker, slot, finishedAt, millis) -> ended.add(task, finishedAt <= until));
            Rows.all(
                    connection,
                    "SELECT task FROM tasks WHERE run_id = ? AND over = 1"
                            + (instant.isPresent()
                                    ? " AND NOT EXISTS (SELECT 1 FROM trials WHERE trials.run_id = tasks.run_id"
                                            + " AND trials.task = tasks.task AND trials.finished_at > " + until + ")"
                                    : ""),
                    row -> ended.add(row.getLong(1), true),
                    run);
            return ended;
        }

        private boolean add(long task, boolean over) {
            if (over && task < MOST) {
                tasks.set((int) task);
            } else if (over) {
                further++;
            }
            return over;
        }

        long count() {
            return tasks.cardinality() + further;
        }
    }

    private static List<Long> blocks(Connection connection, Source source) throws SQLException {
        return Rows.all(
                connection,
                "SELECT first_task FROM names WHERE namespace = ? AND source_hash = ? AND first_task < " + MOST
                        + " ORDER BY first_task",
                row -> row.getLong(1),
                source.namespace,
                source.hash);
    }

    private static List<String> names(Connection connection, Source source, long first) throws SQLException {
        return Rows.first(
                        connection,
                        "SELECT packed FROM names WHERE namespace = ? AND source_hash = ? AND first_task = ?",
                        row -> NameBlock.unpack(row.getBytes(1)),
                        source.namespace,
                        source.hash,
                        first)
                .orElse(List.of());
    }

    /** A worker takes part from its first pass on; before the run is sealed nobody knows that, and its joining counts. */
    private static double slots(Connection connection, long run, OptionalLong instant) throws SQLException {
        long then = instant.orElse(Long.MAX_VALUE);
        return Rows.first(
                                connection,
                                "SELECT SUM(w.slots * COALESCE(NULLIF(w.speed, 0), 1000)) FROM run_workers rw"
                                        + " JOIN workers w ON w.id = rw.worker_id WHERE rw.run_id = ?"
                                        + " AND (w.closed_at IS NULL OR w.closed_at > ?)"
                                        + " AND COALESCE(rw.first_at, w.opened_at, 0) <= ?",
                                row -> row.getDouble(1),
                                run,
                                then,
                                then)
                        .orElse(0.0)
                / USUAL_SPEED;
    }
}
