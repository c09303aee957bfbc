package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.history.store.PassCursor;
import dev.quiver.history.store.Rows;

/**
 * Goes over all trials of a run, a task at a time, in the order of the tasks: rows and packed passes together. Memory
 * does not grow with the run. Used by one thread; close it before its connection.
 */
public final class TrialCursor implements AutoCloseable {

    private static final int WINDOW = 1 << 14;
    private static final int FETCHED = 200;

    private final PassCursor passes;
    private final PreparedStatement statement;
    private final ResultSet rows;
    private boolean morePasses;
    private boolean moreRows;

    /** Before the first task from that one on. */
    public TrialCursor(Connection connection, long run, long from) throws SQLException {
        passes = new PassCursor(connection, run, from, WINDOW);
        statement = connection.prepareStatement("SELECT " + Trial.COLUMNS
                + " FROM trials WHERE run_id = ? AND task >= ? ORDER BY task, trial, finished_at, copy");
        try {
            Rows.bind(statement, run, from);
            statement.setFetchSize(FETCHED);
            rows = statement.executeQuery();
            moreRows = rows.next();
            morePasses = passes.next();
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }

    /**
     * The trials of the next task, at least one and at most {@link Trials#MOST}, in the order of their numbers; absent behind
     * the last.
     */
    public Optional<List<Trial>> next() throws SQLException {
        if (!moreRows && !morePasses) {
            return Optional.empty();
        }
        long row = moreRows ? rows.getLong("task") : Long.MAX_VALUE;
        long task = morePasses ? Math.min(row, passes.pass().task()) : row;
        List<Trial> trials = new ArrayList<>();
        while (moreRows && rows.getLong("task") == task) {
            if (trials.size() < Trials.MOST) {
                trials.add(Trial.of(rows));
            }
            moreRows = rows.next();
        }
        if (morePasses && passes.pass().task() == task) {
            // A pass at the first trial comes behind losses, which have used none.
            trials.add(Trial.of(passes.pass()));
            morePasses = passes.next();
        }
        return Optional.of(trials);
    }

    @Override
    public void close() throws SQLException {
        rows.close();
        statement.close();
    }
}
