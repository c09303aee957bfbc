package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PollIntervalsTest {

    private final PollIntervals ticks = new PollIntervals(new SplittableRandom(7));

    @ParameterizedTest
    @CsvSource({"0,3000", "1,3000", "24,3000", "32,4000", "400,50000", "1000,60000"})
    void pollsAboutEightTimesASecondForTheWholePool(int supervisors, long aboutMillis) {
        for (int i = 0; i < 100; i++) {
            assertThat(ticks.poll(supervisors))
                    .isBetween(Duration.ofMillis(aboutMillis * 4 / 5), Duration.ofMillis(aboutMillis * 6 / 5));
        }
    }

    @ParameterizedTest
    @CsvSource({"1,1000", "8,1000", "16,2000", "1000,60000"})
    void glancesAsOftenButOnceASecondInASmallPool(int supervisors, long aboutMillis) {
        assertThat(ticks.glance(supervisors))
                .isBetween(Duration.ofMillis(aboutMillis * 4 / 5), Duration.ofMillis(aboutMillis * 6 / 5));
    }

    @Test
    void looksForExpiredSessionsAboutTwiceASecondForTheWholePool() {
        assertThat(ticks.reap(1)).isBetween(Duration.ofMillis(640), Duration.ofMillis(960));
        assertThat(ticks.reap(20)).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(12));
    }
}
