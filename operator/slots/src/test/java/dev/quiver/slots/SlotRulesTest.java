package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlotRulesTest {
    private static SlotView view(Op op, int ahead, Stage stage) {
        return SlotRules.view(Words.of(5 + ahead, op), Words.of(5, stage));
    }

    @ParameterizedTest
    @CsvSource({
        "RUN, 1, READY, PENDING",
        "RUN, 1, RETRY, PENDING",
        "RUN, 1, COMPLETE, PENDING",
        "CANCEL, 1, READY, CANCELLED",
        "CANCEL, 1, COMPLETE, CANCELLED",
        "CANCEL, 1, RETRY, CANCELLED",
        "RUN, 0, RUNNING, RUNNING",
        "RUN, 0, COMPLETE, COMPLETE",
        "RUN, 0, RETRY, RETRY",
        "RUN, 0, READY, WAITING",
        "CANCEL, 0, RUNNING, CANCELLED",
        "CANCEL, 0, COMPLETE, CANCELLED",
        "CANCEL, 0, RETRY, CANCELLED",
        "CANCEL, 0, CLEANING, CLEANING",
        "CANCEL, 0, READY, WAITING",
        "FAIL, 0, RETRY, FAILED",
        "FAIL, 0, READY, WAITING",
        "ACKNOWLEDGE, 0, COMPLETE, CLEANING",
        "ACKNOWLEDGE, 0, RETRY, CLEANING",
        "ACKNOWLEDGE, 0, CLEANING, CLEANING",
        "ACKNOWLEDGE, 0, READY, WAITING"
    })
    void readsEachPairOfTheTable(Op op, int ahead, Stage stage, SlotState state) {
        assertThat(view(op, ahead, stage)).isEqualTo(new SlotView.Seen(state));
    }

    @ParameterizedTest
    @CsvSource({
        "RUN, 1, RUNNING",
        "RUN, 1, CLEANING",
        "CANCEL, 1, RUNNING",
        "FAIL, 1, READY",
        "ACKNOWLEDGE, 1, RETRY",
        "ACKNOWLEDGE, 1, COMPLETE",
        "FAIL, 1, COMPLETE",
        "RUN, 0, CLEANING",
        "FAIL, 0, RUNNING",
        "FAIL, 0, COMPLETE",
        "FAIL, 0, CLEANING",
        "ACKNOWLEDGE, 0, RUNNING",
        "RUN, -1, READY",
        "RUN, 2, READY",
        "RUN, 0, NONE",
        "NONE, 0, RUNNING"
    })
    void callsEveryOtherPairImpossible(Op op, int ahead, Stage stage) {
        assertThat(view(op, ahead, stage)).isInstanceOf(SlotView.Impossible.class);
    }

    @ParameterizedTest
    @CsvSource({
        "PENDING, COMPLETE, true", "RUNNING, WAITING, true", "RETRY, FAILED, true", "FAILED, WAITING, true",
        "CANCELLED, COMPLETE, false", "CLEANING, CANCELLED, false", "COMPLETE, RETRY, false", "WAITING, RUNNING, false",
        "FAILED, CANCELLED, false"
    })
    void theTableLeadsForwardWithinATask(SlotState from, SlotState to, boolean leads) {
        assertThat(StateTable.mayFollow(from, to)).isEqualTo(leads);
    }

    @Test
    void callsUnknownCodesImpossible() {
        assertThat(SlotRules.view(5 << 8 | 9, Words.of(5, Stage.READY))).isInstanceOf(SlotView.Impossible.class);
        assertThat(SlotRules.view(Words.of(5, Op.RUN), 5 << 8 | 77)).isInstanceOf(SlotView.Impossible.class);
    }

    @ParameterizedTest
    @CsvSource({
        "5, RUNNING, 5, COMPLETE, true",
        "5, RUNNING, 5, READY, true",
        "5, COMPLETE, 5, RUNNING, false",
        "5, COMPLETE, 5, RETRY, false",
        "5, COMPLETE, 6, RUNNING, true",
        "5, COMPLETE, 5, READY, true",
        "5, READY, 5, CLEANING, false",
        "5, READY, 6, RUNNING, true",
        "6, RUNNING, 5, READY, false",
        "5, READY, 5, READY, true",
        "5, RUNNING, 5, NONE, true"
    })
    void letsAnExecutorsWordMoveForwardOnly(long g, Stage from, long h, Stage to, boolean allowed) {
        // A word that became zero is caught as a pair: NONE is no stage.
        assertThat(SlotRules.mayFollow(Words.of(g, from), Words.of(h, to))).isEqualTo(allowed);
    }
}
