package dev.quiver.history.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * How far estimates are off. The estimate of a run at half of its time is compared with the time that was really left.
 * {@code runs.eta_error_50} is the difference in thousandths of the estimate. It is 500 if the rest took half as long
 * again, and -500 if it took half of the estimate. Stateless.
 */
public final class EstimateError {

    /** The latest runs of a class whose errors are its usual one. */
    private static final int RUNS = 16;

    private static final double MILLE = 1000;
    private static final double MOST = 1e6;

    private EstimateError() {}

    /**
     * Writes the error of a run whose class does not remember it yet. A run that ended before its tasks has none: the
     * estimate is of all of them. Neither has one of which nothing was known at half of its time.
     */
    static void keep(Connection connection, long run) throws SQLException {
        Optional<long[]> times = Rows.first(
                connection,
                "SELECT started_at, finished_at FROM runs WHERE id = ? AND started_at < finished_at"
                        + " AND succeeded_count + pending_count + failed_count >= tasks",
                row -> new long[] {row.getLong(1), row.getLong(2)},
                run);
        if (times.isEmpty()) {
            return;
        }
        long finished = times.get()[1];
        long half = times.get()[0] + (finished - times.get()[0]) / 2;
        Optional<Long> estimated = Estimate.at(connection, run, half).leftMillis();
        if (estimated.isPresent()) {
            double error = MILLE * (finished - half - estimated.get()) / Math.max(1, estimated.get());
            Rows.change(
                    connection,
                    "UPDATE runs SET eta_error_50 = ? WHERE id = ?",
                    Math.round(Math.min(MOST, error)),
                    run);
        }
    }

    /** The usual error of the run's class, as a share of the estimate: half of its latest runs were off by no more. */
    public static Optional<Double> usual(Connection connection, long run) throws SQLException {
        return usual(connection, "(SELECT class_id FROM runs WHERE id = ?)", run);
    }

    /** The usual error of a class, as that of its runs. */
    public static Optional<Double> usual(Connection connection, ClassScope scope, String name) throws SQLException {
        return usual(connection, "(SELECT id FROM classes WHERE namespace = ? AND name = ?)", scope.stored(), name);
    }

    private static Optional<Double> usual(Connection connection, String ofClass, Object... values) throws SQLException {
        List<Long> errors = Rows.all(
                connection,
                "SELECT ABS(eta_error_50) FROM runs WHERE class_id = " + ofClass
                        + " AND eta_error_50 IS NOT NULL AND removed = 0 ORDER BY created_at DESC, id DESC LIMIT "
                        + RUNS,
                row -> row.getLong(1),
                values);
        return errors.stream().sorted().skip(errors.size() / 2).findFirst().map(error -> error / MILLE);
    }
}
