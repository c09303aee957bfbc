package dev.quiver.history.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.history.TestNames;

/** Binds values to statements and reads them back. Stateless. */
public final class Rows {

    private Rows() {}

    /** Reads one row of a result. */
    @FunctionalInterface
    public interface Reading<T> {

        /** The row on which the result stands. */
        T read(ResultSet row) throws SQLException;
    }

    static void bind(PreparedStatement statement, int at, Object value, Table.Type type) throws SQLException {
        switch (value) {
            case null -> statement.setNull(at, type.jdbc);
            case Number number -> statement.setLong(at, number.longValue());
            case byte[] bytes -> statement.setBytes(at, bytes);
            default -> statement.setString(at, clean(value.toString()));
        }
    }

    /** PostgreSQL knows no NUL in text. */
    public static String clean(String text) {
        return TestNames.recorded(text);
    }

    /** Binds numbers, texts and bytes in their order. A null is bound as a number. */
    public static void bind(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            bind(statement, i + 1, values[i], Table.Type.NUMBER);
        }
    }

    /** All rows of a question. */
    public static <T> List<T> all(java.sql.Connection connection, String sql, Reading<T> reading, Object... values)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            try (ResultSet result = statement.executeQuery()) {
                List<T> rows = new ArrayList<>();
                while (result.next()) {
                    rows.add(reading.read(result));
                }
                return rows;
            }
        }
    }

    /** The first row of a question. */
    public static <T> Optional<T> first(
            java.sql.Connection connection, String sql, Reading<T> reading, Object... values) throws SQLException {
        List<T> rows = all(connection, sql, reading, values);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.getFirst());
    }

    /** Changes rows and returns how many. */
    public static int change(java.sql.Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            return statement.executeUpdate();
        }
    }

    /** A number that may be absent. */
    public static Optional<Long> number(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(value);
    }

    /** A text that may be absent. */
    public static Optional<String> text(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getString(column));
    }

    /** Bytes, none where they are absent. */
    public static byte[] bytes(ResultSet row, String column) throws SQLException {
        byte[] bytes = row.getBytes(column);
        return bytes == null ? new byte[0] : bytes;
    }

    /** So many question marks with commas between. */
    public static String marks(int count) {
        return "?, ".repeat(count - 1) + "?";
    }
}
