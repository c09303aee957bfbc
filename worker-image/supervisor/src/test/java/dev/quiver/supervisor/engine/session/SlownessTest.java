package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.TaskEstimate;
import dev.quiver.lifecycle.worker.StepRequest.Pace;

class SlownessTest {

    private final Slowness slowness = new Slowness();

    private void passed(double usualSeconds, double ran) {
        passed(usualSeconds, true, ran);
    }

    private void passed(double usualSeconds, boolean known, double ran) {
        slowness.passed(new TaskEstimate(millis(usualSeconds), known, 0), millis(ran));
    }

    private static Duration millis(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }

    @Test
    void isNotKnownBeforeATaskHasPassed() {
        assertThat(slowness.thousandths()).isZero();
        assertThat(slowness.speedMilli()).isEqualTo(1000);
        assertThat(slowness.pace(4)).isEqualTo(new Pace(0, 4));
    }

    @Test
    void isTheMedianOfTheLastFive() {
        passed(99.98, 199.98);
        assertThat(slowness.thousandths()).isEqualTo(2000);
        passed(99.98, 99.98);
        assertThat(slowness.thousandths()).isEqualTo(1500);
        passed(99.98, 9999.98);
        assertThat(slowness.thousandths()).as("one that was held up").isEqualTo(2000);
        for (int i = 0; i < 2; i++) {
            assertThat(slowness.thousandths()).isGreaterThan(1000);
            passed(99.98, 99.98);
        }
        assertThat(slowness.thousandths()).isEqualTo(1000);
        assertThat(slowness.speedMilli()).isEqualTo(1000);
    }

    @Test
    void followsAPodThatTurnsSlowWithinThreeTasks() {
        for (int i = 0; i < 23; i++) {
            passed(10, 10);
        }
        for (int i = 0; i < 3; i++) {
            passed(9.98, 99.98);
        }
        assertThat(slowness.thousandths()).isEqualTo(10_000);
        assertThat(slowness.speedMilli()).isEqualTo(100);
    }

    @Test
    void aTaskThatNoRunKnowsTellsNothing() {
        passed(1, false, 50);
        assertThat(slowness.thousandths()).isZero();
    }

    @Test
    void millisecondsOfAShortTaskAreNoSlowness() {
        passed(0.002, 0.01);
        assertThat(slowness.thousandths()).isLessThan(1500);
    }

    @Test
    void keepsItsBounds() {
        passed(0.001, 1e12);
        assertThat(slowness.thousandths()).isEqualTo(Pace.MOST_SLOWNESS);
        assertThat(slowness.pace(0).slots()).isEqualTo(1);
        Slowness quick = new Slowness();
        quick.passed(new TaskEstimate(Duration.ofDays(40), true, 0), Duration.ZERO);
        assertThat(quick.thousandths()).isEqualTo(1);
        assertThat(quick.speedMilli()).isEqualTo(1_000_000);
    }
}
