package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;

import org.junit.jupiter.api.Test;

class RunPaceTest {

    @Test
    void manyRunsHaveOneLookASecondTogether() {
        Random random = new Random(29);
        for (int runs : new int[] {100, 600, 10_000}) {
            double looks = 0; // a second, of all runs
            for (int i = 0; i < 1000; i++) {
                looks += runs
                        / 1000.0
                        / RunPace.among(runs, RunPace.NOTHING_DUE, random.nextDouble())
                                .toSeconds();
            }
            assertThat(looks).as("%d runs", runs).isBetween(0.95, 1.1);
        }
    }

    @Test
    void runsThatWereLookedAtTogetherComeApart() {
        Duration first = RunPace.among(10_000, RunPace.NOTHING_DUE, 0);
        Duration last = RunPace.among(10_000, RunPace.NOTHING_DUE, 1);
        assertThat(first).isEqualTo(Duration.ofSeconds(6_667));
        assertThat(last).isEqualTo(Duration.ofSeconds(13_333));
    }

    @Test
    void whatIsDueIsLookedAtInTime() {
        assertThat(RunPace.among(10_000, Duration.ofSeconds(3), 0.5)).isEqualTo(Duration.ofSeconds(3));
        assertThat(RunPace.among(1, RunPace.NOTHING_DUE, 1)).isEqualTo(RunPace.SAFETY);
    }
}
