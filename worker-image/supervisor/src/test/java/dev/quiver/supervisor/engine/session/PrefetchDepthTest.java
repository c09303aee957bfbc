package dev.quiver.supervisor.engine.session;

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
        "1, 20000, 100, 400",
        "64, 2200, 2, 512",
        "4, 8000, 10000, 7",
        "64, 2200, 51000, 0",
        "64, 2200, 10000000, 0",
    })
    void isWhatTheSlotsSwallowInTwoRoundTrips(int slots, long roundTrip, long task, int expected) {
        depth.roundTrip(roundTrip * MICROS);
        depth.task(task * MICROS);
        assertThat(depth.tasks(slots)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        // slots, task time in µs, depth
        "1, 200, 40",
        "8, 1000, 64",
        "64, 49000, 11",
        "1, 30000, 1",
    })
    void isNeverLessThanAStepIsWorth(int slots, long task, int expected) {
        depth.roundTrip(200 * MICROS);
        depth.task(task * MICROS);
        assertThat(depth.tasks(slots)).isEqualTo(expected);
    }

    @Test
    void countsWhatASlotTakesBetweenTwoTasks() {
        depth.roundTrip(200 * MICROS);
        depth.task(20 * MICROS);
        assertThat(depth.tasks(1)).isEqualTo(400);
        for (int i = 0; i < 100; i++) {
            depth.turn(MILLIS);
        }
        assertThat(depth.tasks(1)).isBetween(8, 9);
        for (int i = 0; i < 500; i++) {
            depth.task(20 * MICROS);
        }
        assertThat(depth.tasks(1)).as("forgets what it cannot measure").isGreaterThan(390);
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
