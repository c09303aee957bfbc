package dev.quiver.controller.taskset;

import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.run.BlockedCondition;
import dev.quiver.controller.run.HandlerCondition;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.PoolMessages;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.HistoryCondition;
import dev.quiver.controller.status.StoreCondition;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.RunHistory;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;

/** The conditions of a run, with messages. Pure. */
final class TaskSetConditions {

    private static final String TASK = "task";

    private TaskSetConditions() {}

    /**
     * All conditions, fresh.
     *
     * @param hold of a run that waits
     * @param outcome of a run that is over
     */
    static List<Condition> of(TaskSetView view, Optional<TaskSetPlan.Hold> hold, Optional<TaskSetOutcome> outcome) {
        Conditions fresh = new Conditions(
                view.before().conditions(), view.set().getMetadata().getGeneration(), view.now());
        outcome.ifPresentOrElse(
                v -> fresh.set(ConditionType.Finished, ConditionStatus.True, v.reason(), v.message())
                        .set(ConditionType.Succeeded, ConditionStatus.of(v.succeeded()), v.reason(), v.message()),
                () -> unfinished(view, hold, fresh));
        if (outcome.isEmpty()) {
            TaskSetHandler.of(view).ifPresent(handler -> handler.set(fresh));
        } else {
            TaskSetHandler.ofOver(view)
                    .ifPresentOrElse(handler -> handler.set(fresh), () -> fresh.keep(ConditionType.HandlerAvailable));
        }
        suspended(view, outcome, fresh);
        if (outcome.isEmpty()) {
            BlockedCondition.set(view.blockage(), TASK, view.before().conditions(), fresh);
        }
        store(view, fresh);
        RunHistory history = view.spec().historyOrDefault();
        if (outcome.isEmpty() && history.keep() != RunHistory.Keep.None) {
            boolean waits = history.whenFull() == RunHistory.WhenFull.Wait;
            view.backlog()
                    .ifPresentOrElse(
                            behind -> HistoryCondition.set(fresh, behind.reason(waits), behind.message(waits)),
                            () -> HistoryCondition.unknown(fresh));
        }
        return fresh.list();
    }

    private static void unfinished(TaskSetView view, Optional<TaskSetPlan.Hold> hold, Conditions fresh) {
        if (!view.store().asked() && fresh.keep(ConditionType.Finished) && fresh.keep(ConditionType.Succeeded)) {
            return;
        }
        Reason reason;
        String message;
        Optional<TaskSetSnapshot> run = view.store().snapshot();
        if (hold.isPresent()) {
            reason = hold.get().reason();
            message = hold.get().message();
        } else if (run.isEmpty() || !run.get().sourceClosed()) {
            reason = TaskSetReason.Accepting;
            message = reason.sentence();
        } else if (view.wantsSuspension()) {
            reason = TaskSetReason.Suspended;
            message = view.spec().suspend() ? reason.sentence() : "spec.replicas is 0: no worker may work for the run.";
        } else if (view.workers() instanceof ObservedPool.Missing(var name)) {
            reason = TaskSetReason.WorkerPoolNotFound;
            message = "spec.workerPoolRef.name: there is no WorkerPool " + name + " any more; " + waiting(run.get())
                    + " until it is made again.";
        } else if (poolElsewhere(view).isPresent()) {
            reason = TaskSetReason.WaitingForWorkers;
            message = poolElsewhere(view).get();
        } else if (idle(run.get()) && view.blockage().waiting() > 0) {
            reason = BlockedCondition.reason(view.blockage());
            message =
                    BlockedCondition.words(view.blockage(), TASK, view.before().conditions());
        } else if (idle(run.get()) && unserved(view).isPresent()) {
            reason = TaskSetReason.WaitingForWorkers;
            message = unserved(view).get();
        } else if (idle(run.get()) && view.workers().ready() == 0) {
            reason = TaskSetReason.WaitingForWorkers;
            message = waitingFor(view, run.get());
        } else if (idle(run.get()) && busyWithOthers(view)) {
            reason = TaskSetReason.WaitingForWorkers;
            message = waiting(run.get()) + " for a free slot: the workers of WorkerPool "
                    + view.set().poolName() + " are busy with other runs.";
        } else {
            reason = TaskSetReason.Running;
            message = reason.sentence();
        }
        fresh.set(ConditionType.Finished, ConditionStatus.False, reason, message)
                .set(ConditionType.Succeeded, ConditionStatus.Unknown, reason, message);
    }

    private static boolean idle(TaskSetSnapshot run) {
        return run.running() == 0 && run.queued() > 0;
    }

    private static Optional<String> unserved(TaskSetView view) {
        return TaskSetHandler.of(view)
                .filter(handler -> handler.unavailable()
                        || handler.nothingAnnounced() && view.workers().ready() > 0)
                .map(HandlerCondition::message);
    }

    private static Optional<String> poolElsewhere(TaskSetView view) {
        return view.workers().serving().flatMap(pool -> PoolMessages.elsewhere(pool, view.keyspace(), "TaskSet"));
    }

    private static String waitingFor(TaskSetView view, TaskSetSnapshot run) {
        String why = view.workers().serving().map(PoolMessages::whyNotReady).orElse("");
        return (waiting(run) + " and no worker is ready. " + why).strip();
    }

    private static String waiting(TaskSetSnapshot run) {
        return run.queued() == 1 ? "1 task waits" : run.queued() + " tasks wait";
    }

    private static boolean busyWithOthers(TaskSetView view) {
        return view.workers() instanceof ObservedPool.Shared(var pool) && PoolMessages.isBusy(pool);
    }

    private static void suspended(TaskSetView view, Optional<TaskSetOutcome> outcome, Conditions fresh) {
        boolean resting = view.store()
                .snapshot()
                .map(run -> run.status() == TaskSetState.SUSPENDED)
                .orElse(view.spec().suspend());
        boolean holds = outcome.isEmpty() && resting && view.spec().suspend();
        fresh.set(
                ConditionType.Suspended,
                ConditionStatus.of(holds),
                holds ? TaskSetReason.Suspended : TaskSetReason.NotSuspended);
    }

    private static void store(TaskSetView view, Conditions fresh) {
        switch (view.store()) {
            case ObservedStore.Away(StoreReason reason, String message) -> StoreCondition.away(fresh, reason, message);
            case ObservedStore.Answered<TaskSetSnapshot> _ -> StoreCondition.up(fresh);
        }
    }
}
