package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.supervisor.execution.SlotUse;
import dev.quiver.supervisor.execution.TaskMark;

class TakeoversTest {

    private static Takeovers.Use runs(int slot, long token, long id, int trial) {
        return new Takeovers.Use(slot, new SlotUse(token, TaskMark.of("u/" + id, trial)), true);
    }

    private static Takeovers.Use ran(int slot, long token, long id, int trial) {
        return new Takeovers.Use(slot, new SlotUse(token, TaskMark.of("u/" + id, trial)), false);
    }

    private static Orphan orphan(long id, int trial, Place place) {
        return new Orphan("u", Long.toString(id), trial, place);
    }

    private static List<Takeover> decide(List<Takeovers.Use> uses, Orphan... orphans) {
        return new Takeovers(uses).decide(List.of(orphans));
    }

    @Test
    void takesOverWhatRunsWhereverItRuns() {
        assertThat(decide(
                        List.of(runs(0, 5, 7, 1), runs(1, 9, 8, 2)),
                        orphan(7, 1, Place.slot(0, 5)),
                        orphan(8, 2, Place.queued(3))))
                .containsExactly(new Takeover("u", "7", Place.slot(0, 5)), new Takeover("u", "8", Place.slot(1, 9)));
    }

    @Test
    void takesNoRunOfAnotherTaskNorOfAnotherTrial() {
        Orphan meantForSlot1 = orphan(7, 1, Place.slot(1, 9));
        assertThat(decide(List.of(runs(1, 9, 8, 1)), meantForSlot1))
                .as("another task got the slot, so this one was never started")
                .containsExactly(Takeover.notStarted(meantForSlot1));
        Orphan again = orphan(7, 2, Place.slot(1, 9));
        assertThat(decide(List.of(runs(1, 8, 7, 1)), again))
                .as("the slot has the result of the trial before")
                .containsExactly(Takeover.notStarted(again));
    }

    @Test
    void countsAsLostWhatMayHaveRun() {
        assertThat(decide(List.of(ran(1, 9, 7, 1)), orphan(7, 1, Place.slot(1, 9))))
                .as("it ran, and its result is gone")
                .isEmpty();
        assertThat(decide(List.of(ran(1, 12, 8, 1)), orphan(7, 1, Place.slot(1, 9))))
                .as("the slot was used again since")
                .isEmpty();
        assertThat(decide(List.of(), orphan(7, 1, Place.slot(1, 9))))
                .as("nothing is known of the slot")
                .isEmpty();
    }
}
