package dev.quiver.controller.taskset;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;

/** Decides the next act of a run. Pure: a half-done act is decided again from the facts. */
final class TaskSetPlanner {

    private TaskSetPlanner() {}

    static TaskSetPlan plan(TaskSetView view) {
        if (view.finished()) {
            boolean stillGoing =
                    view.store().snapshot().filter(s -> !s.status().isFinal()).isPresent();
            return new TaskSetPlan.Retire(stillGoing);
        }
        return switch (view.store()) {
            case ObservedStore.Away(var reason, var message) ->
                new TaskSetPlan.Hold(
                        view.accepted() ? TaskSetReason.Running : TaskSetReason.Accepting,
                        "Waiting for Redis (" + reason + "): " + message);
            case ObservedStore.Answered(Optional<TaskSetSnapshot> run) ->
                run.map(r -> steer(view, r)).orElseGet(() -> absent(view));
        };
    }

    private static TaskSetPlan absent(TaskSetView view) {
        if (view.accepted() && view.spec().storeLossPolicy() == StoreLossPolicy.Fail) {
            return new TaskSetPlan.Conclude(
                    TaskSetReason.StoreLost,
                    "Redis has lost the state of the run; spec.storeLossPolicy is Fail. The numbers are the last known.");
        }
        if (view.spec().cancel()) {
            return new TaskSetPlan.Conclude(
                    TaskSetReason.Cancelled, "spec.cancel was set before any task was started.");
        }
        return blocked(view).orElseGet(() -> new TaskSetPlan.Accept(view.accepted()));
    }

    private static Optional<TaskSetPlan> blocked(TaskSetView view) {
        return switch (view.workers()) {
            case ObservedPool.Missing(var name) ->
                Optional.of(new TaskSetPlan.Hold(
                        TaskSetReason.WorkerPoolNotFound,
                        "spec.workerPoolRef.name: there is no WorkerPool " + name + " in this namespace."));
            case ObservedPool.NameTaken(var name) ->
                Optional.of(new TaskSetPlan.Hold(
                        TaskSetReason.WorkerPoolNameTaken,
                        "WorkerPool " + name + " exists and does not belong to this TaskSet; delete it or give this"
                                + " TaskSet another name."));
            case ObservedPool.Terminating(var name) ->
                Optional.of(new TaskSetPlan.Hold(
                        TaskSetReason.Accepting,
                        "WorkerPool " + name
                                + " of an earlier TaskSet is still being removed; this run gets its own when"
                                + " that is gone."));
            case ObservedPool.Own _, ObservedPool.Shared _ -> Optional.empty();
        };
    }

    private static TaskSetPlan steer(TaskSetView view, TaskSetSnapshot run) {
        if (!run.status().isFinal() && !view.spec().cancel() && !run.sourceClosed()) {
            return new TaskSetPlan.Accept(false);
        }
        List<StatusChange> endings = new ArrayList<>();
        if (!run.status().isFinal()) {
            if (view.spec().cancel()) {
                endings.add(new StatusChange.Cancel());
            } else if (view.wantsSuspension() && run.status() == TaskSetState.RUNNING) {
                endings.add(new StatusChange.Suspend());
            } else if (!view.wantsSuspension() && run.status() == TaskSetState.SUSPENDED) {
                endings.add(new StatusChange.Resume());
            } else if (overdue(view, run)) {
                endings.add(new StatusChange.Expire());
            }
        }
        return new TaskSetPlan.Steer(endings, !view.adjusted() && !run.status().isFinal());
    }

    /** Whether the deadline has passed by Redis' clock, which decides when the change reaches Redis. */
    private static boolean overdue(TaskSetView view, TaskSetSnapshot run) {
        return view.spec()
                .activeDeadline()
                .flatMap(limit -> run.startedAt().map(start -> start.plus(limit)))
                .filter(end -> !end.isAfter(run.storeTime()))
                .isPresent();
    }
}
