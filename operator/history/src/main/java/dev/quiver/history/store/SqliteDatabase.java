package dev.quiver.history.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** The record in one file. One connection writes, others read. A damaged file is set aside when it is opened. */
public final class SqliteDatabase implements Database {

    /** Bytes of a page. */
    static final int PAGE_BYTES = 8192;

    private static final Logger LOG = LoggerFactory.getLogger(SqliteDatabase.class);
    private static final int CACHE_KIB = 16 * 1024;
    private static final int VACUUM_PAGES = 4096;
    private static final List<String> PARTS = List.of("", "-wal", "-shm");

    private final HikariDataSource writer;
    private final HikariDataSource readers;
    private final Optional<String> setAside;

    private SqliteDatabase(HikariDataSource writer, HikariDataSource readers, Optional<String> setAside) {
        this.writer = writer;
        this.readers = readers;
        this.setAside = setAside;
    }

    /**
     * Opens the file, makes it where there is none, and migrates it.
     *
     * @throws SQLException when another process has it, or its folder cannot be written
     * @throws IOException when a damaged file cannot be renamed
     */
    public static SqliteDatabase open(SqliteSettings settings) throws SQLException, IOException {
        Optional<String> setAside = setAsideIfDamaged(settings.file());
        shape(settings.file());
        HikariDataSource writer = pool(settings, 1, false);
        try {
            Database.migrate(writer, "sqlite");
            HikariDataSource readers = pool(settings, settings.readers(), true);
            return new SqliteDatabase(writer, readers, setAside);
        } catch (RuntimeException e) {
            writer.close();
            throw e;
        }
    }

    /** Size of pages and kind of vacuum count before the first table only, and in this order. */
    private static void shape(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA page_size = " + PAGE_BYTES);
            statement.execute("PRAGMA auto_vacuum = INCREMENTAL");
            statement.execute("PRAGMA journal_mode = WAL");
        }
    }

    private static HikariDataSource pool(SqliteSettings settings, int size, boolean readOnly) {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(settings.busyMillis());
        config.setCacheSize(-CACHE_KIB);
        if (readOnly) {
            config.setReadOnly(true);
        } else {
            config.setJournalMode(SQLiteConfig.JournalMode.WAL);
            config.setSynchronous(SQLiteConfig.SynchronousMode.NORMAL);
            config.setPragma(SQLiteConfig.Pragma.SECURE_DELETE, "true");
            config.setMaxPageCount((int) Math.min(Integer.MAX_VALUE, settings.maxBytes() / PAGE_BYTES));
            // The driver begins the next transaction with each commit. An immediate one would hold the lock while idle.
            config.setTransactionMode(SQLiteConfig.TransactionMode.DEFERRED);
        }
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + settings.file());
        HikariConfig pool = new HikariConfig();
        pool.setPoolName("sqlite-" + (readOnly ? "read" : "write"));
        pool.setDataSource(source);
        pool.setMaximumPoolSize(size);
        pool.setMinimumIdle(readOnly ? 0 : 1);
        pool.setAutoCommit(false);
        pool.setReadOnly(readOnly);
        pool.setConnectionTimeout(Math.max(1_000, settings.busyMillis() * 2L));
        return new HikariDataSource(pool);
    }

    /** A file that SQLite cannot read goes under another name: the record begins anew, and no start fails for ever. */
    private static Optional<String> setAsideIfDamaged(Path file) throws IOException, SQLException {
        if (!Files.exists(file) || healthy(file)) {
            return Optional.empty();
        }
        String name = file.getFileName() + ".damaged-" + Clock.systemUTC().millis();
        for (String part : PARTS) {
            Path from = file.resolveSibling(file.getFileName() + part);
            if (Files.exists(from)) {
                Files.move(from, file.resolveSibling(name + part));
            }
        }
        LOG.error("{} is damaged; it was set aside as {}, and the record begins anew", file, name);
        return Optional.of(name);
    }

    private static boolean healthy(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("PRAGMA quick_check(1)")) {
            return found.next() && "ok".equals(found.getString(1));
        } catch (SQLException e) {
            if (kind(e) == Fault.DAMAGED) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public Connection writer() throws SQLException {
        return writer.getConnection();
    }

    @Override
    public void discard(Connection connection) {
        writer.evictConnection(connection);
        readers.evictConnection(connection);
    }

    @Override
    public Connection reader() throws SQLException {
        return readers.getConnection();
    }

    @Override
    public void write(Connection connection, Table table, List<Object[]> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement insert = connection.prepareStatement(table.insert())) {
            for (Object[] row : rows) {
                for (int i = 0; i < row.length; i++) {
                    Rows.bind(insert, i + 1, row[i], table.columns().get(i).type());
                }
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    @Override
    public boolean owns(Connection connection, String keyspace) {
        return true;
    }

    /** One connection writes. */
    @Override
    public void lock(Connection connection, String keyspace) {}

    @Override
    public double used(Connection connection) throws SQLException {
        double pages = pragma(connection, "page_count") - pragma(connection, "freelist_count");
        return pages / pragma(connection, "max_page_count");
    }

    private static long pragma(Connection connection, String name) throws SQLException {
        return Rows.first(connection, "PRAGMA " + name, row -> row.getLong(1)).orElse(0L);
    }

    @Override
    public Fault fault(SQLException failure) {
        return kind(failure);
    }

    private static Fault kind(SQLException failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof SQLiteException sqlite) {
                return kind(sqlite.getResultCode());
            }
        }
        return Fault.AWAY;
    }

    private static Fault kind(SQLiteErrorCode code) {
        return switch (SQLiteErrorCode.getErrorCode(code.code & 0xff)) {
            case SQLITE_FULL -> Fault.FULL;
            case SQLITE_CORRUPT, SQLITE_NOTADB -> Fault.DAMAGED;
            case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_ERROR -> Fault.CONTENT;
            default -> Fault.AWAY;
        };
    }

    @Override
    public void giveBack() throws SQLException {
        try (Connection connection = writer()) {
            connection.setAutoCommit(true);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA incremental_vacuum(" + VACUUM_PAGES + ")");
                // Pages of what was deleted stay in the log until it is emptied.
                statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
            } finally {
                connection.setAutoCommit(false);
            }
        }
    }

    @Override
    public Optional<String> setAside() {
        return setAside;
    }

    @Override
    public String product() {
        return "SQLite";
    }

    @Override
    public void close() {
        readers.close();
        writer.close();
    }
}
