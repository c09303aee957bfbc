package dev.quiver.controller.tree;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.status.Event;
import dev.quiver.crds.v1alpha1.TaskReason;

class TreeEventsTest {

    @Test
    void aKindAddsItsReasonsToThoseOfEveryTree() {
        assertThat(TreeEvents.waitingForAPerson(TaskReason.GraphInvalid))
                .containsExactlyInAnyOrder("WorkerPoolNotFound", "ScheduleInvalid", "GraphInvalid");
    }

    @Test
    void aResubmissionNamesTheKind() {
        assertThat(TreeEvents.resubmitted("the Task"))
                .returns("StoreLost", Event::reason)
                .returns(
                        "Redis had lost the state of the Task; it was started again (spec.storeLossPolicy: Resubmit).",
                        Event::message);
    }
}
