package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.taskset.ExecutionSpec;
import dev.quiver.lifecycle.taskset.TaskSetStatus;

class DesksTest {

    private final Desks desks = new Desks();

    private Desk idle(String uid) {
        ExecutionSpec spec = new ExecutionSpec(
                uid, List.of("true"), List.of(), List.of(), Optional.empty(), new ExecutionSpec.TaskSource.Items());
        Desk desk = desks.open(uid, spec, Handlers.NONE);
        desk.learned(TaskSetStatus.RUNNING, 0, true, true);
        return desk;
    }

    @Test
    void remembersASetWithNothingToDoForTenSeconds() {
        idle("a");
        desks.clearIdle(0);
        desks.clearIdle(TimeUnit.SECONDS.toNanos(9));
        assertThat(desks.knows("a")).isTrue();
        desks.clearIdle(TimeUnit.SECONDS.toNanos(10));
        assertThat(desks.knows("a")).isFalse();
        assertThat(desks.find("a")).isEmpty();
    }

    @Test
    void countsTheTimeFromItsLastWork() {
        Desk desk = idle("a");
        desks.clearIdle(0);
        desk.invited();
        desks.clearIdle(TimeUnit.SECONDS.toNanos(9));
        desk.learned(TaskSetStatus.RUNNING, 0, true, true);
        desks.clearIdle(TimeUnit.SECONDS.toNanos(12));
        desks.clearIdle(TimeUnit.SECONDS.toNanos(21));
        assertThat(desks.knows("a")).isTrue();
    }

    @Test
    void forgetsASetThatIsOverAtOnce() {
        idle("a").learned(TaskSetStatus.SUCCEEDED);
        desks.clearIdle(0);
        assertThat(desks.knows("a")).isFalse();
    }

    @Test
    void remembersTheLatestFewOnly() {
        for (String uid : List.of("a", "b", "c", "d", "e", "f")) {
            idle(uid);
        }
        desks.clearIdle(0);
        assertThat(desks.all()).extracting(Desk::uid).containsExactly("c", "d", "e", "f");
    }

    @Test
    void anInvitationOutlastsTheAnswerOfAStepThatIsOlder() {
        Desk desk = idle("a");
        desk.stepping(true);
        desk.invited();
        desk.stepping(false);
        desk.learned(TaskSetStatus.RUNNING, 0, false, false);
        assertThat(desk.claims()).isTrue();

        desk.stepping(true);
        desk.stepping(false);
        desk.learned(TaskSetStatus.RUNNING, 0, true, true);
        assertThat(desk.claims()).as("a younger answer").isFalse();
    }
}
