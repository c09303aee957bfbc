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

    private static final int WARM_UPS_A_SECOND = 5000;

    /** Mean number of arrivals a second; they come at random (Poisson). */
    int perSecond() {
        return (int) (slots / 2.0 * 1e9 / work.toNanos());
    }

    /** Tasks that take no time and are done before the first turn, so that compilers have seen what they compile. */
    int warmUps() {
        return Math.toIntExact(time.toSeconds() * WARM_UPS_A_SECOND);
    }
}
