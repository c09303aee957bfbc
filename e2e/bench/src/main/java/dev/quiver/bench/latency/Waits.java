package dev.quiver.bench.latency;

import java.util.List;

import org.HdrHistogram.Histogram;

/** How long tasks waited for their start, in microseconds. Tasks that never started count as {@link #LOST_MICROS}. */
final class Waits {

    /** Longer than the wait for the last tasks. */
    static final long LOST_MICROS = 10_000_000;

    private final Histogram histogram = new Histogram(LOST_MICROS, 3);

    /**
     * The waits of one turn.
     *
     * @param sent tasks enqueued
     * @param micros one for each task that started
     */
    static Waits of(long sent, List<Long> micros) {
        Waits waits = new Waits();
        micros.forEach(wait -> waits.histogram.recordValue(Math.clamp(wait, 0, LOST_MICROS)));
        long lost = sent - micros.size();
        if (lost < 0) {
            throw new IllegalArgumentException(micros.size() + " starts of " + sent + " tasks");
        }
        if (lost > 0) {
            waits.histogram.recordValueWithCount(LOST_MICROS, lost);
        }
        return waits;
    }

    /** Tasks enqueued. */
    long sent() {
        return histogram.getTotalCount();
    }

    /** A percentile in milliseconds. */
    double millis(double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e3;
    }
}
