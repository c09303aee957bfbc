package dev.quiver.controller.mapreduce;

import java.util.function.Function;

import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.run.RunState;
import dev.quiver.controller.status.StateGauge;
import dev.quiver.controller.status.StatusReporter;
import dev.quiver.controller.store.Followed;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.mapreduce.JobReader;
import dev.quiver.lifecycle.task.TaskSchedules;
import dev.quiver.lifecycle.task.TaskTrees;

/**
 * The parts that the reconciler of jobs uses.
 *
 * @param reporter of their statuses
 * @param runs those that go on, and which of them changed in Redis
 * @param trees of a keyspace, under the leader's present term
 * @param schedules the same of schedules
 * @param jobs reads those of a keyspace
 */
public record MapReduceContext(
        ControllerContext shared,
        StatusReporter<MapReduceJobStatus, MapReduceJob> reporter,
        Followed<DirtyMark> runs,
        Function<Keyspace, TaskTrees> trees,
        Function<Keyspace, TaskSchedules> schedules,
        Function<Keyspace, JobReader> jobs) {

    /** Reports on jobs. */
    public static StatusReporter<MapReduceJobStatus, MapReduceJob> reporter(StatusReporter.Shared shared) {
        StateGauge gauge = new StateGauge(
                shared.metrics(), "quiver.mapreducejobs", "Map-reduce jobs by state", "state", RunState.labels());
        return new StatusReporter<>(
                shared,
                new StatusReporter.Kind<>(MapReduceJob::new, gauge, JobStatusCalculator::change, JobEvents::of));
    }
}
