package dev.quiver.controller.taskset.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.run.RunPace;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.StoreCondition;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetRun;
import dev.quiver.crds.v1alpha1.TaskSetScheduleStatus;
import dev.quiver.crds.v1alpha1.TaskSetScheduleStatusBuilder;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;

/** The status of a schedule: its numbers are those of the latest run. Pure. */
final class ScheduledStatus {

    private static final int MOST_NAMED = 3;

    private ScheduledStatus() {}

    /** The status after this plan. */
    static TaskSetStatus of(ScheduleView view, SchedulePlan plan) {
        boolean over = plan.stop().filter(SchedulePlan.Stop::over).isPresent();
        long generation = view.set().getMetadata().getGeneration();
        List<Condition> conditions = conditions(view, plan, generation);
        TaskSetStatus numbers = view.runs().stream()
                .findFirst()
                .map(ScheduledRun::status)
                .orElseGet(() -> TaskSetStatusBuilder.builder().build());
        return TaskSetStatusBuilder.builder(numbers)
                .observedGeneration(generation)
                .completionTime(over ? time(view.now()) : null)
                .sourceHash(null)
                .keyspace(null)
                .failures(List.of())
                .schedule(schedule(view, plan))
                .conditions(conditions)
                .build();
    }

    private static TaskSetScheduleStatus schedule(ScheduleView view, SchedulePlan plan) {
        Optional<TaskSetScheduleStatus> last = view.last();
        return TaskSetScheduleStatusBuilder.builder()
                .lastScheduleTime(begun(view, plan)
                        .map(ScheduledStatus::time)
                        .orElse(last.map(TaskSetScheduleStatus::lastScheduleTime)
                                .orElse(null)))
                .nextScheduleTime(plan.next().map(ScheduledStatus::time).orElse(null))
                .lastSuccessfulTime(view.runs().stream()
                        .filter(ScheduledRun::succeeded)
                        .map(run -> run.status().completionTime())
                        .max(String::compareTo)
                        .or(() -> last.map(TaskSetScheduleStatus::lastSuccessfulTime))
                        .orElse(null))
                .settledTime(time(plan.settled()))
                .missed(last.map(TaskSetScheduleStatus::missed).orElse(0L) + plan.missed())
                .runs(view.runs().stream()
                        .filter(run -> !plan.forget().contains(run))
                        .limit(TaskSetScheduleStatus.MAX_RUNS)
                        .map(ScheduledStatus::row)
                        .toList())
                .build();
    }

    /** The latest time whose run exists. */
    private static Optional<Instant> begun(ScheduleView view, SchedulePlan plan) {
        return view.runs().stream()
                .map(ScheduledRun::due)
                .filter(due -> !due.isAfter(plan.settled()))
                .findFirst();
    }

    private static TaskSetRun row(ScheduledRun run) {
        TaskSetStatus status = run.status();
        return new TaskSetRun(
                run.set().getMetadata().getName(),
                time(run.due()),
                status.startTime(),
                status.completionTime(),
                status.progress(),
                Conditions.find(status.conditions(), ConditionType.Finished)
                        .map(Condition::getReason)
                        .orElse(TaskSetReason.Accepting.name()));
    }

    private static List<Condition> conditions(ScheduleView view, SchedulePlan plan, long generation) {
        Conditions fresh = new Conditions(view.before().conditions(), generation, view.now());
        boolean over = plan.stop().filter(SchedulePlan.Stop::over).isPresent();
        TaskSetReason reason = plan.stop()
                .map(SchedulePlan.Stop::reason)
                .orElse(view.spec().suspend() ? TaskSetReason.Suspended : TaskSetReason.Scheduled);
        String message = plan.stop().map(SchedulePlan.Stop::message).orElseGet(() -> goesOn(view, reason));
        fresh.set(ConditionType.Finished, ConditionStatus.of(over), reason, message)
                .set(ConditionType.Succeeded, over ? ConditionStatus.False : ConditionStatus.Unknown, reason, message);
        boolean suspended = !over && view.spec().suspend();
        fresh.set(
                ConditionType.Suspended,
                ConditionStatus.of(suspended),
                suspended ? TaskSetReason.Suspended : TaskSetReason.NotSuspended);
        switch (view.store()) {
            case StoreState.Away(var _, var why, String words) -> StoreCondition.away(fresh, why, words);
            case StoreState.Up _ -> StoreCondition.up(fresh);
        }
        return fresh.list();
    }

    private static String goesOn(ScheduleView view, TaskSetReason reason) {
        List<ScheduledRun> going = view.going();
        if (reason != TaskSetReason.Scheduled) {
            return reason.sentence();
        }
        if (view.schedule().suspend()) {
            return "spec.schedule.suspend is true: no run begins.";
        }
        return going.isEmpty()
                ? reason.sentence()
                : going.stream()
                                .limit(MOST_NAMED)
                                .map(run -> run.set().getMetadata().getName())
                                .collect(Collectors.joining(", ", "Going on: ", ""))
                        + (going.size() > MOST_NAMED ? " and " + (going.size() - MOST_NAMED) + " more." : ".");
    }

    /**
     * The time until the next look.
     *
     * @param statusTurn when the status may be written; absent when it was written
     */
    static Duration wait(SchedulePlan plan, Instant now, Optional<Duration> statusTurn) {
        boolean over = plan.stop().filter(SchedulePlan.Stop::over).isPresent();
        if (over && statusTurn.isEmpty()) {
            return RunPace.AT_ONCE;
        }
        Optional<Duration> due = plan.stop().isPresent()
                ? Optional.of(RunPace.POOL)
                : plan.next().map(next -> Duration.between(now, next).plusMillis(1));
        return RunPace.among(0, RunPace.soonest(List.of(due, statusTurn)), 0);
    }

    private static String time(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
