package dev.quiver.history.store;

import java.sql.Connection;
import java.sql.SQLException;

/** A text of a run that follows from its record and is stored with it. */
@FunctionalInterface
public interface RunText {

    /**
     * Makes the text.
     *
     * @param run its id in the database
     * @return the text as raw deflate; empty for none
     */
    byte[] of(Connection connection, long run) throws SQLException;
}
