package dev.quiver.controller.mapreduce;

import java.util.Optional;
import java.util.function.Function;

import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.run.RunState;
import dev.quiver.controller.status.StateGauge;
import dev.quiver.controller.status.StatusReporter;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.Followed;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.tree.TreeActions;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreeReader;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.mapreduce.JobReader;
import dev.quiver.lifecycle.mapreduce.JobSnapshot;
import dev.quiver.lifecycle.mapreduce.JobTrees;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.schedule.TaskSchedules;
import dev.quiver.lifecycle.task.tree.TaskTrees;

/**
 * The parts that the reconciler of jobs uses.
 *
 * @param reporter of their statuses
 * @param runs those that go on, and which of them changed in Redis
 * @param trees of a keyspace, under the leader's present term
 * @param foreign those in the layout of a queue
 * @param schedules the same of schedules
 * @param jobs reads those of a keyspace
 * @param prefixes those that namespaces were granted
 */
public record MapReduceContext(
        ControllerContext shared,
        StatusReporter<MapReduceJobStatus, MapReduceJob> reporter,
        Followed<DirtyMark> runs,
        Function<Keyspace, TaskTrees> trees,
        ForeignJobs foreign,
        Function<Keyspace, TaskSchedules> schedules,
        Function<Keyspace, JobReader> jobs,
        GrantedPrefixes prefixes) {

    /** Jobs in the layout of a queue. */
    @FunctionalInterface
    public interface ForeignJobs {
        /** The jobs of a type under a prefix that is granted to that pool. */
        JobTrees of(Keyspace keyspace, String prefix, String pool, String type);
    }

    /** The trees of a layout that has a place. */
    Trees trees(Keyspace keyspace, TreeLayout layout) {
        return switch (layout) {
            case TreeLayout.Own _ -> trees.apply(keyspace);
            case TreeLayout.Foreign queue -> foreign(keyspace, queue);
            case TreeLayout.Withheld(String message) -> throw new IllegalStateException(message);
        };
    }

    private JobTrees foreign(Keyspace keyspace, TreeLayout.Foreign queue) {
        return foreign.of(keyspace, queue.prefix(), queue.pool(), queue.type().orElseThrow());
    }

    /** Asks Redis for jobs. */
    TreeReader reader() {
        return new TreeReader(
                shared.calls(),
                shared.records()::problem,
                (keyspace, uid) -> schedules.apply(keyspace).report(uid));
    }

    /** The answers of jobs to {@link TreeActions}. */
    TreeActions.Kind<JobView> acts() {
        return new TreeActions.Kind<>(
                this::trees,
                schedules,
                (view, resubmissions) ->
                        reporter.write(view.job(), JobStatusCalculator.intent(view, resubmissions), Change.AT_ONCE),
                (view, event) -> reporter.publish(view.job(), event),
                MapReduceJobReason.SpecInvalid);
    }

    /**
     * A job in a layout that has a place.
     *
     * @param chunks ordinal of its node with chunks
     */
    Optional<JobSnapshot> find(Keyspace keyspace, TreeLayout layout, String tree, int chunks) {
        return layout instanceof TreeLayout.Foreign queue
                ? foreign(keyspace, queue).find(tree)
                : jobs.apply(keyspace).find(tree, chunks, MapReduceJobStatus.MAX_SKIPPED);
    }

    /** Reports on jobs. */
    public static StatusReporter<MapReduceJobStatus, MapReduceJob> reporter(StatusReporter.Shared shared) {
        StateGauge gauge = new StateGauge(
                shared.metrics(), "quiver.mapreducejobs", "Map-reduce jobs by state", "state", RunState.labels());
        return new StatusReporter<>(
                shared,
                new StatusReporter.Kind<>(
                        MapReduceJob::new,
                        gauge,
                        MapReduceJobStatus::conditions,
                        JobStatusCalculator::change,
                        JobEvents::of));
    }
}
