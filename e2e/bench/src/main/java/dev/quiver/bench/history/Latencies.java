package dev.quiver.bench.history;

import java.util.List;

/** Quantiles of measured times. */
final class Latencies {

    private Latencies() {}

    /**
     * The smallest value that such a share does not exceed.
     *
     * @param values at least one
     * @param share above 0, at most 1
     */
    static double quantile(List<Double> values, double share) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(Math.max(0, (int) Math.ceil(share * sorted.size()) - 1));
    }
}
