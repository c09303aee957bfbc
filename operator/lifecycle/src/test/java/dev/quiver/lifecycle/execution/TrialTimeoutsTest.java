package dev.quiver.lifecycle.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;

class TrialTimeoutsTest {

    private static final TrialTimeouts LIMITS = new TrialTimeouts(Duration.ofSeconds(30), Duration.ofMinutes(5));

    private static Optional<TaskEstimate> takes(long seconds, int slowness) {
        return Optional.of(new TaskEstimate(Duration.ofSeconds(seconds), true, slowness));
    }

    private static Optional<TaskEstimate> mean(long seconds) {
        return Optional.of(new TaskEstimate(Duration.ofSeconds(seconds), false, 1000));
    }

    private static Duration soft(Optional<TaskEstimate> estimate) {
        return LIMITS.soft(estimate, false);
    }

    @Test
    void aTaskThatRunsKnowMayTakeTwiceItsTime() {
        assertThat(soft(takes(60, 1000))).isEqualTo(Duration.ofSeconds(120));
        assertThat(LIMITS.grace(takes(60, 1000), Duration.ofSeconds(120))).isEqualTo(Duration.ofSeconds(60));
        assertThat(soft(takes(2, 1000))).as("at least").isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void aSlowPodHasMoreTimeUpToFourTimes() {
        assertThat(soft(takes(60, 3000))).isEqualTo(Duration.ofSeconds(360));
        assertThat(soft(takes(60, 100_000))).isEqualTo(Duration.ofSeconds(480));
        assertThat(soft(takes(60, 500))).as("a quick one has no less").isEqualTo(Duration.ofSeconds(120));
        assertThat(soft(takes(60, 0))).isEqualTo(Duration.ofSeconds(120));
    }

    @Test
    void aTaskThatNoRunKnowsHasALimitOfItsOwn() {
        assertThat(soft(Optional.empty())).isEqualTo(Duration.ofMinutes(5));
        assertThat(soft(mean(4000))).isEqualTo(Duration.ofMinutes(5));
        assertThat(LIMITS.grace(mean(4000), Duration.ofMinutes(5))).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void theLastTrialHasAtLeastThatOfAnUnknownTask() {
        assertThat(LIMITS.soft(takes(2, 1000), true)).isEqualTo(Duration.ofMinutes(5));
        assertThat(LIMITS.soft(takes(600, 1000), true)).isEqualTo(Duration.ofMinutes(20));
    }

    @Test
    void noLimitIsBeyondTheBoundsOfTheSlots() {
        assertThat(soft(takes(1_000_000, 1000))).isEqualTo(TrialTimeouts.MOST);
        assertThat(LIMITS.grace(takes(1_000_000, 1000), TrialTimeouts.MOST)).isEqualTo(Duration.ofHours(1));
        assertThatThrownBy(() -> new TrialTimeouts(Duration.ZERO, Duration.ofSeconds(1)))
                .hasMessage("timeouts.least is PT0S, must be 1 s to 7 days");
        assertThatThrownBy(() -> new TrialTimeouts(Duration.ofSeconds(1), Duration.ofDays(8)))
                .hasMessageStartingWith("timeouts.unknown is");
    }
}
