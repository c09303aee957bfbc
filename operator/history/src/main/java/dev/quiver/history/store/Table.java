package dev.quiver.history.store;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A table that is written in batches.
 *
 * @param name of the table
 * @param columns that are written, in their order
 * @param key the columns of its unique key
 * @param onConflict the words after ON CONFLICT (key) DO
 */
record Table(String name, List<Column> columns, List<String> key, String onConflict) {

    /** Types of columns, as both databases know them. */
    enum Type {
        /** Whole numbers of any size. */
        NUMBER(java.sql.Types.BIGINT),
        /** Numbers with a fraction. */
        FRACTION(java.sql.Types.DOUBLE),
        /** Text without NUL. */
        TEXT(java.sql.Types.VARCHAR),
        /** Bytes. */
        BYTES(java.sql.Types.BINARY);

        final int jdbc;

        Type(int jdbc) {
            this.jdbc = jdbc;
        }
    }

    /** A column. */
    record Column(String name, Type type) {}

    /** Rows that are there already stay. */
    static final String NOTHING = "NOTHING";

    /**
     * A table of such columns.
     *
     * @param columns {@code name} is a number, {@code name:t} text, {@code name:b} bytes
     * @param key how many of the first columns are the key
     */
    static Table of(String name, int key, String onConflict, String... columns) {
        List<Column> all = java.util.Arrays.stream(columns).map(Table::column).toList();
        return new Table(
                name, all, all.subList(0, key).stream().map(Column::name).toList(), onConflict);
    }

    /** The same, whose further columns take the new values. */
    static Table overwriting(String name, int key, String... columns) {
        List<Column> all = java.util.Arrays.stream(columns).map(Table::column).toList();
        String set = all.subList(key, all.size()).stream()
                .map(column -> column.name() + " = excluded." + column.name())
                .collect(Collectors.joining(", "));
        return of(name, key, "UPDATE SET " + set, columns);
    }

    private static Column column(String word) {
        if (word.endsWith(":t")) {
            return new Column(word.substring(0, word.length() - 2), Type.TEXT);
        }
        if (word.endsWith(":b")) {
            return new Column(word.substring(0, word.length() - 2), Type.BYTES);
        }
        return new Column(word, Type.NUMBER);
    }

    String columnNames() {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    String conflict() {
        return " ON CONFLICT (" + String.join(", ", key) + ") DO " + onConflict;
    }

    String insert() {
        String marks = columns.stream().map(column -> "?").collect(Collectors.joining(", "));
        return "INSERT INTO " + name + " (" + columnNames() + ") VALUES (" + marks + ")" + conflict();
    }
}
