package dev.quiver.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The values of one figure over the rounds.
 *
 * @param values at least one
 */
public record Samples(List<Double> values) {

    public Samples {
        values = List.copyOf(values);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("no values");
        }
    }

    /** The middle value; the mean of the two middle ones for an even number of rounds. */
    public double median() {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** The median with the smallest and the largest value, rounded to whole numbers. */
    public String shown() {
        double least = values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        double most = values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        return String.format(Locale.ROOT, "%,.0f (%,.0f–%,.0f)", median(), least, most);
    }
}
