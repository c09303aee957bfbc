package dev.quiver.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

/** JUnit finds {@link Patience}. */
class PatienceTest {

    @Test
    void boundsAWaitThatNamesNoBound() {
        AtomicReference<Duration> left = new AtomicReference<>();
        await().conditionEvaluationListener(seen -> left.set(Duration.ofMillis(seen.getRemainingTimeInMS())))
                .until(() -> true);
        assertThat(left.get()).isBetween(Patience.LIMIT.dividedBy(2), Patience.LIMIT);
    }
}
