package dev.quiver.supervisor.engine.session;

/**
 * How many tasks one step settles and claims at most. Pure.
 *
 * <p>64 take 0.2 ms of Redis, during which others wait. If tasks of the queue feed the slots, the steps of this pod are
 * the limit. Then 128 are right, which take 0.35 ms and are cheaper each. More are sent only where the round trip is
 * the limit: 64 for each millisecond of it.
 */
public final class BatchSize {

    public static final int USUAL = 64;
    public static final int FEEDING = 2 * USUAL;

    private static final long MILLI = 1_000_000;

    private BatchSize() {}

    /**
     * The bound for the next step.
     *
     * @param feeding whether tasks of the queue feed the slots meanwhile
     * @param roundTripNanos smoothed round trip of steps, 0 while unknown
     * @param most what the contract allows
     */
    static int of(boolean feeding, long roundTripNanos, int most) {
        return (int) Math.min(most, Math.max(feeding ? FEEDING : 0, USUAL * (1 + roundTripNanos / MILLI)));
    }
}
