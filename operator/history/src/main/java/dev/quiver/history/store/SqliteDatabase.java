package dev.quiver.history.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

import dev.quiver.lifecycle.history.Shortage;

/**
 * The record in one file. One connection writes, others read. A damaged file is set aside when it is opened. A file
 * that is removed or replaced while it is open is noticed at the next use. The file that is at its place then is
 * opened; if there is none, a new one is made.
 */
public final class SqliteDatabase implements Database {

    /** Bytes of a page. */
    static final int PAGE_BYTES = 8192;

    private static final Logger LOG = LoggerFactory.getLogger(SqliteDatabase.class);
    private static final int WRITER_CACHE_KIB = 16 * 1024;
    private static final int READER_CACHE_KIB = 8 * 1024;
    private static final int VACUUM_PAGES = 4096;
    private static final long FIT_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final List<String> PARTS = List.of("", "-wal", "-shm");

    private final SqliteSettings settings;
    private final Threads threads;
    private volatile Opened opened;
    private volatile Optional<String> replaced = Optional.empty();
    private volatile Runnable told = () -> {};
    private volatile long fittedAt = System.nanoTime();
    /** The pools are closed, and those of what is there now could not be opened yet. */
    private volatile boolean broken;

    private boolean closed;

    /**
     * The pools of one file.
     *
     * @param key tells the file from another one of its name
     */
    private record Opened(HikariDataSource writer, HikariDataSource readers, Optional<String> setAside, Object key) {

        void close() {
            readers.close();
            writer.close();
        }
    }

    private SqliteDatabase(SqliteSettings settings, Opened opened) {
        this.settings = settings;
        this.opened = opened;
        threads = Threads.of(Math.max(1, settings.readers() - Threads.EXPORTS));
    }

    /**
     * Opens the file, makes it where there is none, and migrates it.
     *
     * @throws SQLException when another process has it, or its folder cannot be written
     * @throws IOException when a damaged file cannot be renamed
     */
    public static SqliteDatabase open(SqliteSettings settings) throws SQLException, IOException {
        return new SqliteDatabase(settings, opened(settings));
    }

    private static Opened opened(SqliteSettings settings) throws SQLException, IOException {
        Optional<String> setAside = setAsideIfDamaged(settings.file());
        shape(settings.file());
        HikariDataSource writer = pool(settings, 1, false);
        try {
            Database.migrate(writer, "sqlite");
            HikariDataSource readers = pool(settings, settings.readers(), true);
            return new Opened(writer, readers, setAside, key(settings.file()).orElseThrow());
        } catch (RuntimeException | IOException e) {
            writer.close();
            throw e;
        }
    }

    /** The key that tells a file from another one of its name; absent if there is no file. */
    private static Optional<Object> key(Path file) throws IOException {
        try {
            return Optional.of(
                    Files.readAttributes(file, BasicFileAttributes.class).fileKey());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** The pools of the file that is there now. */
    private Opened present() throws SQLException {
        Opened now = opened;
        try {
            return !broken && key(settings.file()).filter(now.key::equals).isPresent() ? now : reopened();
        } catch (IOException e) {
            throw new SQLException(settings.file() + " cannot be looked at: " + e.getMessage(), e);
        }
    }

    private synchronized Opened reopened() throws SQLException, IOException {
        Optional<Object> key = key(settings.file());
        boolean same = key.filter(opened.key::equals).isPresent();
        if (closed || same && !broken) {
            return opened;
        }
        broken = true;
        opened.close();
        if (!same) {
            setLogsAside();
        }
        opened = opened(settings);
        broken = false;
        if (!same) {
            replaced = Optional.of(settings.file() + words(key.isPresent(), opened.setAside.isPresent()));
            LOG.error("{}", replaced.get());
            told.run();
        }
        return opened;
    }

    private static String words(boolean present, boolean damaged) {
        if (!present) {
            return " was removed while it was open; the record begins anew";
        }
        return damaged
                ? " was replaced by a damaged file while it was open; the record begins anew"
                : " was replaced while it was open; the record is what the new file has";
    }

    /** The log of a file that is gone belongs to no other one. */
    private void setLogsAside() throws IOException {
        String name =
                settings.file().getFileName() + ".replaced-" + Clock.systemUTC().millis();
        for (String part : PARTS.subList(1, PARTS.size())) {
            Path log = settings.file().resolveSibling(settings.file().getFileName() + part);
            if (Files.exists(log)) {
                Files.move(log, log.resolveSibling(name + part));
            }
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

    private static HikariDataSource pool(SqliteSettings settings, int size, boolean readOnly) throws IOException {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(settings.busyMillis());
        config.setCacheSize(readOnly ? -READER_CACHE_KIB : -WRITER_CACHE_KIB);
        if (readOnly) {
            config.setReadOnly(true);
        } else {
            config.setJournalMode(SQLiteConfig.JournalMode.WAL);
            config.setSynchronous(SQLiteConfig.SynchronousMode.NORMAL);
            config.setPragma(SQLiteConfig.Pragma.SECURE_DELETE, "true");
            config.setMaxPageCount(pages(settings.bound()));
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
    public Threads threads() {
        return threads;
    }

    private static int pages(long bytes) {
        return (int) Math.min(Integer.MAX_VALUE, bytes / PAGE_BYTES);
    }

    @Override
    public Connection writer() throws SQLException {
        Connection connection = present().writer.getConnection();
        long now = System.nanoTime();
        if (now - fittedAt >= FIT_NANOS) {
            fit(connection);
            fittedAt = now;
        }
        return connection;
    }

    /** Others write to the volume, too: what it has room for changes. */
    private void fit(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA max_page_count = " + pages(settings.bound()));
        } catch (SQLException e) {
            connection.close();
            throw e;
        } catch (IOException e) {
            LOG.debug("the volume of {} cannot be looked at: {}", settings.file(), e.getMessage());
        }
    }

    @Override
    public void discard(Connection connection) {
        opened.writer.evictConnection(connection);
        opened.readers.evictConnection(connection);
    }

    @Override
    public Connection reader() throws SQLException {
        return present().readers.getConnection();
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
    public Room room(Connection connection) throws SQLException {
        long page = pragma(connection, "page_size");
        long used = pragma(connection, "page_count") - pragma(connection, "freelist_count");
        return new Room(used * page, pragma(connection, "max_page_count") * page);
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
    public Optional<Shortage> shortage(long wanted) {
        try {
            long least = Math.min(wanted, settings.maxBytes());
            long room = settings.room();
            return room >= least ? Optional.empty() : Optional.of(new Shortage(least, room));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<String> setAside() {
        return opened.setAside;
    }

    @Override
    public void onReplaced(Runnable told) {
        this.told = told;
    }

    @Override
    public Optional<String> replaced() {
        return replaced;
    }

    @Override
    public String product() {
        return "SQLite";
    }

    @Override
    public synchronized void close() {
        closed = true;
        threads.close();
        opened.close();
    }
}
