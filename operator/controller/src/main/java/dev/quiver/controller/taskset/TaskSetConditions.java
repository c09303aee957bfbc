package dev.quiver.controller.taskset;

import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.run.HandlerCondition;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.StoreCondition;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetStatus;

/** The conditions of a run, with messages. Pure. */
final class TaskSetConditions {

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
        store(view, fresh);
        return fresh.list();
    }

    private static void unfinished(TaskSetView view, Optional<TaskSetPlan.Hold> hold, Conditions fresh) {
        if (!view.store().asked() && fresh.keep(ConditionType.Finished) && fresh.keep(ConditionType.Succeeded)) {
            return;
        }
        TaskSetReason reason;
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

    /** The message for a pool that was made again in another keyspace: its workers do not see the run. */
    private static Optional<String> poolElsewhere(TaskSetView view) {
        return view.workers()
                .serving()
                .map(Keyspaces::of)
                .filter(of -> !of.equals(view.keyspace()))
                .map(of -> "WorkerPool " + view.set().poolName() + " has " + describe(of)
                        + " now, and the tasks of this run are"
                        + " in " + describe(view.keyspace())
                        + ", which its workers do not serve: make the pool as it was, or a new TaskSet.");
    }

    private static String describe(Keyspace keyspace) {
        return Keyspaces.name(keyspace).map(name -> "keyspace " + name).orElse("the keyspace of the namespace");
    }

    /** Repeats the pool's Ready condition, which a person who looks at the run needs. */
    private static String waitingFor(TaskSetView view, TaskSetSnapshot run) {
        String poolName = "WorkerPool " + view.set().poolName();
        String why = view.workers()
                .serving()
                .map(pool ->
                        pool.getSpec().replicas() == 0 ? poolName + " has spec.replicas: 0." : ready(poolName, pool))
                .orElse("");
        return (waiting(run) + " and no worker is ready. " + why).strip();
    }

    private static String ready(String poolName, WorkerPool pool) {
        return Optional.ofNullable(pool.getStatus())
                .flatMap(status -> Conditions.find(status.conditions(), ConditionType.Ready))
                .map(c -> poolName + ": " + c.getReason() + ": " + c.getMessage())
                .orElse("");
    }

    private static String waiting(TaskSetSnapshot run) {
        return run.queued() == 1 ? "1 task waits" : run.queued() + " tasks wait";
    }

    private static boolean busyWithOthers(TaskSetView view) {
        return view.workers() instanceof ObservedPool.Shared(var pool)
                && pool.getStatus() != null
                && pool.getStatus().busySlots() != null
                && pool.getStatus().busySlots() > 0;
    }

    private static void suspended(TaskSetView view, Optional<TaskSetOutcome> outcome, Conditions fresh) {
        boolean resting = view.store()
                .snapshot()
                .map(run -> run.status() == TaskSetStatus.SUSPENDED)
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
