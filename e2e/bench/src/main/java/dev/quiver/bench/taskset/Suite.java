package dev.quiver.bench.taskset;

import java.util.Locale;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Tests as suites have them: most are short, a few are long, in any order.
 *
 * @param seconds of each test, asleep
 */
record Suite(double[] seconds) {

    private static final double SPREAD = 0.8;
    private static final double LONG = 12;

    /** So many tests of about that mean; one in forty takes twelve times as long. */
    static Suite of(int tests, double mean, long seed) {
        Random random = new Random(seed);
        double[] all = IntStream.range(0, tests)
                .mapToDouble(_ -> mean * Math.exp(SPREAD * random.nextGaussian() - SPREAD * SPREAD / 2))
                .toArray();
        for (int i = 0; i < Math.max(1, tests / 40); i++) {
            all[random.nextInt(tests)] = LONG * mean * (0.7 + 0.3 * random.nextDouble());
        }
        return new Suite(all);
    }

    double total() {
        return DoubleStream.of(seconds).sum();
    }

    /**
     * The shortest time that any order could take.
     *
     * @param slots of so many times the usual speed in all
     */
    double ideal(double slots) {
        return Math.max(total() / slots, DoubleStream.of(seconds).max().orElse(0));
    }

    /** The seconds of a test on a worker so many times slower, as {@code sleep} takes them. */
    String argument(int test, double slower) {
        return String.format(Locale.ROOT, "%.3f", seconds[test] * slower);
    }
}
