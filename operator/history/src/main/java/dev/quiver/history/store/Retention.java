package dev.quiver.history.store;

import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Removes runs that are older or more than a namespace keeps. Runs that ended go first. Where the whole is too
 * large, the namespace that uses most gives a run: a tenant that floods its own stream evicts nobody else.
 * Stateless.
 */
public final class Retention {

    /** Runs that one call removes at most, for each reason. */
    public static final int RUNS_AT_ONCE = 1000;

    /** No entry of a removed run comes later than this. */
    private static final int MARK_DAYS = 30;

    private static final long DAY_MILLIS = 86_400_000L;

    private final Database database;
    private final RunRemoval removal;
    private final Function<String, RetentionPolicy> policies;
    private final long maxBytes;
    private final Clock clock;

    /**
     * Retains the runs of that database.
     *
     * @param policies of each namespace by its name
     * @param maxBytes of all namespaces together
     */
    public Retention(Database database, Function<String, RetentionPolicy> policies, long maxBytes, Clock clock) {
        this.database = database;
        this.removal = new RunRemoval(database);
        this.policies = policies;
        this.maxBytes = maxBytes;
        this.clock = clock;
    }

    /**
     * Removes what is not to be kept, at most a thousand runs for each reason and namespace.
     *
     * @return how many runs went
     */
    public int sweep() throws SQLException {
        int removed = removeMarked();
        for (long run :
                ids("SELECT id FROM runs WHERE removed = 0 AND output_removed = " + RunRemoval.REMOVING_OUTPUT)) {
            removal.removeOutput(run);
        }
        database.change(connection -> Rows.change(
                connection, "DELETE FROM removed_runs WHERE removed_at < ?", clock.millis() - MARK_DAYS * DAY_MILLIS));
        for (String namespace : namespaces()) {
            removed += sweep(namespace, policies.apply(namespace));
        }
        while (bytes("SELECT COALESCE(SUM(bytes), 0) FROM runs WHERE removed = 0") > maxBytes && makeRoom()) {
            removed++;
        }
        return removed;
    }

    /**
     * Removes runs that somebody marked, or whose removal was cut off; at most a thousand.
     *
     * @return how many went
     */
    public int removeMarked() throws SQLException {
        List<Long> marked = ids("SELECT id FROM runs WHERE removed = 1");
        for (long run : marked) {
            removal.remove(run);
        }
        return marked.size();
    }

    private int sweep(String namespace, RetentionPolicy policy) throws SQLException {
        long now = clock.millis();
        List<Long> runs = new ArrayList<>(ids(
                "SELECT id FROM runs WHERE namespace = ? AND removed = 0 AND (finished_at < ?"
                        + " OR keep_days > 0 AND finished_at < ? - keep_days * " + DAY_MILLIS + ")",
                namespace,
                now - policy.age().toMillis(),
                now));
        runs.addAll(ids(
                "SELECT id FROM (SELECT id, finished_at, keep_runs, ROW_NUMBER() OVER (PARTITION BY class_id"
                        + " ORDER BY created_at DESC, id DESC) AS place FROM runs WHERE namespace = ? AND removed = 0"
                        + " AND class_id IS NOT NULL) AS placed WHERE finished_at IS NOT NULL AND (place > ?"
                        + " OR keep_runs > 0 AND place > keep_runs)",
                namespace,
                policy.runsOfClass()));
        int removed = 0;
        for (long run : runs.stream().distinct().toList()) {
            removal.remove(run);
            removed++;
        }
        for (long run : ids(
                "SELECT id FROM runs WHERE namespace = ? AND removed = 0 AND output_removed = 0 AND finished_at < ?",
                namespace,
                now - policy.outputAge().toMillis())) {
            removal.removeOutput(run);
        }
        return removed;
    }

    /**
     * Takes the oldest ended run from the namespace that uses most. If none of its runs has ended, its largest run
     * loses its output, or is forgotten if it has none. No other namespace loses anything for it.
     *
     * @return false where there is no run
     */
    public boolean makeRoom() throws SQLException {
        Optional<String> largest = database.ask(connection -> Rows.first(
                connection,
                "SELECT namespace FROM runs WHERE removed = 0 GROUP BY namespace ORDER BY SUM(bytes) DESC LIMIT 1",
                row -> row.getString(1)));
        if (largest.isEmpty() || removeOldest(largest.get())) {
            return largest.isPresent();
        }
        String open = "SELECT id FROM runs WHERE namespace = ? AND removed = 0";
        String first = " ORDER BY bytes DESC, id";
        List<Long> printed = ids(open + " AND output_removed = 0" + first, largest.get());
        if (!printed.isEmpty()) {
            removal.removeOutput(printed.getFirst());
            return true;
        }
        List<Long> silent = ids(open + first, largest.get());
        if (silent.isEmpty()) {
            return false;
        }
        removal.forget(silent.getFirst(), clock.millis());
        return true;
    }

    private boolean removeOldest(String namespace) throws SQLException {
        List<Long> oldest = ids(
                "SELECT id FROM runs WHERE namespace = ? AND removed = 0 AND finished_at IS NOT NULL"
                        + " ORDER BY finished_at, id",
                namespace);
        if (oldest.isEmpty()) {
            return false;
        }
        removal.remove(oldest.getFirst());
        return true;
    }

    private List<String> namespaces() throws SQLException {
        return database.ask(connection ->
                Rows.all(connection, "SELECT DISTINCT namespace FROM runs WHERE removed = 0", row -> row.getString(1)));
    }

    private List<Long> ids(String sql, Object... values) throws SQLException {
        return database.ask(
                connection -> Rows.all(connection, sql + " LIMIT " + RUNS_AT_ONCE, row -> row.getLong(1), values));
    }

    private long bytes(String sql) throws SQLException {
        return database.ask(connection -> Rows.first(connection, sql, row -> row.getLong(1)))
                .orElse(0L);
    }
}
