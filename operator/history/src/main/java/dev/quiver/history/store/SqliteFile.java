package dev.quiver.history.store;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

import org.sqlite.SQLiteConfig;

/** A record's file as it lies there: opened to be read, neither checked nor migrated. Stateless. */
final class SqliteFile {

    private static final int BUSY_MILLIS = 5_000;

    private SqliteFile() {}

    /**
     * A connection that reads and has no transaction yet. The program may write the file meanwhile.
     *
     * @throws RefusedException when there is no such file, or no record in it
     * @throws SQLException when it is no database, or its folder cannot be written while its log is in use
     */
    static Connection open(Path file) throws SQLException, RefusedException {
        if (!Files.isRegularFile(file)) {
            throw new RefusedException(file + " is no file");
        }
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(BUSY_MILLIS);
        Connection connection = config.createConnection("jdbc:sqlite:" + file);
        try {
            long found = Rows.first(
                            connection,
                            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'"
                                    + " AND name IN ('runs', 'flyway_schema_history')",
                            row -> row.getLong(1))
                    .orElseThrow();
            if (found < 2) {
                throw new RefusedException(file + " has no record of runs");
            }
            return connection;
        } catch (SQLException | RuntimeException | RefusedException e) {
            connection.close();
            throw e;
        }
    }
}
