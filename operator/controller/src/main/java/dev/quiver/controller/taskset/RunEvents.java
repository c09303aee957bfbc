package dev.quiver.controller.taskset;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.Announcement;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetStatus;

/**
 * What a person should be told about a run, from how its status changed: its beginning, its end, what it waits for a
 * person for. Never about a task, nor about Redis being away, which the condition of every run says already. Pure.
 */
final class RunEvents {

    private static final Set<String> WAITS_FOR_A_PERSON = Set.of(
            TaskSetReason.SourceNotFound.name(),
            TaskSetReason.WorkerPoolNotFound.name(),
            TaskSetReason.WorkerPoolNameTaken.name(),
            TaskSetReason.WorkerPoolRefused.name());

    private RunEvents() {}

    /** To be told when it is done, not when the status is written: nothing in the status says later that it was. */
    static Announcement resubmitted(TaskSetStatus before, TaskSetStatus after) {
        boolean sameSource = Objects.equals(before.sourceHash(), after.sourceHash());
        return Announcement.warning(
                TaskSetReason.StoreLost.name(),
                "Redis had lost the state of the run; it was started again from its source"
                        + " (spec.storeLossPolicy: Resubmit)."
                        + (sameSource
                                ? ""
                                : " The source has changed since the run was accepted: it had " + before.total()
                                        + " tasks, now it has " + after.total() + "."));
    }

    static List<Announcement> of(TaskSetStatus before, TaskSetStatus after) {
        List<Announcement> told = new ArrayList<>();
        if (before.total() == null && after.total() != null) {
            told.add(Announcement.normal("Accepted", after.total() + " tasks were accepted."));
        }
        Optional<Condition> was = Conditions.find(before.conditions(), ConditionType.Finished);
        Conditions.find(after.conditions(), ConditionType.Finished)
                .filter(is -> was.filter(w -> same(w, is)).isEmpty())
                .ifPresent(is -> finished(after, is).ifPresent(told::add));
        Conditions.find(after.conditions(), ConditionType.HandlerAvailable)
                .filter(is -> "False".equals(is.getStatus()))
                .filter(is -> Conditions.find(before.conditions(), ConditionType.HandlerAvailable)
                        .filter(w -> same(w, is))
                        .isEmpty())
                .ifPresent(is -> told.add(Announcement.warning(is.getReason(), is.getMessage())));
        boolean rested = Conditions.isTrue(before.conditions(), ConditionType.Suspended);
        boolean rests = Conditions.isTrue(after.conditions(), ConditionType.Suspended);
        boolean over = Conditions.isTrue(after.conditions(), ConditionType.Finished);
        if (rested != rests && !over) {
            told.add(
                    rests
                            ? Announcement.normal("Suspended", "The run was suspended.")
                            : Announcement.normal("Resumed", "The run was resumed."));
        }
        return told;
    }

    private static Optional<Announcement> finished(TaskSetStatus after, Condition finished) {
        if ("True".equals(finished.getStatus())) {
            boolean good = Conditions.isTrue(after.conditions(), ConditionType.Succeeded);
            return Optional.of(new Announcement(!good, finished.getReason(), finished.getMessage()));
        }
        return WAITS_FOR_A_PERSON.contains(finished.getReason())
                ? Optional.of(Announcement.warning(finished.getReason(), finished.getMessage()))
                : Optional.empty();
    }

    private static boolean same(Condition one, Condition other) {
        return one.getStatus().equals(other.getStatus()) && one.getReason().equals(other.getReason());
    }
}
