package dev.quiver.supervisor.engine.session;

/**
 * How many tasks one step settles and claims at most. Pure.
 *
 * <p>64 take 0.2 ms of Redis; more in one call are dearer each and make others wait, so more are sent only where the
 * round trip is the limit: 64 for each millisecond of it.
 */
public final class BatchSize {

    public static final int USUAL = 64;

    private static final long MILLI = 1_000_000;

    private BatchSize() {}

    /**
     * The bound for the next step.
     *
     * @param roundTripNanos smoothed round trip of steps, 0 while unknown
     * @param most what the contract allows
     */
    static int of(long roundTripNanos, int most) {
        return (int) Math.min(most, USUAL * (1 + roundTripNanos / MILLI));
    }
}
