package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

class DrainTest {

    private static final long SECOND = 1_000_000_000L;

    private final Drain drain = new Drain(Duration.ofSeconds(300));

    @Test
    void stopsClaimsAtOnceAndWaitsForWhatRuns() {
        assertThat(drain.claims()).isTrue();
        assertThat(drain.request(DrainCause.PRE_STOP, 0)).isTrue();
        assertThat(drain.claims()).isFalse();
        assertThat(drain.advance(299 * SECOND, 2)).isEqualTo(DrainState.DRAINING);
        assertThat(drain.advance(299 * SECOND, 0)).isEqualTo(DrainState.DRAINED);
    }

    @Test
    void stopsRunningTasksWhenPatienceIsOver() {
        drain.request(DrainCause.TERMINATED, 0);
        assertThat(drain.nanosLeft(100 * SECOND)).isEqualTo(200 * SECOND);
        assertThat(drain.advance(300 * SECOND, 1)).isEqualTo(DrainState.FORCING);
        assertThat(drain.advance(305 * SECOND, 1)).isEqualTo(DrainState.FORCING);
        assertThat(drain.advance(308 * SECOND, 1)).isEqualTo(DrainState.ABANDONING);
        assertThat(drain.advance(310 * SECOND, 1)).isEqualTo(DrainState.DRAINED);
    }

    @Test
    void countsPatienceFromTheFirstCause() {
        drain.request(DrainCause.PRE_STOP, 0);
        assertThat(drain.request(DrainCause.TERMINATED, 200 * SECOND)).isFalse();
        assertThat(drain.advance(300 * SECOND, 1)).isEqualTo(DrainState.FORCING);
    }

    @Test
    void servesAgainWhenTheOperatorWithdraws() {
        drain.request(DrainCause.OPERATOR, 0);
        assertThat(drain.advance(SECOND, 0)).isEqualTo(DrainState.DRAINED);
        assertThat(drain.withdraw()).isTrue();
        assertThat(drain.claims()).isTrue();
    }

    @Test
    void staysDrainingWhenThePodIsDeletedMeanwhile() {
        drain.request(DrainCause.OPERATOR, 0);
        drain.request(DrainCause.PRE_STOP, 1);
        assertThat(drain.withdraw()).isFalse();
        assertThat(drain.claims()).isFalse();
    }
}
