package dev.quiver.history.store;

import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.postgresql.PGConnection;

/** The record in PostgreSQL: several processes may write it. */
public final class PostgresDatabase implements Database {

    private static final int CONNECTIONS = 10;
    /** Connections for work other than requests: of the persister, and of the looks at runs. */
    private static final int OTHERS = 2;

    private static final int WAIT_MILLIS = 10_000;
    /** Fewer rows than this are inserted one by one: COPY costs three round trips. */
    private static final int COPY_FROM = 8;

    private static final int LOCK_SPACE = 0x71756976;

    private final HikariDataSource pool;
    private final Threads threads = Threads.of(CONNECTIONS - Threads.EXPORTS - Threads.WRITING - OTHERS);

    private PostgresDatabase(HikariDataSource pool) {
        this.pool = pool;
    }

    /**
     * Connects and migrates.
     *
     * @param url {@code jdbc:postgresql://host/database}
     * @param user may make tables in the database's default schema
     * @param password of the user, may be empty
     * @throws RuntimeException when it does not answer
     */
    public static PostgresDatabase open(String url, String user, String password) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("postgresql");
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(1);
        config.setAutoCommit(false);
        config.setConnectionTimeout(WAIT_MILLIS);
        config.addDataSourceProperty("socketTimeout", "60");
        config.addDataSourceProperty("connectTimeout", "10");
        config.addDataSourceProperty("tcpKeepAlive", "true");
        config.addDataSourceProperty("ApplicationName", "quiver-history");
        HikariDataSource pool = new HikariDataSource(config);
        try {
            Database.migrate(pool, "postgresql");
            return new PostgresDatabase(pool);
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    @Override
    public Threads threads() {
        return threads;
    }

    @Override
    public Connection writer() throws SQLException {
        return pool.getConnection();
    }

    @Override
    public void discard(Connection connection) {
        pool.evictConnection(connection);
    }

    @Override
    public Connection reader() throws SQLException {
        Connection connection = pool.getConnection();
        try {
            connection.setReadOnly(true);
            // An export asks many times, and what is sealed or removed meanwhile must not show.
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public void write(Connection connection, Table table, List<Object[]> rows) throws SQLException {
        if (rows.size() < COPY_FROM) {
            insert(connection, table, rows);
        } else {
            copy(connection, table, rows);
        }
    }

    private static void insert(Connection connection, Table table, List<Object[]> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (var insert = connection.prepareStatement(table.insert())) {
            for (Object[] row : rows) {
                for (int i = 0; i < row.length; i++) {
                    Rows.bind(insert, i + 1, row[i], table.columns().get(i).type());
                }
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** COPY knows no ON CONFLICT. */
    private static void copy(Connection connection, Table table, List<Object[]> rows) throws SQLException {
        String names = table.columnNames();
        try (Statement statement = connection.createStatement()) {
            // Only the columns that come: the others have no value here, not even a default.
            statement.execute("CREATE TEMPORARY TABLE stage ON COMMIT DROP AS SELECT " + names + " FROM " + table.name()
                    + " LIMIT 0");
            try {
                connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyIn("COPY stage (" + names + ") FROM STDIN", new StringReader(text(rows)));
            } catch (IOException e) {
                throw new SQLException("COPY was cut off", "08006", e);
            }
            statement.execute("INSERT INTO " + table.name() + " (" + names + ") SELECT " + names + " FROM stage"
                    + table.conflict());
            statement.execute("DROP TABLE stage");
        }
    }

    private static String text(List<Object[]> rows) {
        StringBuilder text = new StringBuilder(rows.size() * 128);
        rows.forEach(row -> append(text, row));
        return text.toString();
    }

    /** A row as COPY reads it. */
    static void append(StringBuilder text, Object[] row) {
        for (int i = 0; i < row.length; i++) {
            if (i > 0) {
                text.append('\t');
            }
            append(text, row[i]);
        }
        text.append('\n');
    }

    private static void append(StringBuilder text, Object value) {
        switch (value) {
            case null -> text.append("\\N");
            case Double fraction -> text.append(fraction.doubleValue());
            case Number number -> text.append(number.longValue());
            case byte[] bytes -> text.append("\\\\x").append(HexFormat.of().formatHex(bytes));
            default -> escape(text, Rows.clean(value.toString()));
        }
    }

    private static void escape(StringBuilder text, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> text.append("\\\\");
                case '\t' -> text.append("\\t");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                default -> text.append(c);
            }
        }
    }

    @Override
    public boolean owns(Connection connection, String keyspace) throws SQLException {
        return Rows.first(
                        connection,
                        "SELECT pg_try_advisory_xact_lock(" + LOCK_SPACE + ", hashtext(?))",
                        row -> row.getBoolean(1),
                        keyspace)
                .orElse(false);
    }

    @Override
    public void lock(Connection connection, String keyspace) throws SQLException {
        Rows.first(
                connection,
                "SELECT pg_advisory_xact_lock(" + LOCK_SPACE + ", hashtext(?))",
                row -> row.getString(1),
                keyspace);
    }

    /** A server elsewhere: nobody here sees its volume. */
    @Override
    public Room room(Connection connection) {
        return Room.UNKNOWN;
    }

    /** By the class of the SQLSTATE. */
    @Override
    public Fault fault(SQLException failure) {
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        if (state.startsWith("53")) {
            return state.equals("53100") ? Fault.FULL : Fault.AWAY;
        }
        if (state.startsWith("XX001") || state.startsWith("XX002")) {
            return Fault.DAMAGED;
        }
        return state.startsWith("22") || state.startsWith("23") || state.startsWith("21") || state.equals("P0001")
                ? Fault.CONTENT
                : Fault.AWAY;
    }

    /** PostgreSQL does it by itself. */
    @Override
    public void giveBack() {}

    @Override
    public Optional<String> setAside() {
        return Optional.empty();
    }

    @Override
    public String product() {
        return "PostgreSQL";
    }

    @Override
    public void close() {
        threads.close();
        pool.close();
    }
}
