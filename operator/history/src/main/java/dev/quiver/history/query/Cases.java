package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.quiver.history.store.Rows;
import dev.quiver.history.store.TrialCopies;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.TrialStatus;

/** Cases of the report of a trial that did not pass, as many as are kept. Stateless. */
public final class Cases {

    private Cases() {}

    /**
     * One case.
     *
     * @param status failed, error or pending
     * @param runMillis 0 where the report does not say
     * @param message empty where the report has none
     */
    public record Case(String name, TrialStatus status, long runMillis, String message) {}

    /**
     * In the order of the record, which has failed ones first; none of a trial that had no report. A loss and a cancelled
     * trial have none: they share their number with the trial behind them.
     */
    public static List<Case> of(Connection connection, long run, Trial trial) throws SQLException {
        if (trial.copy() >= TrialCopies.FIRST_LOSS) {
            return List.of();
        }
        int first = trial.copy() * TrialCopies.CASES;
        return Rows.all(
                connection,
                "SELECT name, status, ms, message FROM cases WHERE run_id = ? AND task = ? AND trial = ?"
                        + " AND n >= ? AND n < ? ORDER BY n LIMIT "
                        + HistoryBounds.CASES,
                row -> new Case(
                        row.getString(1),
                        TrialStatus.values()[row.getInt(2)],
                        row.getLong(3),
                        Rows.text(row, "message").orElse("")),
                run,
                trial.task(),
                trial.trial(),
                first,
                first + TrialCopies.CASES);
    }
}
