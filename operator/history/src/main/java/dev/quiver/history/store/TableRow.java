package dev.quiver.history.store;

import java.util.Arrays;
import java.util.List;

/** One row of a table, whose values are given by the names of their columns. One that is not given is null. Not thread-safe. */
final class TableRow {

    private final Table table;
    private final Object[] values;
    private int next; // columns mostly come in their order

    private TableRow(Table table) {
        this.table = table;
        this.values = new Object[table.columns().size()];
    }

    /** Without a value. */
    static TableRow of(Table table) {
        return new TableRow(table);
    }

    /**
     * Gives a value.
     *
     * @throws IllegalArgumentException for a column that the table does not have
     */
    TableRow set(String column, Object value) {
        int at = at(column);
        values[at] = value;
        next = at + 1;
        return this;
    }

    /** The value of a column, or null. */
    Object get(String column) {
        return values[at(column)];
    }

    /** The value of a column that has a number. */
    long number(String column) {
        return ((Number) get(column)).longValue();
    }

    private int at(String column) {
        for (int i = 0; i < values.length; i++) {
            int at = (next + i) % values.length;
            if (table.columns().get(at).name().equals(column)) {
                return at;
            }
        }
        throw new IllegalArgumentException("table " + table.name() + " has no column " + column);
    }

    /** Takes the values of another row of the table where this one has none. */
    TableRow orElse(TableRow other) {
        for (int i = 0; i < values.length; i++) {
            values[i] = values[i] == null ? other.values[i] : values[i];
        }
        return this;
    }

    Table table() {
        return table;
    }

    /** The values of the table's key. */
    List<Object> key() {
        return Arrays.asList(Arrays.copyOf(values, table.key().size()));
    }

    /** All values, in the order of the table's columns. */
    Object[] values() {
        return values.clone();
    }
}
