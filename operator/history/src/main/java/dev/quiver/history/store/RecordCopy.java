package dev.quiver.history.store;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.postgresql.Driver;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * The record of a SQLite file, moved into an empty PostgreSQL database. The file is read as it was at one moment.
 * PostgreSQL takes all of it in one transaction: a copy that was cut off leaves nothing, and is begun anew.
 */
public final class RecordCopy {

    private static final String SCHEME = "jdbc:postgresql://";
    private static final int PAGE_BYTES = 1 << 20;

    private final Path file;
    private final Progress progress;

    /** Takes the count of each table. */
    @FunctionalInterface
    public interface Progress {

        /** The rows of that table are written, and not committed yet. */
        void table(String name, long rows);
    }

    /**
     * From that file.
     *
     * @param file of the program, or a backup of it; it is only read
     */
    public RecordCopy(Path file, Progress progress) {
        this.file = file;
        this.progress = progress;
    }

    /**
     * Migrates the database and fills it. Its record's ids stay, and those of later rows are behind them.
     *
     * @param url {@code jdbc:postgresql://host/database}
     * @param user may make tables in the database's default schema
     * @param password of the user, may be empty
     * @return rows of all tables
     * @throws RefusedException when the address makes no sense, the database is not empty, or the file is of a newer
     *     program
     * @throws RuntimeException when the database does not answer
     */
    public long to(String url, String user, String password) throws RefusedException, SQLException {
        // The driver's own message would have the whole address, with a password that may be in it.
        if (!url.startsWith(SCHEME) || !new Driver().acceptsURL(url)) {
            throw new RefusedException("no address of a PostgreSQL database: " + url.replaceFirst("\\?.*", ""));
        }
        try (Connection from = SqliteFile.open(file);
                PostgresDatabase database = PostgresDatabase.open(url, user, password);
                Connection to = database.writer()) {
            from.setAutoCommit(false);
            // A count of a large table takes longer than an answer of the API may. TCP notices a host that is gone.
            to.setNetworkTimeout(Runnable::run, 0);
            try {
                long rows = copy(from, to);
                to.commit();
                return rows;
            } catch (SQLException | RuntimeException | RefusedException e) {
                database.discard(to);
                throw e;
            } finally {
                from.rollback();
            }
        }
    }

    private long copy(Connection from, Connection to) throws SQLException, RefusedException {
        Map<String, Map<String, Table.Type>> known = tables(to);
        requireEmpty(to, known.keySet());
        Map<String, Long> counts = new LinkedHashMap<>();
        for (String table : tablesOfFile(from)) {
            List<Table.Column> columns = columns(from, table, known.getOrDefault(table, Map.of()));
            counts.put(table, copy(from, to, table, columns));
            progress.table(table, counts.get(table));
        }
        for (Map.Entry<String, Long> count : counts.entrySet()) {
            long written = count(to, count.getKey());
            if (written != count.getValue()) {
                throw new RefusedException("table " + count.getKey() + " has " + written + " rows and not the "
                        + count.getValue() + " of " + file + ": nothing was kept");
            }
        }
        continueIds(from, to);
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The record's tables and columns, as the migrations of this program made them. */
    private static Map<String, Map<String, Table.Type>> tables(Connection to) throws SQLException {
        Map<String, Map<String, Table.Type>> tables = new LinkedHashMap<>();
        Rows.all(
                to,
                "SELECT table_name, column_name, data_type FROM information_schema.columns JOIN"
                        + " information_schema.tables USING (table_schema, table_name)"
                        + " WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
                        + " AND table_name <> 'flyway_schema_history' ORDER BY table_name",
                row -> tables.computeIfAbsent(row.getString(1), name -> new HashMap<>())
                        .put(row.getString(2), type(row.getString(3))));
        return tables;
    }

    private static Table.Type type(String word) {
        return switch (word) {
            case "text" -> Table.Type.TEXT;
            case "bytea" -> Table.Type.BYTES;
            case "double precision" -> Table.Type.FRACTION;
            default -> Table.Type.NUMBER;
        };
    }

    /**
     * No other program writes between this check and the commit. A program that tries waits, and its entries stay in
     * Redis.
     */
    private static void requireEmpty(Connection to, Iterable<String> tables) throws SQLException, RefusedException {
        for (String table : tables) {
            try (Statement lock = to.createStatement()) {
                lock.execute("LOCK TABLE " + table + " IN EXCLUSIVE MODE");
            }
            if (Rows.first(to, "SELECT 1 FROM " + table + " LIMIT 1", row -> 1).isPresent()) {
                throw new RefusedException("the database is not empty: its table " + table + " has rows");
            }
        }
    }

    private static List<String> tablesOfFile(Connection from) throws SQLException {
        return Rows.all(
                from,
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                        + " AND name <> 'flyway_schema_history' ORDER BY name",
                row -> row.getString(1));
    }

    /** An older file has fewer columns: the others get what the migration gave to older rows. */
    private List<Table.Column> columns(Connection from, String table, Map<String, Table.Type> known)
            throws SQLException, RefusedException {
        List<Table.Column> columns = new ArrayList<>();
        for (String name :
                Rows.all(from, "SELECT name FROM pragma_table_info(?) ORDER BY cid", row -> row.getString(1), table)) {
            if (!known.containsKey(name)) {
                throw new RefusedException(
                        file + " is of a newer program: column " + name + " of table " + table + " is not known here");
            }
            columns.add(new Table.Column(name, known.get(name)));
        }
        return columns;
    }

    private static long copy(Connection from, Connection to, String table, List<Table.Column> columns)
            throws SQLException {
        String names =
                String.join(", ", columns.stream().map(Table.Column::name).toList());
        try (PreparedStatement select = from.prepareStatement("SELECT " + names + " FROM " + table);
                ResultSet rows = select.executeQuery()) {
            CopyIn copy =
                    to.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY " + table + " (" + names + ") FROM STDIN");
            try {
                return send(rows, columns, copy);
            } catch (SQLException | RuntimeException e) {
                end(copy, e);
                throw e;
            }
        }
    }

    /** The driver would wait for the end of COPY for ever when the connection is closed. */
    private static void end(CopyIn copy, Exception why) {
        try {
            if (copy.isActive()) {
                copy.cancelCopy();
            }
        } catch (SQLException e) {
            why.addSuppressed(e);
        }
    }

    private static long send(ResultSet rows, List<Table.Column> columns, CopyIn copy) throws SQLException {
        StringBuilder page = new StringBuilder();
        long count = 0;
        while (rows.next()) {
            PostgresDatabase.append(page, row(rows, columns));
            count++;
            if (page.length() >= PAGE_BYTES) {
                send(copy, page);
            }
        }
        send(copy, page);
        copy.endCopy();
        return count;
    }

    private static void send(CopyIn copy, StringBuilder page) throws SQLException {
        byte[] bytes = page.toString().getBytes(StandardCharsets.UTF_8);
        copy.writeToCopy(bytes, 0, bytes.length);
        page.setLength(0);
    }

    private static Object[] row(ResultSet rows, List<Table.Column> columns) throws SQLException {
        Object[] row = new Object[columns.size()];
        for (int i = 0; i < row.length; i++) {
            Object value = switch (columns.get(i).type()) {
                case NUMBER -> rows.getLong(i + 1);
                case FRACTION -> rows.getDouble(i + 1);
                case TEXT -> rows.getString(i + 1);
                case BYTES -> rows.getBytes(i + 1);
            };
            row[i] = rows.wasNull() ? null : value;
        }
        return row;
    }

    private static long count(Connection to, String table) throws SQLException {
        return Rows.first(to, "SELECT COUNT(*) FROM " + table, row -> row.getLong(1))
                .orElseThrow();
    }

    /** An id that a removed row had is not given again: a page's token may have it. */
    private static void continueIds(Connection from, Connection to) throws SQLException {
        for (String table : Rows.all(
                to,
                "SELECT table_name FROM information_schema.columns WHERE table_schema = current_schema()"
                        + " AND column_name = 'id' AND is_identity = 'YES'",
                row -> row.getString(1))) {
            long last = Rows.first(from, "SELECT seq FROM sqlite_sequence WHERE name = ?", row -> row.getLong(1), table)
                    .orElse(0L);
            Rows.first(
                    to,
                    "SELECT setval(pg_get_serial_sequence('" + table + "', 'id'), highest)"
                            + " FROM (SELECT GREATEST(?, MAX(id)) AS highest FROM " + table + ") AS ids"
                            + " WHERE highest > 0",
                    row -> row.getLong(1),
                    last);
        }
    }
}
