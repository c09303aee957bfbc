package dev.quiver.controller.taskset.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;

import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetSpec;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSetStatus;

/**
 * One run of a schedule. Its name has the minute at which it was due, so that one time makes one run, whoever makes it.
 *
 * @param set of the run
 * @param due when it was due, by its name
 * @param status as readers of the API have it
 */
record ScheduledRun(TaskSet set, Instant due, TaskSetStatus status) {

    private static final long MINUTE = Duration.ofMinutes(1).toSeconds();

    /** Digits of a minute in a name at most. */
    private static final int DIGITS = 9;

    /** The run that a TaskSet is; absent where it is none of this schedule's. */
    static Optional<ScheduledRun> of(TaskSet schedule, TaskSet set, TaskSetStatus status) {
        boolean owned = owner(set)
                .filter(owner -> owner.getUid().equals(schedule.getMetadata().getUid()))
                .isPresent();
        String prefix = schedule.getMetadata().getName() + "-";
        String name = set.getMetadata().getName();
        if (!owned || !name.startsWith(prefix)) {
            return Optional.empty();
        }
        String minute = name.substring(prefix.length());
        boolean number =
                minute.length() <= DIGITS && !minute.isEmpty() && minute.chars().allMatch(Character::isDigit);
        return number
                ? Optional.of(new ScheduledRun(set, Instant.ofEpochSecond(Long.parseLong(minute) * MINUTE), status))
                : Optional.empty();
    }

    /** The schedule that owns a TaskSet; absent where none does. */
    static Optional<OwnerReference> owner(TaskSet set) {
        return set.getMetadata().getOwnerReferences().stream()
                .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                .filter(owner -> owner.getKind().equals(set.getKind())
                        && owner.getApiVersion().equals(set.getApiVersion()))
                .findFirst();
    }

    /** The name of the run that is due then. */
    static String name(TaskSet schedule, Instant due) {
        return schedule.getMetadata().getName() + "-" + due.getEpochSecond() / MINUTE;
    }

    /** The TaskSet to make for a time. */
    static TaskSet make(TaskSet schedule, Instant due) {
        ObjectMeta its = schedule.getMetadata();
        TaskSet run = new TaskSet();
        run.setMetadata(new ObjectMetaBuilder()
                .withName(name(schedule, due))
                .withNamespace(its.getNamespace())
                .withLabels(its.getLabels())
                .addToLabels(Map.of(Quiver.MANAGED_BY_LABEL, Quiver.MANAGED_BY, Quiver.SCHEDULE_LABEL, its.getName()))
                .addToAnnotations(Quiver.SCHEDULED_TIME_ANNOTATION, due.toString())
                .addNewOwnerReference()
                .withApiVersion(schedule.getApiVersion())
                .withKind(schedule.getKind())
                .withName(its.getName())
                .withUid(its.getUid())
                .withController(true)
                .withBlockOwnerDeletion(true)
                .endOwnerReference()
                .build());
        TaskSetSpec spec = schedule.getSpec();
        run.setSpec(TaskSetSpecBuilder.builder(spec)
                .schedule(null)
                .cancel(false)
                .ttlSecondsAfterFinished(null)
                .taskSetClass(spec.namedClass().orElse(its.getName()))
                .build());
        return run;
    }

    /** Whether it is not over. */
    boolean goesOn() {
        return !Conditions.isTrue(status.conditions(), ConditionType.Finished);
    }

    boolean succeeded() {
        return !goesOn() && Conditions.isTrue(status.conditions(), ConditionType.Succeeded);
    }

    /** Whether it was told to end. */
    boolean cancelled() {
        return set.getSpec().cancel();
    }
}
