package dev.quiver.history.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import org.flywaydb.core.Flyway;

import dev.quiver.lifecycle.history.Shortage;

/**
 * A database with the record's tables. One of {@link SqliteDatabase} and {@link PostgresDatabase}. Thread-safe; a
 * connection belongs to the thread that asked for it, and is closed by it.
 */
public sealed interface Database extends AutoCloseable permits SqliteDatabase, PostgresDatabase {

    /** Work with a connection. */
    @FunctionalInterface
    interface Work<T> {

        /** Asks or changes; commits nothing. */
        T with(Connection connection) throws SQLException;
    }

    /** A connection that writes, without auto-commit. With SQLite there is one: others wait for it. */
    Connection writer() throws SQLException;

    /** A connection that reads, within a transaction that is only read. */
    Connection reader() throws SQLException;

    /** Closes a connection for good: its transaction is in a state that nobody knows. */
    void discard(Connection connection);

    /** The threads on which the database works for virtual ones. */
    Threads threads();

    /** Threads that read, change and export: together no more than there are connections. */
    record Threads(DatabaseThreads reading, DatabaseThreads writing, DatabaseThreads exporting)
            implements AutoCloseable {

        /** Exports at a time: each has a connection for as long as its caller takes it. */
        public static final int EXPORTS = 2;

        /** Changes of requests at a time. */
        static final int WRITING = 2;

        static Threads of(int readers) {
            return new Threads(
                    new DatabaseThreads("read", readers),
                    new DatabaseThreads("write", WRITING),
                    new DatabaseThreads("export", EXPORTS));
        }

        @Override
        public void close() {
            reading.close();
            writing.close();
            exporting.close();
        }
    }

    /** Changes within a transaction, and commits it; a failure takes all of it back. */
    default <T> T change(Work<T> work) throws SQLException {
        return threads().writing.call(() -> changed(work));
    }

    private <T> T changed(Work<T> work) throws SQLException {
        try (Connection connection = writer()) {
            try {
                T done = work.with(connection);
                connection.commit();
                return done;
            } catch (SQLException | RuntimeException e) {
                try {
                    connection.rollback();
                } catch (SQLException gone) {
                    // A database that is full or broken has ended the transaction itself.
                    e.addSuppressed(gone);
                    discard(connection);
                }
                throw e;
            }
        }
    }

    /** Asks within one transaction, so that all answers are of one time. */
    default <T> T ask(Work<T> work) throws SQLException {
        return threads().reading.call(() -> asked(work));
    }

    private <T> T asked(Work<T> work) throws SQLException {
        try (Connection connection = reader()) {
            try {
                return work.with(connection);
            } finally {
                connection.rollback();
            }
        }
    }

    /** Writes rows into a table, as its key decides. Every row has the table's columns; no two have the same key. */
    void write(Connection connection, Table table, List<Object[]> rows) throws SQLException;

    /**
     * Whether this transaction may write the record of a keyspace: false while another process does.
     *
     * @param keyspace its prefix
     */
    boolean owns(Connection connection, String keyspace) throws SQLException;

    /**
     * Waits until no other transaction that owns the keyspace is open; those that come later wait for this one.
     *
     * @param keyspace its prefix
     */
    void lock(Connection connection, String keyspace) throws SQLException;

    /**
     * The room of a record, in bytes.
     *
     * @param used of it
     * @param most how much there is; {@link Long#MAX_VALUE} where nobody knows
     */
    record Room(long used, long most) {

        /** Room that nobody knows. */
        static final Room UNKNOWN = new Room(0, Long.MAX_VALUE);
    }

    /**
     * The room of its volume.
     *
     * @param connection that writes
     */
    Room room(Connection connection) throws SQLException;

    /**
     * Words with both figures, where the volume has less room than the record is to have; absent where it has enough, and
     * where nobody knows.
     *
     * @param wanted bytes that the record may take
     */
    default Optional<Shortage> shortage(long wanted) {
        return Optional.empty();
    }

    /** The kind of a failure. */
    Fault fault(SQLException failure);

    /** Gives room back after a deletion, as far as that is not done by itself. */
    void giveBack() throws SQLException;

    /** The name under which a damaged file was set aside when this database was opened. */
    Optional<String> setAside();

    /**
     * Calls it each time that a file was removed or replaced while it was open, once what is there now is opened. {@link
     * #replaced} has the words then, and {@link #setAside} those of a file that is damaged.
     *
     * @param told called by the thread that noticed it, which waits for it
     */
    default void onReplaced(Runnable told) {}

    /** Words about a file that was removed or replaced while it was open. */
    default Optional<String> replaced() {
        return Optional.empty();
    }

    /** Name of the database for people. */
    String product();

    @Override
    void close();

    /**
     * Brings the tables to the version of this program. A newer version stays as it is: a program that was rolled back
     * runs on it.
     */
    static void migrate(javax.sql.DataSource source, String product) {
        Flyway.configure()
                .dataSource(source)
                .locations("classpath:dev/quiver/history/store/migration/" + product)
                .ignoreMigrationPatterns("*:future")
                .load()
                .migrate();
    }
}
