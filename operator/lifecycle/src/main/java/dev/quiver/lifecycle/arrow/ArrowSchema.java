package dev.quiver.lifecycle.arrow;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import com.google.flatbuffers.Table;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.Duration;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FixedSizeList;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Interval;
import org.apache.arrow.flatbuf.IntervalUnit;
import org.apache.arrow.flatbuf.Map;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Union;
import org.apache.arrow.flatbuf.UnionMode;

/**
 * The columns of a stream. Two schemas are equal where their batches may stand in one stream: names, types, order and
 * nullability count. Metadata does not, nor do the names of a list's and a map's children, which libraries choose
 * differently.
 *
 * @param text name and type of each column, as pyarrow writes them: {@code id: int64 not null, at: timestamp[us, tz=UTC]}
 */
public record ArrowSchema(String text) {

    /** Fields at any depth at most: bytes may refer to the same ones again and again. */
    private static final int MOST_FIELDS = 10_000;

    private static final int DEPTH = 64;

    static ArrowSchema of(Schema schema) {
        String columns = new Writer().fields(schema.fieldsLength(), schema::fields, DEPTH, true);
        return new ArrowSchema(schema.endianness() == Endianness.Little ? columns : columns + " (big-endian)");
    }

    private static final class Writer {

        private int fields;

        String fields(int count, IntFunction<Field> field, int depth, boolean named) {
            StringJoiner all = new StringJoiner(", ");
            IntStream.range(0, count).forEach(i -> all.add(field(field.apply(i), depth, named)));
            return all.toString();
        }

        private String field(Field field, int depth, boolean named) {
            if (depth == 0 || ++fields > MOST_FIELDS) {
                throw new IllegalArgumentException("not an Arrow stream: its schema has more than " + MOST_FIELDS
                        + " fields, or is more than " + DEPTH + " deep");
            }
            DictionaryEncoding dictionary = field.dictionary();
            String type = type(field, depth - 1);
            String encoded = dictionary == null
                    ? type
                    : "dictionary<" + dictionary.id() + ": " + type + ", "
                            + (dictionary.indexType() == null ? "int32" : integer(dictionary.indexType()))
                            + (dictionary.isOrdered() ? ", ordered>" : ">");
            return (named ? name(field) + ": " : "") + encoded + (field.nullable() ? "" : " not null");
        }

        private String children(Field field, int depth, boolean named) {
            return fields(field.childrenLength(), field::children, depth, named);
        }

        private String type(Field field, int depth) {
            return switch (field.typeType()) {
                case Type.Null -> "null";
                case Type.Bool -> "bool";
                case Type.Int -> integer(of(field, new Int()));
                case Type.FloatingPoint ->
                    switch (of(field, new FloatingPoint()).precision()) {
                        case Precision.HALF -> "halffloat";
                        case Precision.SINGLE -> "float";
                        default -> "double";
                    };
                case Type.Utf8 -> "string";
                case Type.LargeUtf8 -> "large_string";
                case Type.Utf8View -> "string_view";
                case Type.Binary -> "binary";
                case Type.LargeBinary -> "large_binary";
                case Type.BinaryView -> "binary_view";
                case Type.FixedSizeBinary ->
                    "fixed_size_binary[" + of(field, new FixedSizeBinary()).byteWidth() + "]";
                case Type.Decimal -> {
                    Decimal decimal = of(field, new Decimal());
                    yield "decimal" + decimal.bitWidth() + "(" + decimal.precision() + ", " + decimal.scale() + ")";
                }
                case Type.Date -> of(field, new Date()).unit() == DateUnit.DAY ? "date32" : "date64";
                case Type.Time -> {
                    Time time = of(field, new Time());
                    yield "time" + time.bitWidth() + "[" + unit(time.unit()) + "]";
                }
                case Type.Timestamp -> {
                    Timestamp at = of(field, new Timestamp());
                    yield "timestamp[" + unit(at.unit())
                            + (at.timezone() == null ? "]" : ", tz=" + at.timezone() + "]");
                }
                case Type.Duration ->
                    "duration[" + unit(of(field, new Duration()).unit()) + "]";
                case Type.Interval ->
                    "interval[" + IntervalUnit.name(of(field, new Interval()).unit()) + "]";
                case Type.List -> "list<" + children(field, depth, false) + ">";
                case Type.LargeList -> "large_list<" + children(field, depth, false) + ">";
                case Type.ListView -> "list_view<" + children(field, depth, false) + ">";
                case Type.LargeListView -> "large_list_view<" + children(field, depth, false) + ">";
                case Type.FixedSizeList ->
                    "fixed_size_list<" + children(field, depth, false) + ">["
                            + of(field, new FixedSizeList()).listSize() + "]";
                case Type.Struct_ -> "struct<" + children(field, depth, true) + ">";
                case Type.Map ->
                    "map<" + entries(field, depth) + (of(field, new Map()).keysSorted() ? ", keys_sorted>" : ">");
                case Type.Union -> {
                    Union union = of(field, new Union());
                    List<Integer> ids = new ArrayList<>();
                    IntStream.range(0, union.typeIdsLength()).forEach(i -> ids.add(union.typeIds(i)));
                    yield UnionMode.name(union.mode()).toLowerCase(java.util.Locale.ROOT) + "_union<"
                            + children(field, depth, true) + ">" + ids;
                }
                case Type.RunEndEncoded -> "run_end_encoded<" + children(field, depth, false) + ">";
                default ->
                    throw new IllegalArgumentException(
                            "column " + name(field) + " has a type that is not known here, number " + field.typeType());
            };
        }

        private static String name(Field field) {
            return field.name() == null ? "" : field.name();
        }

        /** Key and value, which stand in a struct. */
        private String entries(Field map, int depth) {
            return map.childrenLength() == 1 ? children(map.children(0), depth - 1, false) : "";
        }

        private static <T extends Table> T of(Field field, T type) {
            @SuppressWarnings("unchecked")
            T read = (T) field.type(type);
            return read;
        }

        private static String integer(Int type) {
            return (type.isSigned() ? "int" : "uint") + type.bitWidth();
        }

        private static String unit(short unit) {
            return switch (unit) {
                case TimeUnit.SECOND -> "s";
                case TimeUnit.MILLISECOND -> "ms";
                case TimeUnit.MICROSECOND -> "us";
                default -> "ns";
            };
        }
    }
}
