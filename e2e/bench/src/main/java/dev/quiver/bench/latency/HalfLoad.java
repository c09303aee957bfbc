package dev.quiver.bench.latency;

import java.time.Duration;

/**
 * Arrivals that keep half of the slots busy on average.
 *
 * @param slots workers, all of them warm
 * @param work how long each task takes
 * @param time how long tasks arrive
 */
record HalfLoad(int slots, Duration work, Duration time) {

    /** Mean number of arrivals a second; they come at random (Poisson). */
    int perSecond() {
        return (int) (slots / 2.0 * 1e9 / work.toNanos());
    }
}
