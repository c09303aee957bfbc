package dev.quiver.controller.taskset;

import java.util.function.Function;

import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.run.RecordClient;
import dev.quiver.controller.run.RunState;
import dev.quiver.controller.status.StateGauge;
import dev.quiver.controller.status.StatusReporter;
import dev.quiver.controller.store.Followed;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.scheduling.SourcePlaces;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.worker.PoolControl;

/**
 * The parts that the reconciler of TaskSets uses.
 *
 * @param reporter of their statuses
 * @param runs those that go on, and which of them changed in Redis
 * @param control of a keyspace, under the leader's present term
 * @param pools of a keyspace
 * @param places of sets in the order of their pools
 * @param record of earlier runs
 */
public record TaskSetContext(
        ControllerContext shared,
        StatusReporter<TaskSetStatus, TaskSet> reporter,
        Followed<DirtyMark> runs,
        Function<Keyspace, TaskSetControl> control,
        Function<Keyspace, PoolControl> pools,
        Function<Keyspace, SourcePlaces> places,
        RecordClient record) {

    /** Reports on TaskSets. */
    public static StatusReporter<TaskSetStatus, TaskSet> reporter(StatusReporter.Shared shared) {
        StateGauge gauge =
                new StateGauge(shared.metrics(), "quiver.tasksets", "TaskSets by state", "state", RunState.labels());
        return new StatusReporter<>(
                shared,
                new StatusReporter.Kind<>(
                        TaskSet::new,
                        gauge,
                        TaskSetStatus::conditions,
                        TaskSetStatusCalculator::change,
                        TaskSetEvents::of));
    }
}
