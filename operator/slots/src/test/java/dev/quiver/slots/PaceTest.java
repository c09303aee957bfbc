package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private static int fit(Pace pace, long from, long nanos) {
        int count = 0;
        for (long now = from; now - from < nanos; now += SECOND / 1000) {
            if (pace.untilNext(now).isZero()) {
                pace.count(now);
                count++;
            }
        }
        return count;
    }

    @Test
    void letsABurstThroughAndThenItsRate() {
        Pace pace = new Pace(16, 8);
        assertThat(pace.untilNext(-5)).isZero();
        assertThat(fit(pace, -5, 10 * SECOND)).isBetween(95, 98);
    }

    @Test
    void saysHowLongToWait() {
        Pace pace = new Pace(1, 4);
        pace.count(0);
        assertThat(pace.untilNext(0)).isZero();
        pace.count(0);
        assertThat(pace.untilNext(0)).isEqualTo(Duration.ofMillis(250));
        assertThat(pace.untilNext(SECOND / 4)).isZero();
    }

    @Test
    void letsABurstThroughAgainAfterARest() {
        Pace pace = new Pace(16, 8);
        fit(pace, 0, SECOND);
        assertThat(fit(pace, 20 * SECOND, SECOND / 100)).isGreaterThanOrEqualTo(10);
    }
}
