package dev.quiver.supervisor.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

class RetryBackoffTest {

    @Test
    void doublesUpToTheLongestAndStartsAgainAfterASuccess() {
        Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), new SplittableRandom(1));
        for (long about : new long[] {100, 200, 400, 800, 1000, 1000}) {
            assertThat(backoff.next()).isBetween(Duration.ofMillis(about / 2), Duration.ofMillis(about));
        }
        backoff.reset();
        assertThat(backoff.next()).isLessThanOrEqualTo(Duration.ofMillis(100));
    }
}
