package dev.quiver.bench.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

class WaitsTest {

    @Test
    void givesPercentilesInMilliseconds() {
        Waits waits = Waits.of(1000, LongStream.rangeClosed(1, 1000).boxed().toList());
        assertThat(waits.millis(50)).isCloseTo(0.5, within(0.001));
        assertThat(waits.millis(99)).isCloseTo(0.99, within(0.001));
        assertThat(waits.millis(100)).isCloseTo(1.0, within(0.001));
    }

    @Test
    void countsTasksThatNeverStartedAsTheLongestWait() {
        Waits waits = Waits.of(4, List.of(100L, 100L, 100L));
        assertThat(waits.sent()).isEqualTo(4);
        assertThat(waits.millis(100)).isGreaterThanOrEqualTo(Waits.LOST_MICROS / 1e3);
    }

    @Test
    void refusesMoreStartsThanTasks() {
        assertThatThrownBy(() -> Waits.of(1, List.of(1L, 2L))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void halfLoadKeepsHalfOfTheSlotsBusy() {
        assertThat(new HalfLoad(8, Duration.ofMillis(10), Duration.ofSeconds(1)).perSecond())
                .isEqualTo(400);
    }
}
