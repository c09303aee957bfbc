package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.history.store.PassCursor;
import dev.quiver.history.store.Rows;

/** Trials of one task. Stateless. */
public final class Trials {

    /** Rows of one task that are looked at: only forged ones are more. */
    static final int MOST = 1000;

    private Trials() {}

    /** All trials of a task, in the order of their numbers; none where the record has none. */
    public static List<Trial> of(Connection connection, long run, long task) throws SQLException {
        List<Trial> trials = new ArrayList<>(Rows.all(
                connection,
                "SELECT " + Trial.COLUMNS
                        + " FROM trials WHERE run_id = ? AND task = ? ORDER BY trial, finished_at, copy LIMIT " + MOST,
                Trial::of,
                run,
                task));
        PassCursor.find(connection, run, task).map(Trial::of).ifPresent(trials::add);
        return trials;
    }

    /**
     * One trial.
     *
     * @param copy absent: the one that used the trial, or else a loss
     */
    public static Optional<Trial> of(Connection connection, long run, long task, int number, Optional<Integer> copy)
            throws SQLException {
        return of(connection, run, task).stream()
                .filter(trial -> trial.trial() == number)
                .filter(trial -> copy.isEmpty() || trial.copy() == copy.get())
                .min(java.util.Comparator.comparingInt(Trial::copy));
    }
}
