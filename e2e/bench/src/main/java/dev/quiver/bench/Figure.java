package dev.quiver.bench;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Optional;
import java.util.OptionalDouble;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One measured number, printed as one line of JSON for programs to read.
 *
 * @param bench name of the benchmark
 * @param figure the measured quantity, unique within the benchmark
 * @param value the median, in {@code unit}
 * @param unit for example {@code tasks/s}, {@code ms}, {@code MiB}
 * @param against the other side of a comparison, absent when the figure stands alone
 * @param ratio value divided by the other's value, present when {@code against} is
 */
public record Figure(
        String bench, String figure, double value, String unit, Optional<String> against, OptionalDouble ratio) {

    private static final MathContext DIGITS = new MathContext(5);

    /** Numbers must be finite: a figure that could not be measured is left out, never written as a zero. */
    public Figure {
        if (!Double.isFinite(value) || ratio.isPresent() && !Double.isFinite(ratio.getAsDouble())) {
            throw new IllegalArgumentException("not a number: " + bench + " " + figure);
        }
        if (against.isPresent() != ratio.isPresent()) {
            throw new IllegalArgumentException("against and ratio go together: " + bench + " " + figure);
        }
    }

    /** A figure that stands alone. */
    public static Figure of(String bench, String figure, double value, String unit) {
        return new Figure(bench, figure, value, unit, Optional.empty(), OptionalDouble.empty());
    }

    /** A figure compared with another value in the same unit, which must not be zero. */
    public static Figure of(String bench, String figure, double value, String unit, String against, double other) {
        return of(bench, figure, value, unit).against(against, other);
    }

    /** The same, compared with another value in the same unit, which must not be zero. */
    public Figure against(String what, double other) {
        return new Figure(bench, figure, value, unit, Optional.of(what), OptionalDouble.of(value / other));
    }

    /** One line, fields in a fixed order, five significant digits. */
    public String json() {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("bench", bench);
        line.put("figure", figure);
        line.put("value", rounded(value));
        line.put("unit", unit);
        line.put("against", against.orElse(null));
        line.put("ratio", ratio.isPresent() ? rounded(ratio.getAsDouble()) : null);
        return line.toString();
    }

    private static BigDecimal rounded(double number) {
        BigDecimal shown = new BigDecimal(number).round(DIGITS).stripTrailingZeros();
        return shown.scale() < 0 ? shown.setScale(0) : shown;
    }
}
