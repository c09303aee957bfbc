package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrefetchDepthTest {

    private static final long MICROS = 1_000;
    private static final long MILLIS = 1_000_000;

    private final PrefetchDepth depth = new PrefetchDepth();

    @Test
    void isZeroWhileNothingIsKnown() {
        assertThat(depth.tasks(64)).isZero();
        depth.roundTrip(MILLIS);
        assertThat(depth.tasks(64)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        // slots, round trip in µs, task time in µs, depth
        "1, 200, 2, 200",
        "64, 2200, 2, 512",
        "8, 200, 1000, 4",
        "4, 2200, 10000, 2",
        "64, 200, 49000, 1",
        "64, 2200, 51000, 0",
        "64, 2200, 10000000, 0",
    })
    void isWhatTheSlotsSwallowInTwoRoundTrips(int slots, long roundTrip, long task, int expected) {
        depth.roundTrip(roundTrip * MICROS);
        depth.task(task * MICROS);
        assertThat(depth.tasks(slots)).isEqualTo(expected);
    }

    @Test
    void believesASlowTaskSoonerThanAFastOne() {
        depth.roundTrip(MILLIS);
        depth.task(MILLIS);
        depth.task(200 * MILLIS);
        assertThat(depth.tasks(8)).isZero();
        depth.task(MILLIS);
        assertThat(depth.tasks(8)).isZero();
    }
}
