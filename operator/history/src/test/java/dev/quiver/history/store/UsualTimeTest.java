package dev.quiver.history.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

class UsualTimeTest {

    private static final int TESTS = 500;
    private static final int RUNS = 40;

    private static UsualTime after(long... millis) {
        UsualTime usual = UsualTime.UNKNOWN;
        for (long each : millis) {
            usual = usual.passed(each, UsualTime.USUAL_SPEED);
        }
        return usual;
    }

    /** A trial's noise: one in ten percent off, one of twenty on a machine that is busy with other things. */
    private static double noise(Random random) {
        double usual = 0.1 * random.nextGaussian();
        return random.nextInt(20) == 0 ? usual + Math.log(2 + 8 * random.nextDouble()) : usual;
    }

    private static double median(List<Double> logs) {
        List<Double> last = new ArrayList<>(logs.subList(Math.max(0, logs.size() - 7), logs.size()));
        Collections.sort(last);
        return last.get(last.size() / 2);
    }

    @Test
    void oneBusyRunHardlyCounts() {
        Random random = new Random(27);
        double robust = 0;
        double mean = 0;
        double median = 0;
        int cut = 0;
        for (int test = 0; test < TESTS; test++) {
            double log = Math.log(1000) + 1.2 * random.nextGaussian();
            UsualTime usual = UsualTime.UNKNOWN;
            List<Double> logs = new ArrayList<>();
            for (int run = 0; run < RUNS; run++) {
                double one = log + noise(random);
                logs.add(one);
                usual = usual.passed(Math.round(Math.exp(one)), UsualTime.USUAL_SPEED);
            }
            robust += Math.abs(Math.log(usual.millis()) - log);
            median += Math.abs(median(logs) - log);
            mean += Math.abs(
                    Math.log(logs.stream().mapToDouble(Math::exp).average().orElseThrow()) - log);
            for (int trial = 0; trial < 6; trial++) {
                cut += Math.exp(log + 0.1 * random.nextGaussian()) > 2 * usual.millis() ? 1 : 0;
            }
        }
        assertThat(robust / TESTS).as("robust").isLessThan(0.085).isLessThan(mean / TESTS / 2);
        assertThat(mean / TESTS).as("of a plain mean").isGreaterThan(0.12);
        assertThat(robust / TESTS).as("against a median of seven").isLessThan(median / TESTS * 1.5);
        assertThat(cut)
                .as("honest trials of 3,000 that take twice the estimate")
                .isZero();
    }

    @Test
    void theFirstPassesCountInFull() {
        assertThat(after(4000).millis()).isCloseTo(4000, within(1.0));
        assertThat(after(1000, 1200).millis()).isCloseTo(Math.sqrt(1000 * 1200), within(1.0));
        assertThat(after(0).millis()).as("below the resolution").isCloseTo(1, within(0.01));
    }

    @Test
    void oneOutlierMovesItByABoundedStep() {
        UsualTime usual = after(1000, 1000, 1000, 1000, 1000);
        assertThat(usual.passed(Long.MAX_VALUE, UsualTime.USUAL_SPEED).millis())
                .isCloseTo(1000 * Math.exp(0.7 / 4), within(2.0));
        assertThat(usual.passed(1, UsualTime.USUAL_SPEED).millis()).isCloseTo(1000 / Math.exp(0.7 / 4), within(2.0));
    }

    @Test
    void aTestThatGrewFindsItsTimeByTimeouts() {
        UsualTime usual = after(1000, 1000, 1000, 1000);
        int cut = 0;
        while (2 * usual.millis() < 8000) {
            usual = usual.timedOut();
            cut++;
        }
        assertThat(cut).isLessThan(10);
        assertThat(UsualTime.UNKNOWN.timedOut()).as("twice nothing").isEqualTo(UsualTime.UNKNOWN);
    }

    @Test
    void aSlowWorkersTimeCountsAsThatOfAUsualOne() {
        assertThat(UsualTime.UNKNOWN.passed(4000, 250).millis()).isCloseTo(1000, within(1.0));
        assertThat(UsualTime.UNKNOWN.passed(4000, 0).millis())
                .as("nobody knows")
                .isCloseTo(4000, within(4.0));
        assertThat(UsualTime.UNKNOWN.passed(4000, -7).millis()).isCloseTo(4000, within(4.0));
        assertThat(UsualTime.UNKNOWN.passed(16_000, 1).millis()).as("forged").isCloseTo(1000, within(1.0));
        assertThat(UsualTime.UNKNOWN.passed(1000, Integer.MAX_VALUE).millis()).isCloseTo(16_000, within(16.0));
    }

    @Test
    void countsNoFurtherThanItsColumnNeeds() {
        UsualTime usual = UsualTime.UNKNOWN;
        for (int i = 0; i < 100; i++) {
            usual = usual.passed(10, UsualTime.USUAL_SPEED);
        }
        assertThat(usual.n()).isEqualTo(64);
        assertThat(usual.millis()).isCloseTo(10, within(0.1));
    }
}
