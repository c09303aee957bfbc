package dev.quiver.lifecycle.redis;

import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * A script's reply: a code and what the script's header says follows it. Its elements are read by the names that the
 * header gives them, see {@link ScriptReturns}. A name that the form of this code does not have is a bug: unchecked.
 */
public final class ScriptReply {

    private final ScriptReturns returns;
    private final List<Object> values;
    private final ScriptCode code;
    private final ScriptReturns.Form form;

    /**
     * A reply as it came.
     *
     * @param values texts, longs, arrays of bytes where the caller wanted them in place of texts, and nulls
     * @throws IllegalStateException for a reply that is none of the header's forms
     */
    ScriptReply(ScriptReturns returns, List<Object> values) {
        this.returns = returns;
        this.values = values;
        this.code = ScriptCode.values()[Math.toIntExact((Long) values.getFirst())];
        this.form = returns.of(code, values.size());
    }

    /** The outcome of the script. */
    public ScriptCode code() {
        return code;
    }

    /** A value that is a number. */
    public long number(String name) {
        return (Long) values.get(at(name));
    }

    /** A value that is a number and fits an int. */
    public int count(String name) {
        return Math.toIntExact(number(name));
    }

    /** A value that is 1 or 0. */
    public boolean flag(String name) {
        return number(name) == 1;
    }

    /** A value that is a text; null where Redis had none. */
    public String text(String name) {
        return (String) values.get(at(name));
    }

    private int at(String name) {
        Integer at = form.values().get(name);
        if (at == null) {
            throw returns.unknown(code, name);
        }
        return at;
    }

    /** A list of texts. */
    public List<String> texts(String name) {
        Range range = range(name);
        return rows(range, 1, row -> (String) values.get(row));
    }

    /** A list of numbers. */
    public List<Long> numbers(String name) {
        Range range = range(name);
        return rows(range, 1, row -> (Long) values.get(row));
    }

    /**
     * A list of rows.
     *
     * @throws IndexOutOfBoundsException from the last row where the reply ends within it
     */
    public List<Row> rows(String name) {
        Range range = range(name);
        return rows(range, range.list().width(), at -> new Row(at, range.list()));
    }

    /** A list whose entries are of no one shape, to be read one after the other. */
    public Rest rest(String name) {
        Range range = range(name);
        return new Rest(range.from(), range.to());
    }

    private record Range(ScriptReturns.Listed list, int from, int to) {}

    private Range range(String name) {
        int at = form.end();
        for (ScriptReturns.Listed list : form.lists()) {
            int from = list.counted() ? at + 1 : at;
            int to = list.counted()
                    ? Math.addExact(from, Math.multiplyExact(Math.toIntExact((Long) values.get(at)), list.width()))
                    : values.size();
            if (list.name().equals(name)) {
                return new Range(list, from, to);
            }
            at = to;
        }
        throw returns.unknown(code, name);
    }

    private interface Reading<T> {
        T at(int index);
    }

    /** A view: nothing is copied, and a row is read when it is asked for. */
    private static <T> List<T> rows(Range range, int width, Reading<T> reading) {
        int size = (range.to() - range.from() + width - 1) / width;
        class View extends AbstractList<T> implements RandomAccess {
            @Override
            public T get(int index) {
                return reading.at(range.from() + width * Objects.checkIndex(index, size));
            }

            @Override
            public int size() {
                return size;
            }
        }
        return new View();
    }

    /** A row of a list, whose fields are read by their names. */
    public final class Row {

        private final int from;
        private final ScriptReturns.Listed list;

        private Row(int from, ScriptReturns.Listed list) {
            this.from = from;
            this.list = list;
        }

        /** A field that is a number. */
        public long number(String field) {
            return (Long) values.get(at(field));
        }

        /** A field that is a number and fits an int. */
        public int count(String field) {
            return Math.toIntExact(number(field));
        }

        /** A field that is a text. */
        public String text(String field) {
            return (String) values.get(at(field));
        }

        private int at(String field) {
            Integer at = list.fields().get(field);
            if (at == null) {
                throw returns.unknown(code, list.name() + "." + field);
            }
            return from + at;
        }
    }

    /** Reads values one after the other. */
    public final class Rest {

        private int at;
        private final int end;

        private Rest(int from, int to) {
            this.at = from;
            this.end = to;
        }

        /** Whether there are others. */
        public boolean more() {
            return at < end;
        }

        /** The next value, a number. */
        public long number() {
            return (Long) values.get(at++);
        }

        /** The next value, a text; null where Redis had none. */
        public String text() {
            return (String) values.get(at++);
        }

        /** The next value, bytes. */
        public byte[] bytes() {
            return (byte[]) values.get(at++);
        }

        /** The next value, bytes that are a text in ASCII. */
        public String ascii() {
            return new String(bytes(), StandardCharsets.US_ASCII);
        }
    }

    /** For a code that the caller does not know. */
    public IllegalStateException unexpected() {
        return new IllegalStateException("a script answered " + code + " against its header");
    }
}
