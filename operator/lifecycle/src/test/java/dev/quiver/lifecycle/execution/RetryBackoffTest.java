package dev.quiver.lifecycle.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

class RetryBackoffTest {

    private final Random random = new Random(1);

    @Test
    void growsByItsFactorUpToTheLongestWait() {
        RetryBackoff backoff = new RetryBackoff(Duration.ofSeconds(2), 3, Duration.ofSeconds(30), 0);
        assertThat(IntStream.rangeClosed(1, 5)
                        .mapToObj(failed -> backoff.after(failed, random).toSeconds()))
                .containsExactly(2L, 6L, 18L, 30L, 30L);
        assertThat(backoff.after(1_000_000, random)).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void jitterAddsNoMoreThanItsShare() {
        RetryBackoff backoff = new RetryBackoff(Duration.ofSeconds(10), 1, Duration.ofSeconds(10), 50);
        assertThat(IntStream.range(0, 1000)
                        .mapToObj(i -> backoff.after(1, random).toMillis()))
                .allMatch(millis -> millis >= 10_000 && millis <= 15_000)
                .anyMatch(millis -> millis > 14_000);
    }

    @Test
    void refusesWhatIsNoWait() {
        assertThatThrownBy(() -> new RetryBackoff(Duration.ofSeconds(1), 0, Duration.ZERO, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("backoff is PT1S × 0 + 0 %, which is no wait");
    }
}
