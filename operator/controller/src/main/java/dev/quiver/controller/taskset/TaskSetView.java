package dev.quiver.controller.taskset;

import java.time.Instant;
import java.util.Optional;

import dev.quiver.controller.reconcile.Built;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.Pace;
import dev.quiver.controller.run.RunProgress;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.RecordBacklog;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetSpec;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/**
 * The facts about a run at the start of a reconcile.
 *
 * @param before the status last written; empty components when there was none
 * @param keyspace of its state
 * @param adjusted whether Redis has the limits of this generation from this leader
 * @param pace the run's recent pace
 * @param now by the operator's clock, for transition times; Redis' clock ends a run
 * @param backlog of history in its keyspace; absent while it is not known
 */
@Built
record TaskSetView(
        TaskSet set,
        TaskSetStatus before,
        Keyspace keyspace,
        ObservedStore<TaskSetSnapshot> store,
        ObservedPool workers,
        boolean adjusted,
        Pace pace,
        Instant now,
        Optional<RecordBacklog> backlog) {

    TaskSetSpec spec() {
        return set.getSpec();
    }

    /** The resources that it waits for. */
    Blockage blockage() {
        return TaskSetBlockage.of(this);
    }

    boolean finished() {
        return Conditions.isTrue(before.conditions(), ConditionType.Finished);
    }

    /** Whether the status has ever shown numbers from Redis: then a run that Redis does not have was lost. */
    boolean accepted() {
        return before.total() != null;
    }

    /** Replicas 0 of a shared pool suspend the run as well: no worker may work for it. */
    boolean wantsSuspension() {
        return spec().suspend() || (spec().sharedPool().isPresent() && spec().replicas() == 0);
    }

    /** The progress of a run that goes on. */
    static Optional<RunProgress> going(TaskSetSnapshot run) {
        return run.status().isFinal() ? Optional.empty() : Optional.of(progress(run));
    }

    /** The progress of a run, by its numbers in Redis. */
    static RunProgress progress(TaskSetSnapshot run) {
        return new RunProgress(
                run.startedAt(),
                run.storeTime(),
                run.total(),
                run.succeeded() + run.failed(),
                run.running(),
                run.trials(),
                run.runTime());
    }

    /** The pool that works for a TaskSet, as the informer has it. */
    static ObservedPool workers(TaskSet set, Optional<WorkerPool> pool) {
        return set.getSpec().sharedPool().isPresent()
                ? ObservedPool.shared(set.poolName(), pool)
                : ObservedPool.own(set, set.poolName(), pool);
    }
}
