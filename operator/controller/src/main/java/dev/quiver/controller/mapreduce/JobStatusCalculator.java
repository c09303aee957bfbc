package dev.quiver.controller.mapreduce;

import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.run.BlockedCondition;
import dev.quiver.controller.run.Eta;
import dev.quiver.controller.run.FailureSamples;
import dev.quiver.controller.run.RunProgress;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.ScheduleStatus;
import dev.quiver.controller.tree.StatusTexts;
import dev.quiver.controller.tree.TreeOutcome;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.controller.tree.TreeSamples;
import dev.quiver.controller.tree.WorkHash;
import dev.quiver.crds.v1alpha1.MapReduceChunkCounts;
import dev.quiver.crds.v1alpha1.MapReduceJobState;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.MapReduceJobStatusBuilder;
import dev.quiver.crds.v1alpha1.TaskError;
import dev.quiver.crds.v1alpha1.TaskFailure;
import dev.quiver.crds.v1alpha1.TaskScheduleStatus;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.lifecycle.mapreduce.ChunkCounts;
import dev.quiver.lifecycle.task.model.TreeReport;

/**
 * The status of a job, computed fresh. Its numbers come from Redis alone; while Redis is away they keep their last values.
 * Pure.
 */
final class JobStatusCalculator {

    /** A skipped chunk's number with its comma. */
    private static final int SKIPPED_BYTES = 7;

    private JobStatusCalculator() {}

    /** The status after this plan. */
    static MapReduceJobStatus of(JobView view, TreePlan plan) {
        Optional<ObservedJob> job = view.store().snapshot();
        Optional<TreeOutcome> outcome =
                TreeOutcome.after(view, plan, () -> JobOutcome.of(view.spec(), job.orElseThrow()));
        MapReduceJobStatusBuilder status =
                job.map(it -> numbers(view, it)).orElseGet(() -> MapReduceJobStatusBuilder.builder(view.before()));
        TaskScheduleStatus schedule = ScheduleStatus.after(view, JobOutcome::ofRun);
        status.schedule(schedule);
        view.schedule()
                .ifPresent(_ -> status.keyspace(Keyspaces.name(view.keyspace()).orElse(null))
                        .workHash(WorkHash.next(view)));
        List<Condition> conditions = JobConditions.of(view, plan.hold(), outcome);
        if (outcome.isPresent()) {
            status.completionTime(StatusTexts.time(view.end())).eta(null);
        }
        job.ifPresent(it -> samples(view, it, conditions, schedule, status));
        return status.observedGeneration(view.job().getMetadata().getGeneration())
                .conditions(conditions)
                .build();
    }

    /**
     * The status before a tree is created, for the facts that cannot be found out after a crash. These are the keyspace,
     * if its pool is deleted, and the number of the tree after a loss; the numbers of an earlier tree go.
     */
    static MapReduceJobStatus intent(JobView view, int resubmissions) {
        TreePlan.Hold accepting = new TreePlan.Hold(TreeReason.Accepting, TreeReason.Accepting.sentence());
        return MapReduceJobStatusBuilder.builder()
                .observedGeneration(view.job().getMetadata().getGeneration())
                .keyspace(Keyspaces.name(view.keyspace()).orElse(null))
                .grantedPrefix(view.layout().granted().orElse(null))
                .workHash(view.workHash())
                .resubmissions(resubmissions == 0 ? null : resubmissions)
                .conditions(JobConditions.of(view, Optional.of(accepting), Optional.empty()))
                .build();
    }

    /**
     * The status of a job that is over. It has the generation of a later spec, too: {@code kubectl wait} takes no
     * condition of an older generation.
     */
    static MapReduceJobStatus over(JobView view) {
        long generation = view.job().getMetadata().getGeneration();
        return MapReduceJobStatusBuilder.builder(view.before())
                .observedGeneration(generation)
                .conditions(Conditions.kept(view.before().conditions(), generation, view.now()))
                .build();
    }

    private static MapReduceJobStatusBuilder numbers(JobView view, ObservedJob job) {
        ObservedTree tree = job.tree();
        MapReduceJobState state = JobPhase.of(view.spec(), tree.report());
        Optional<ChunkCounts> chunks = job.chunks();
        boolean going = view.timesItself() // the wire of a queue has no run times
                && state == MapReduceJobState.AGGREGATING
                && !tree.report().suspended();
        Optional<Eta> eta = chunks.filter(_ -> going).flatMap(it -> Eta.of(progress(tree.report(), it), view.pace()));
        return MapReduceJobStatusBuilder.builder()
                .state(state)
                .startTime(tree.report().startedAt().map(StatusTexts::time).orElse(null))
                .chunks(chunks.map(it -> counts(it, tree.rootOver())).orElse(null))
                .progress(chunks.map(it -> StatusTexts.progress(it.done() + it.skipped(), it.total()))
                        .orElse(null))
                .percent(chunks.map(it -> StatusTexts.percent(it.done() + it.skipped(), it.total()))
                        .orElse(null))
                .eta(eta.map(Eta::text).orElse(null))
                .resultSize(tree.resultSize())
                .keyspace(Keyspaces.name(view.keyspace()).orElse(null))
                .grantedPrefix(view.layout().granted().orElse(null))
                .workHash(WorkHash.present(view))
                .resubmissions(view.before().resubmissions())
                .blockedOn(BlockedCondition.names(view.blockage()))
                .blockedSince(
                        BlockedCondition.since(view.blockage(), view.before().blockedSince(), view.now()));
    }

    /** The progress of the chunks of a job that goes on. */
    static Optional<RunProgress> going(ObservedJob job) {
        return job.tree().over()
                ? Optional.empty()
                : job.chunks().map(chunks -> progress(job.tree().report(), chunks));
    }

    /** The progress of the chunks of a job, its combines included. */
    static RunProgress progress(TreeReport report, ChunkCounts chunks) {
        return new RunProgress(
                report.startedAt(),
                chunks.storeTime(),
                chunks.total() + chunks.combines(),
                chunks.done() + chunks.skipped() + chunks.combinesDone(),
                chunks.running(),
                chunks.trials(),
                chunks.runTime());
    }

    /** The chunks by their state; of a job that is over none waits, runs or is tried again. */
    private static MapReduceChunkCounts counts(ChunkCounts is, boolean over) {
        long left = over ? 0 : Math.max(0, is.total() - is.done() - is.skipped());
        long errored = Math.min(is.delayed(), left);
        long active = Math.min(is.running(), left - errored);
        return new MapReduceChunkCounts(
                is.total(),
                left - errored - active,
                active,
                errored,
                is.done(),
                is.skipped(),
                is.combines(),
                is.combinesDone());
    }

    private static void samples(
            JobView view,
            ObservedJob job,
            List<Condition> conditions,
            TaskScheduleStatus schedule,
            MapReduceJobStatusBuilder status) {
        List<Integer> skipped = job.chunks().map(ChunkCounts::firstSkipped).orElse(List.of());
        Optional<TaskError> error = job.tree().failure().map(it -> StatusTexts.error(it.name(), it.error()));
        TreeSamples samples = TreeSamples.beside(
                conditions,
                ScheduleStatus.bytes(schedule)
                        + SKIPPED_BYTES * skipped.size()
                        + BlockedCondition.bytes(BlockedCondition.names(view.blockage())),
                error,
                job.tree().json(),
                List.of());
        status.error(samples.error().orElse(null))
                .result(samples.result().orElse(null))
                .skipped(skipped)
                .failures(FailureSamples.within(
                        samples.left(),
                        job.chunks().map(JobStatusCalculator::failures).orElse(List.of())));
    }

    private static List<TaskFailure> failures(ChunkCounts chunks) {
        return chunks.failures().stream()
                .map(f -> new TaskFailure(
                        f.task(),
                        f.trial(),
                        f.exitCode().orElse(null),
                        f.signal().orElse(null),
                        f.reason(),
                        f.message()))
                .toList();
    }

    /** The kind of change that a fresh status makes for a reader: an estimate alone is not worth a write. */
    static Change change(Optional<MapReduceJobStatus> written, MapReduceJobStatus fresh) {
        return Change.ofRun(written, fresh, JobStatusCalculator::withoutEstimate, MapReduceJobStatus::conditions);
    }

    private static MapReduceJobStatus withoutEstimate(MapReduceJobStatus status) {
        return MapReduceJobStatusBuilder.builder(status).eta(null).build();
    }
}
