package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.NamedTask;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.supervisor.execution.AttemptResult;

class SettlementsTest {

    private static final Claim CLAIM = new Claim("uid", "3", 1, Place.slot(0, 1), new NamedTask("uid/3", "spec/a", 2));

    @Test
    void passesWithItsRunTime() {
        assertThat(Settlements.of(CLAIM, AttemptResult.passed(Duration.ofSeconds(2))))
                .isEqualTo(new Settlement.Passed(CLAIM, Duration.ofSeconds(2)));
    }

    @Test
    void samplesAFailureWithTheTasksNameAndTrial() {
        AttemptResult ending =
                new AttemptResult(AttemptResult.Kind.FAILED, 3, 0, "NonZeroExit", "boom", Duration.ofMillis(9));
        Settlement.Failed failed = (Settlement.Failed) Settlements.of(CLAIM, ending);
        assertThat(failed.failure().task()).isEqualTo("spec/a");
        assertThat(failed.failure().trial()).isEqualTo(2);
        assertThat(failed.failure().exitCode()).contains(3);
        assertThat(failed.failure().signal()).isEmpty();
        assertThat(failed.failure().message()).isEqualTo("boom");
    }

    @Test
    void passesOnWhenAFailureMayBeTriedAgain() {
        for (Retry retry : List.of(Retry.AT_ONCE, Retry.NEVER, new Retry.After(Duration.ofSeconds(3)))) {
            AttemptResult ending = new AttemptResult(
                    AttemptResult.Kind.FAILED, -1, 0, "Exception", "ValueError: no", Duration.ZERO, retry);
            assertThat(((Settlement.Failed) Settlements.of(CLAIM, ending)).retry())
                    .isEqualTo(retry);
        }
        AttemptResult impossible = AttemptResult.notStarted("InputTooLarge", "5 bytes, slots.inputSize is 4");
        assertThat(((Settlement.Failed) Settlements.of(CLAIM, impossible)).retry())
                .isEqualTo(Retry.NEVER);
    }

    @Test
    void aTaskWhoseExecutorDiedWasLostAndDidNotFail() {
        Settlement.Lost lost = (Settlement.Lost) Settlements.gone(CLAIM, true, "its executor died");
        assertThat(lost.failure().reason()).isEqualTo("WorkerLost");
        assertThat(lost.failure().task()).isEqualTo("spec/a");
        assertThat(lost.failure().message()).isEqualTo("its executor died");
        AttemptResult runner = new AttemptResult(AttemptResult.Kind.LOST, -1, 0, "RunnerDied", "", Duration.ZERO);
        assertThat(Settlements.of(CLAIM, runner)).isInstanceOf(Settlement.Lost.class);
    }

    @Test
    void usesNoTrialForWhatWasCutOffOrNeverStarted() {
        AttemptResult cut = new AttemptResult(AttemptResult.Kind.CUT_OFF, -1, 15, "Drained", "", Duration.ZERO);
        assertThat(Settlements.of(CLAIM, cut)).isEqualTo(new Settlement.Returned(CLAIM));
        assertThat(Settlements.gone(CLAIM, false, "")).isEqualTo(new Settlement.Returned(CLAIM));
    }
}
