package dev.quiver.history.store;

/**
 * How long a pass of a test usually takes, on a log scale. Each outcome moves it by a bounded step, so one trial on a
 * busy machine hardly changes it. A test that grew is known again after a few runs.
 *
 * @param logMicros ln(ms) in millionths, of a worker of the usual speed; 0 where nothing is known
 * @param n outcomes that it is made of, 64 at most; 0 where nothing is known
 */
record UsualTime(long logMicros, long n) {

    /** The time of a test that never passed. */
    static final UsualTime UNKNOWN = new UsualTime(0, 0);

    /** Speed of a usual worker, in thousandths: at half of it every task takes twice its time. */
    static final int USUAL_SPEED = 1000;

    private static final double MICRO = 1e6;
    private static final double LEAST_WEIGHT = 0.25;
    private static final double LONGEST_STEP = 0.7;
    private static final long MOST = 64;

    /** A tenant writes the speed: whatever it is, it moves a time by no more than this factor. */
    private static final double MOST_SLOWNESS = 16;

    /**
     * After a pass.
     *
     * @param millis how long it ran
     * @param speed of its worker, in thousandths; what is not positive is nothing that anybody knows
     */
    UsualTime passed(long millis, int speed) {
        double slowness = speed <= 0 ? 1 : Math.clamp((double) USUAL_SPEED / speed, 1 / MOST_SLOWNESS, MOST_SLOWNESS);
        double log = Math.log(Math.max(1, millis / slowness)) * MICRO;
        return n == 0 ? new UsualTime(Math.round(log), 1) : moved(log - logMicros);
    }

    /** After a trial that timed out: it counts as twice the usual time. It tells nothing about an unknown time. */
    UsualTime timedOut() {
        return n == 0 ? this : moved(Math.log(2) * MICRO);
    }

    /** Milliseconds; of no use where nothing is known. */
    double millis() {
        return millis(logMicros);
    }

    /** Milliseconds of such a logarithm. */
    static double millis(double logMicros) {
        return Math.exp(logMicros / MICRO);
    }

    private UsualTime moved(double by) {
        double weight = Math.max(LEAST_WEIGHT, 1.0 / (n + 1));
        double step = Math.clamp(by, -LONGEST_STEP * MICRO, LONGEST_STEP * MICRO);
        return new UsualTime(logMicros + Math.round(weight * step), Math.min(MOST, n + 1));
    }
}
