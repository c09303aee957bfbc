package dev.quiver.controller.taskset;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import dev.quiver.controller.run.RunEvents;
import dev.quiver.controller.status.Event;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetStatus;

/** The Events about a TaskSet, from the changes of its status and from acts. Pure. */
final class TaskSetEvents {

    private static final Set<String> WAITS_FOR_A_PERSON = Set.of(
            TaskSetReason.SourceNotFound.name(),
            TaskSetReason.WorkerPoolNotFound.name(),
            TaskSetReason.WorkerPoolNameTaken.name(),
            TaskSetReason.WorkerPoolRefused.name(),
            TaskSetReason.ScheduleInvalid.name(),
            TaskSetReason.RunRefused.name());

    private TaskSetEvents() {}

    /** The Event of a resubmission, to be written with the act: no later status shows it. */
    static Event resubmitted(TaskSetStatus before, TaskSetStatus after) {
        boolean sameSource = Objects.equals(before.sourceHash(), after.sourceHash());
        return Event.warning(
                TaskSetReason.StoreLost.name(),
                "Redis had lost the state of the run; it was started again from its source"
                        + " (spec.storeLossPolicy: Resubmit)."
                        + (sameSource
                                ? ""
                                : " The source has changed since the run was accepted: it had " + before.total()
                                        + " tasks, now it has " + after.total() + "."));
    }

    /** The Event of a run that goes out as its source has it, though it asked for another order. */
    static Event estimatesMissing(String why) {
        return Event.warning(
                "EstimatesMissing",
                "Tasks are given out in the order of the source, without the times of earlier runs: " + why + ".");
    }

    /** The Event of a run whose tasks run once at a time, though it asked for copies. */
    static Event speculationOff(String why) {
        return Event.warning("SpeculationOff", "No copy of a task is run: " + why + ".");
    }

    /** Events of a changed status, to be written after the status. */
    static List<Event> of(TaskSetStatus before, TaskSetStatus after) {
        List<Event> events = new ArrayList<>();
        if (before.total() == null && after.total() != null && after.schedule() == null) {
            events.add(Event.normal("Accepted", after.total() + " tasks were accepted."));
        }
        events.addAll(RunEvents.of(before.conditions(), after.conditions(), WAITS_FOR_A_PERSON));
        return events;
    }
}
