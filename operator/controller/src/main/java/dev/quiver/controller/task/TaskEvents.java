package dev.quiver.controller.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.quiver.controller.run.RunEvents;
import dev.quiver.controller.status.Event;
import dev.quiver.crds.v1alpha1.TaskNodeCounts;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TreeReason;

/** The Events about a Task, from the changes of its status and from acts. Pure. */
final class TaskEvents {

    private static final Set<String> WAITS_FOR_A_PERSON = Set.of(
            TreeReason.WorkerPoolNotFound.name(),
            TaskReason.PrefixNotGranted.name(),
            TaskReason.NotSupported.name(),
            TaskReason.GraphInvalid.name(),
            TreeReason.ScheduleInvalid.name());

    /** The Event of a resubmission, to be written with the act: no later status shows it. */
    static final Event RESUBMITTED = Event.warning(
            TreeReason.StoreLost.name(),
            "Redis had lost the state of the Task; it was started again (spec.storeLossPolicy: Resubmit).");

    private TaskEvents() {}

    /** Events of a changed status, to be written after the status. */
    static List<Event> of(TaskStatus before, TaskStatus after) {
        List<Event> events = new ArrayList<>();
        if (before.progress() == null && after.progress() != null) {
            long nodes = total(after.nodes());
            events.add(Event.normal("Accepted", nodes == 1 ? "1 node was accepted." : nodes + " nodes were accepted."));
        }
        events.addAll(RunEvents.of(before.conditions(), after.conditions(), WAITS_FOR_A_PERSON));
        return events;
    }

    private static long total(TaskNodeCounts is) {
        return is.waiting() + is.idle() + is.startable() + is.locked() + is.restart() + is.finished();
    }
}
