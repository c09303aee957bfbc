package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import dev.quiver.supervisor.engine.session.StepTiming.Facts;
import dev.quiver.supervisor.engine.session.StepTiming.When;

class StepTimingTest {

    private static final int BATCH = 64;

    @Test
    void sendsAtOnceWhenASlotWouldFallIdle() {
        assertThat(StepTiming.decide(new Facts(1, 0, 1, 0, 0, BATCH))).isInstanceOf(When.Now.class);
        assertThat(StepTiming.decide(new Facts(0, 0, 3, 0, 0, BATCH))).isInstanceOf(When.Now.class);
    }

    @Test
    void letsResultsCollectWhileTheRingFeedsTheSlots() {
        assertThat(StepTiming.decide(new Facts(3, 500_000, 3, 30, 40, BATCH))).isEqualTo(new When.In(3_500_000));
    }

    @Test
    void sendsWhenTheRingIsHalfEmpty() {
        assertThat(StepTiming.decide(new Facts(3, 0, 3, 20, 40, BATCH))).isInstanceOf(When.Now.class);
    }

    @Test
    void sendsAFullBatch() {
        assertThat(StepTiming.decide(new Facts(BATCH, 0, 0, 40, 40, BATCH))).isInstanceOf(When.Now.class);
    }

    @Test
    void sendsResultsAfterTheLinger() {
        assertThat(StepTiming.decide(new Facts(1, 0, 0, 1, 0, BATCH)))
                .isEqualTo(new When.In(StepTiming.LINGER.toNanos()));
        assertThat(StepTiming.decide(new Facts(1, StepTiming.LINGER.toNanos(), 0, 1, 0, BATCH)))
                .isInstanceOf(When.Now.class);
    }

    @Test
    void sendsResultsAtOnceWhenNothingWaitsForTheirSlots() {
        assertThat(StepTiming.decide(new Facts(1, 0, 0, 0, 0, BATCH))).isInstanceOf(When.Now.class);
    }

    @Test
    void hasNothingToSayWithoutResultsAndClaims() {
        assertThat(StepTiming.decide(new Facts(0, 0, 0, 0, 0, BATCH))).isInstanceOf(When.Idle.class);
        assertThat(StepTiming.decide(new Facts(0, 0, 4, 40, 40, BATCH))).isInstanceOf(When.Idle.class);
    }
}
