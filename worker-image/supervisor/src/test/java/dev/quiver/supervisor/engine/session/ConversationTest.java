package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
import dev.quiver.supervisor.engine.slots.HeldBytes;
import dev.quiver.supervisor.engine.slots.Permits;

class ConversationTest {

    private static final Claim CLAIM =
            new Claim("uid", "3", 1, Place.slot(0, 1), new MemorySource.Task("uid", 3, Optional.empty(), 1));
    private static final Settlement PASSED = new Settlement.Passed(CLAIM, Duration.ZERO);
    private static final Settlement FAILED = new Settlement.Failed(
            CLAIM, Duration.ZERO, TrialFailure.of("3", 1, Optional.of(1), Optional.empty(), "NonZeroExit", "it broke"));

    private final Conversation conversation = new Conversation(MemorySource.named("uid"), conversation -> null);

    private void add(int number, Settlement settlement) {
        for (int i = 0; i < number; i++) {
            conversation.add(new Conversation.Result(null, settlement, false, 0));
        }
    }

    @Test
    void aStepTakesAsManyPassesAsTheBatchHolds() {
        add(300, PASSED);
        assertThat(conversation.fitting(256, HeldBytes.of(0))).isEqualTo(256);
        conversation.take(256);
        assertThat(conversation.fitting(256, HeldBytes.of(0))).isEqualTo(44);
    }

    @Test
    void aStepTakesNoMoreFailuresThanTheContractAllows() {
        add(10, PASSED);
        add(100, FAILED);
        add(10, PASSED);
        assertThat(conversation.fitting(256, HeldBytes.of(0))).isEqualTo(10 + StepCall.MAX_FAILURES);
        assertThat(conversation.fitting(20, HeldBytes.of(0))).isEqualTo(20);
        conversation.take(10 + StepCall.MAX_FAILURES);
        assertThat(conversation.fitting(256, HeldBytes.of(0))).isEqualTo(46);
    }

    @Test
    void aStepTakesNoMoreBytesOfResultsThanTheContractAllowsAndOneLargerAlone() {
        add(1, returned(StepCall.MAX_RESULT_BYTES / 2));
        add(1, returned(StepCall.MAX_RESULT_BYTES / 2));
        add(1, returned(TaskResult.MAX_BYTES));
        add(3, returned(1));
        add(10, PASSED);
        assertThat(conversation.fitting(256, HeldBytes.of(0))).isEqualTo(2);
        conversation.take(2);
        assertThat(conversation.fitting(256, HeldBytes.of(0))).isEqualTo(1);
        conversation.take(1);
        assertThat(conversation.fitting(256, HeldBytes.of(0))).isEqualTo(13);
    }

    @Test
    void aStepReadsWhatThereIsMemoryForAndOneLargerAlone() {
        HeldBytes memory = HeldBytes.of(HeldBytes.OF_OUTPUT * 25_000L);
        ClaimedTask held = new ClaimedTask(null, CLAIM, new Permits().adopt(), 0);
        for (int i = 0; i < 5; i++) {
            conversation.add(Conversation.Result.unread(held, () -> PASSED, 10_000, 0));
        }
        conversation.add(Conversation.Result.unread(held, () -> PASSED, 40_000, 0));
        assertThat(conversation.fitting(256, memory)).isEqualTo(2);
        conversation.take(5);
        assertThat(conversation.fitting(256, memory))
                .as("larger than all that there is")
                .isEqualTo(1);
        HeldBytes.Share elsewhere = memory.output(1);
        assertThat(conversation.fitting(256, memory))
                .as("another set's is on its way")
                .isZero();
        elsewhere.close();
        assertThat(conversation.take(1).getFirst().read().settlement()).contains(PASSED);
    }

    @Test
    void anOutputThatIsNotReadMayTurnOutToBeAFailure() {
        ClaimedTask held = new ClaimedTask(null, CLAIM, new Permits().adopt(), 0);
        for (int i = 0; i < 100; i++) {
            conversation.add(Conversation.Result.unread(held, () -> FAILED, 1, 0));
        }
        assertThat(conversation.fitting(256, HeldBytes.of(1 << 20))).isEqualTo(StepCall.MAX_FAILURES);
    }

    private static Settlement returned(int bytes) {
        return new Settlement.Passed(CLAIM, Duration.ZERO, Optional.of(new TaskResult("1".repeat(bytes), -1)));
    }
}
