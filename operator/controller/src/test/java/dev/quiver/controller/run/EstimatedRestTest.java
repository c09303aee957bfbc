package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import org.junit.jupiter.api.Test;

class EstimatedRestTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");

    private static RunProgress run(long total, long decided, long running) {
        return new RunProgress(Optional.of(NOW), NOW, total, decided, running, decided, Duration.ZERO);
    }

    private static EstimatedRest rest(long tasks, long given, long wholeSeconds, long freshSeconds) {
        return new EstimatedRest(tasks, given, Duration.ofSeconds(wholeSeconds), Duration.ofSeconds(freshSeconds));
    }

    private static Optional<Duration> left(
            EstimatedRest rest, RunProgress run, long queued, long slots, long passed, long seconds) {
        return rest.left(run, queued, slots, passed, Duration.ofSeconds(seconds))
                .map(Eta::left);
    }

    @Test
    void beginsWithTheWholeOfIt() {
        assertThat(left(rest(100, 0, 1000, 1000), run(100, 0, 0), 100, 20, 0, 0))
                .contains(Duration.ofSeconds(50));
    }

    @Test
    void halfOfWhatRunsIsLeft() {
        // Ten were given out, 40 s each: 600 s are fresh, and 10 × 20 s are left of those that run.
        assertThat(left(rest(100, 10, 1000, 600), run(100, 0, 10), 90, 20, 0, 0))
                .contains(Duration.ofSeconds(40));
    }

    @Test
    void theLastTasksTakeAsLongAsTheyTakeHoweverManySlotsThereAre() {
        assertThat(left(rest(100, 100, 4000, 0), run(100, 98, 2), 0, 1000, 0, 0))
                .contains(Duration.ofSeconds(20));
    }

    @Test
    void slowWorkersTakeLonger() {
        // Fifty passed, of 10 s each usually; they took 1,000 s.
        assertThat(left(rest(100, 50, 1000, 500), run(100, 50, 0), 50, 10, 50, 1000))
                .as("100 s, rounded")
                .contains(Duration.ofMinutes(2));
        assertThat(left(rest(100, 50, 1000, 500), run(100, 50, 0), 50, 10, 50, 1_000_000))
                .as("four times at most")
                .contains(Duration.ofMinutes(4));
        assertThat(left(rest(100, 50, 1000, 500), run(100, 2, 0), 50, 10, 2, 1000))
                .as("two tell nothing")
                .contains(Duration.ofSeconds(50));
    }

    @Test
    void tasksBehindTheOrderAndThoseTriedAgainCountAsUsualOnes() {
        assertThat(left(rest(100, 0, 1000, 1000), run(200, 0, 0), 200, 40, 0, 0))
                .contains(Duration.ofSeconds(50));
        assertThat(left(rest(100, 100, 1000, 0), run(100, 90, 0), 10, 2, 0, 0)).contains(Duration.ofSeconds(50));
    }

    @Test
    void nobodyKnowsWithoutSlotsAndNothingIsLeftInTheEnd() {
        assertThat(left(rest(100, 0, 1000, 1000), run(100, 0, 0), 100, 0, 0, 0)).isEmpty();
        assertThat(left(rest(100, 100, 1000, 0), run(100, 100, 0), 0, 10, 100, 1000))
                .isEmpty();
    }
}
