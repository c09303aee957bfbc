package dev.quiver.controller.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.TaskGraph;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.lifecycle.task.CronTimes;
import dev.quiver.lifecycle.task.ScheduleReport;
import dev.quiver.lifecycle.task.Trees.Change;

/** Decides the next act of a Task with a schedule that is not finished. Redis fires it; here it is put and steered. Pure. */
final class SchedulePlanner {

    private static final String KEPT = " The schedule and its work go on as they were before this change.";

    private SchedulePlanner() {}

    static TaskPlan plan(TaskView view) {
        return switch (view.store()) {
            case ObservedStore.Away(var reason, var message) ->
                view.accepted()
                        ? TaskPlanner.away(TaskReason.Scheduled, reason, message)
                        : valid(view.spec())
                                .refused()
                                .orElseGet(() -> TaskPlanner.away(TaskReason.Accepting, reason, message));
            case ObservedStore.Answered<ObservedTree> _ ->
                view.schedule().map(there -> steer(view, there)).orElseGet(() -> absent(view));
        };
    }

    /** A spec that can be put, or the end of its Task. */
    private record Checked(Optional<TaskGraph.Valid> graph, Optional<TaskPlan> refused) {}

    private static Checked valid(TaskSpec spec) {
        Optional<TaskPlan> refused = invalid(spec.schedule());
        if (refused.isPresent()) {
            return new Checked(Optional.empty(), refused);
        }
        return switch (TaskGraph.of(spec)) {
            case TaskGraph.Invalid(String _, String message) ->
                new Checked(
                        Optional.empty(), Optional.of(new TaskPlan.Conclude(TaskReason.GraphInvalid, message + ".")));
            case TaskGraph.Valid graph -> new Checked(Optional.of(graph), Optional.empty());
        };
    }

    private static Optional<TaskPlan> invalid(TaskSchedule schedule) {
        try {
            CronTimes.of(schedule.cron(), schedule.timeZone());
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(
                    new TaskPlan.Conclude(TaskReason.ScheduleInvalid, "spec.schedule: " + e.getMessage() + "."));
        }
    }

    private static TaskPlan absent(TaskView view) {
        if (view.accepted() && view.spec().storeLossPolicy() == StoreLossPolicy.Fail) {
            return TaskPlanner.LOST;
        }
        if (view.spec().cancel()) {
            return TaskPlanner.CANCELLED_BEFORE;
        }
        return put(view, List.of(), view.accepted());
    }

    private static TaskPlan put(TaskView view, List<TaskPlan.RunChange> changes, boolean resubmitted) {
        Checked checked = valid(view.spec());
        TaskPlan.Recur recur =
                new TaskPlan.Recur(checked.graph(), resubmitted, false, untidy(view), changes, Optional.empty());
        return checked.refused()
                .or(() -> newWork(view) ? TaskPlanner.unplaced(view) : Optional.empty())
                .map(refused -> kept(view, recur, refused))
                .orElse(recur);
    }

    /** A schedule that Redis has outlives a spec that cannot be put: a slip in an edit is no order to end it. */
    static TaskPlan kept(TaskView view, TaskPlan.Recur recur, TaskPlan refused) {
        return view.schedule().isEmpty()
                ? refused
                : switch (refused) {
                    case TaskPlan.Conclude(TaskReason reason, String message) ->
                        recur.without(new TaskPlan.Hold(reason, message + KEPT));
                    case TaskPlan.Hold hold -> recur.without(hold);
                    default -> refused;
                };
    }

    private static boolean untidy(TaskView view) {
        TaskSchedule limits = view.spec().schedule();
        return view.schedule()
                .filter(there -> there.exceeds(limits.successfulRunsHistoryLimit(), limits.failedRunsHistoryLimit()))
                .isPresent();
    }

    /** Whether Redis does not have the work of the spec; work that it has goes on without a pool, too. */
    private static boolean newWork(TaskView view) {
        return view.schedule().isEmpty()
                || !WorkHash.of(view.spec()).equals(view.before().workHash());
    }

    private static TaskPlan steer(TaskView view, ScheduleReport there) {
        List<TaskPlan.RunChange> changes = changes(view.spec(), there);
        if (view.spec().cancel()) {
            return new TaskPlan.Recur(
                    Optional.empty(), false, there.next().isPresent(), false, changes, Optional.empty());
        }
        if (!view.adjusted()) {
            return put(view, changes, false);
        }
        boolean tidy = changes.isEmpty() && untidy(view);
        return new TaskPlan.Recur(Optional.empty(), false, false, tidy, changes, Optional.empty());
    }

    private static List<TaskPlan.RunChange> changes(TaskSpec spec, ScheduleReport there) {
        List<TaskPlan.RunChange> changes = new ArrayList<>();
        boolean suspend = spec.suspend() && !spec.cancel();
        for (ScheduleReport.Run run : there.live()) {
            if (spec.cancel() && !run.rootOver()) {
                changes.add(new TaskPlan.RunChange(run.tree(), Change.CANCEL));
            }
            if (suspend != run.suspended()) {
                changes.add(new TaskPlan.RunChange(run.tree(), suspend ? Change.SUSPEND : Change.RESUME));
            }
        }
        return changes;
    }

    /** The changes that end all runs. */
    static List<TaskPlan.RunChange> cancelled(ScheduleReport there) {
        return there.live().stream()
                .filter(run -> !run.rootOver())
                .map(run -> new TaskPlan.RunChange(run.tree(), Change.CANCEL))
                .toList();
    }

    /** Whether Redis has it, still begins runs of it, or still runs one. */
    static boolean goesOn(TaskView view) {
        return view.schedule()
                .filter(there -> there.next().isPresent() || !cancelled(there).isEmpty())
                .isPresent();
    }
}
