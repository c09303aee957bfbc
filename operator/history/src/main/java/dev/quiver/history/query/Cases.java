package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.quiver.history.store.Rows;
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

    /** In the order of the record, which has failed ones first; none of a trial that used none or had no report. */
    public static List<Case> of(Connection connection, long run, long task, int trial) throws SQLException {
        return Rows.all(
                connection,
                "SELECT name, status, ms, message FROM cases WHERE run_id = ? AND task = ? AND trial = ? ORDER BY n LIMIT "
                        + HistoryBounds.CASES,
                row -> new Case(
                        row.getString(1),
                        TrialStatus.values()[row.getInt(2)],
                        row.getLong(3),
                        Rows.text(row, "message").orElse("")),
                run,
                task,
                trial);
    }
}
