package dev.quiver.controller.taskset;

import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.run.BlockedCondition;
import dev.quiver.controller.run.Eta;
import dev.quiver.controller.run.FailureSamples;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.crds.v1alpha1.TaskFailure;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/**
 * The status of a run, computed fresh. Its numbers come from Redis alone; while Redis is away they keep their last
 * values. Pure.
 */
final class TaskSetStatusCalculator {

    private TaskSetStatusCalculator() {}

    /** The status after this plan. */
    static TaskSetStatus of(TaskSetView view, TaskSetPlan plan, Optional<String> sourceHash) {
        Optional<TaskSetSnapshot> run = view.store().snapshot();
        Optional<TaskSetOutcome> outcome = switch (plan) {
            case TaskSetPlan.Conclude conclusion -> Optional.of(TaskSetOutcome.concluded(conclusion));
            default ->
                run.filter(r -> r.status().isFinal())
                        .map(r -> TaskSetOutcome.of(view.spec(), r).amid(view.workers()));
        };
        TaskSetStatusBuilder status =
                run.map(r -> numbers(view, r)).orElseGet(() -> TaskSetStatusBuilder.builder(view.before()));
        if (outcome.isPresent()) {
            status.completionTime(run.flatMap(TaskSetSnapshot::finishedAt)
                            .orElse(view.now())
                            .truncatedTo(ChronoUnit.SECONDS)
                            .toString())
                    .queued(0L)
                    .running(0L)
                    .eta(null)
                    .etaErrorPercent(null)
                    .estimatedCompletionTime(null);
        }
        List<TaskFailure> failures =
                run.map(TaskSetStatusCalculator::failures).orElse(view.before().failures());
        Optional<TaskSetPlan.Hold> hold = plan instanceof TaskSetPlan.Hold h ? Optional.of(h) : Optional.empty();
        List<Condition> conditions = TaskSetConditions.of(view, hold, outcome);
        Blockage blockage = outcome.isPresent() ? Blockage.NONE : view.blockage();
        List<String> blockedOn = BlockedCondition.names(blockage);
        if (run.isEmpty()
                && hold.filter(h -> h.reason() == TaskSetReason.WaitingForSource)
                        .isPresent()) {
            status.progress("0/?");
        }
        return status.observedGeneration(view.set().getMetadata().getGeneration())
                .workerPoolName(view.set().poolName())
                .sourceHash(run.flatMap(TaskSetSnapshot::sourceHash)
                        .or(() -> sourceHash)
                        .orElse(view.before().sourceHash()))
                .keyspace(keyspace(view, sourceHash))
                .replicas(workers(view, run, outcome, ObservedPool::replicas))
                .workers(workers(view, run, outcome, ObservedPool::ready) + "/"
                        + view.spec().replicas())
                .selector(view.workers().selector(view.set().poolName()))
                .blockedOn(blockedOn)
                .blockedSince(BlockedCondition.since(blockage, view.before().blockedSince(), view.now()))
                .failures(FailureSamples.beside(conditions, BlockedCondition.bytes(blockedOn), failures))
                .conditions(conditions)
                .build();
    }

    /**
     * The status of a run that is over. It has the generation of a later spec, too: {@code kubectl wait} takes no
     * condition of an older generation.
     */
    static TaskSetStatus over(TaskSetView view) {
        long generation = view.set().getMetadata().getGeneration();
        return TaskSetStatusBuilder.builder(view.before())
                .observedGeneration(generation)
                .workers("0/" + view.spec().replicas())
                .conditions(Conditions.kept(view.before().conditions(), generation, view.now()))
                .build();
    }

    /** The keyspace in the status: from the reading of the source on, it may hold keys of the run. */
    private static String keyspace(TaskSetView view, Optional<String> sourceHash) {
        boolean begun = sourceHash.isPresent() || view.store().snapshot().isPresent();
        return begun
                ? Keyspaces.name(view.keyspace()).orElse(null)
                : view.before().keyspace();
    }

    private static TaskSetStatusBuilder numbers(TaskSetView view, TaskSetSnapshot run) {
        long decided = run.succeeded() + run.failed();
        boolean goesOn = !run.status().isFinal() && !view.wantsSuspension();
        Optional<Eta> estimated = goesOn ? OrderedEta.of(view, run) : Optional.empty();
        Optional<Eta> eta =
                goesOn ? estimated.or(() -> Eta.of(TaskSetView.progress(run), view.pace())) : Optional.empty();
        return TaskSetStatusBuilder.builder()
                .startTime(run.startedAt()
                        .map(at -> at.truncatedTo(ChronoUnit.SECONDS).toString())
                        .orElse(null))
                .total(run.total())
                .queued(run.queued())
                .running(run.running())
                .succeeded(run.succeeded())
                .pending(run.pending())
                .speculated(view.spec().speculates() ? run.speculated() : null)
                .failed(run.failed())
                .trials(run.trials())
                .taskSeconds(run.runTime().toSeconds())
                .percent(run.total() == 0 ? 0 : (int) (100 * decided / run.total()))
                .progress(decided + "/" + run.total())
                .eta(eta.map(Eta::text).orElse(null))
                .etaErrorPercent(
                        estimated.flatMap(_ -> OrderedEta.errorPercent(run)).orElse(null))
                .estimatedCompletionTime(
                        eta.map(e -> e.at(view.now()).toString()).orElse(null));
    }

    /**
     * The number of workers of the run: none once it is over. Then its own pool is removed, and a shared one serves
     * others.
     */
    private static int workers(
            TaskSetView view,
            Optional<TaskSetSnapshot> run,
            Optional<TaskSetOutcome> outcome,
            ToIntFunction<ObservedPool> own) {
        if (outcome.isPresent()) {
            return 0;
        }
        return view.workers() instanceof ObservedPool.Shared
                ? run.map(TaskSetSnapshot::workers).orElse(0)
                : own.applyAsInt(view.workers());
    }

    private static List<TaskFailure> failures(TaskSetSnapshot run) {
        return run.failures().stream()
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
    static Change change(Optional<TaskSetStatus> written, TaskSetStatus fresh) {
        return Change.ofRun(written, fresh, TaskSetStatusCalculator::withoutEstimate, TaskSetStatus::conditions);
    }

    private static TaskSetStatus withoutEstimate(TaskSetStatus status) {
        return TaskSetStatusBuilder.builder(status)
                .eta(null)
                .etaErrorPercent(null)
                .estimatedCompletionTime(null)
                .build();
    }
}
