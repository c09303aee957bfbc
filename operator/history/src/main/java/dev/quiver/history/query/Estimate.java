package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.history.store.NameBlock;
import dev.quiver.history.store.PassCursor;
import dev.quiver.history.store.Rows;

/**
 * What is left of a run that goes on, by the times that its tests had in earlier runs of its class.
 *
 * @param known tasks that have not ended, and whose usual time is known
 * @param unknown tasks that have not ended, of which nothing is known: each counts as the mean of the known ones
 * @param workMillis usual time of all of them, one after another
 * @param longestMillis usual time of the longest one
 * @param slots of the workers that take part and have not left, each weighed by its worker's speed
 */
public record Estimate(long known, long unknown, long workMillis, long longestMillis, double slots) {

    /** Tests of a class, and tasks of a run, that are looked at. */
    private static final int MOST = 1 << 18;

    private static final int CAPACITY = 1 << 14;
    private static final double MICRO = 1e6;
    private static final double USUAL_SPEED = 1000;
    private static final Estimate NONE = new Estimate(0, 0, 0, 0, 0);

    /** How long it will take: the work spread over the slots, and no less than the longest task; absent: nobody knows. */
    public Optional<Long> leftMillis() {
        return known == 0 || slots <= 0
                ? Optional.empty()
                : Optional.of(Math.max(longestMillis, Math.round(workMillis / slots)));
    }

    /** Of a run; nothing is known of one that is over, that has no class, or whose tasks have no names. */
    public static Estimate of(Connection connection, Run run) throws SQLException {
        if (run.status().isPresent()
                || run.runClass().isEmpty()
                || run.sourceHash().isEmpty()) {
            return NONE;
        }
        Map<Long, Long> usual = usual(connection, run.id());
        BitSet ended = ended(connection, run.id());
        Map<Long, Integer> seen = new HashMap<>();
        long known = 0;
        long named = 0;
        long work = 0;
        long longest = 0;
        for (long first : blocks(connection, run)) {
            List<String> names = names(connection, run, first);
            for (int i = 0; i < names.size(); i++) {
                String name = names.get(i);
                int times = seen.merge(NameBlock.hash(name), 1, Integer::sum);
                Long millis = usual.get(NameBlock.hash(Rows.clean(times == 1 ? name : name + "#" + times)));
                boolean left = first + i < MOST && !ended.get((int) first + i);
                named += left ? 1 : 0;
                if (left && millis != null) {
                    known++;
                    work += millis;
                    longest = Math.max(longest, millis);
                }
            }
        }
        long unknown = Math.max(named, run.tasks().orElse(0L) - ended.cardinality()) - known;
        long more = known == 0 ? 0 : work / known * unknown;
        return new Estimate(known, unknown, work + more, longest, slots(connection, run.id()));
    }

    /** The usual times by the hashes of the names. */
    private static Map<Long, Long> usual(Connection connection, long run) throws SQLException {
        Map<Long, Long> usual = new HashMap<>();
        Rows.all(
                connection,
                "SELECT name, log_mean FROM tests WHERE n > 0 AND class_id = (SELECT class_id FROM runs WHERE id = ?)"
                        + " LIMIT " + MOST,
                row -> usual.put(NameBlock.hash(row.getString(1)), Math.round(Math.exp(row.getDouble(2) / MICRO))),
                run);
        return usual;
    }

    private static BitSet ended(Connection connection, long run) throws SQLException {
        BitSet ended = new BitSet();
        PassCursor passes = new PassCursor(connection, run, 0, CAPACITY);
        while (passes.next() && passes.pass().task() < MOST) {
            ended.set((int) passes.pass().task());
        }
        Rows.all(
                connection,
                "SELECT task FROM tasks WHERE run_id = ? AND over = 1 AND task < " + MOST,
                row -> {
                    ended.set(row.getInt(1));
                    return 0;
                },
                run);
        return ended;
    }

    private static List<Long> blocks(Connection connection, Run run) throws SQLException {
        return Rows.all(
                connection,
                "SELECT first_task FROM names WHERE namespace = ? AND source_hash = ? AND first_task < " + MOST
                        + " ORDER BY first_task",
                row -> row.getLong(1),
                run.namespace(),
                run.sourceHash().orElseThrow());
    }

    private static List<String> names(Connection connection, Run run, long first) throws SQLException {
        return Rows.first(
                        connection,
                        "SELECT packed FROM names WHERE namespace = ? AND source_hash = ? AND first_task = ?",
                        row -> NameBlock.unpack(row.getBytes(1)),
                        run.namespace(),
                        run.sourceHash().orElseThrow(),
                        first)
                .orElse(List.of());
    }

    private static double slots(Connection connection, long run) throws SQLException {
        return Rows.first(
                                connection,
                                "SELECT SUM(w.slots * COALESCE(NULLIF(w.speed, 0), 1000)) FROM run_workers rw"
                                        + " JOIN workers w ON w.id = rw.worker_id WHERE rw.run_id = ? AND w.closed_at IS NULL",
                                row -> row.getDouble(1),
                                run)
                        .orElse(0.0)
                / USUAL_SPEED;
    }
}
