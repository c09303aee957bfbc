package dev.quiver.controller.mapreduce;

import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.run.BlockedCondition;
import dev.quiver.controller.run.HandlerCondition;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeConditions;
import dev.quiver.controller.tree.TreeConditions.Why;
import dev.quiver.controller.tree.TreeHandlers;
import dev.quiver.controller.tree.TreeOutcome;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.MapReduceJobState;
import dev.quiver.crds.v1alpha1.MapReduceWorker;
import dev.quiver.crds.v1alpha1.TreeReason;

/** The conditions of a job, with messages. Pure. */
final class JobConditions {

    private JobConditions() {}

    /**
     * All conditions, fresh.
     *
     * @param hold of a job that waits
     * @param outcome of a job that is over
     */
    static List<Condition> of(JobView view, Optional<TreePlan.Hold> hold, Optional<TreeOutcome> outcome) {
        var wanted = JobHandlers.wanted(view);
        Optional<HandlerCondition> handlers = outcome.isEmpty()
                ? TreeHandlers.of(wanted, view)
                : outcome.filter(TreeOutcome::succeeded).flatMap(_ -> TreeHandlers.ofSucceeded(wanted, view));
        return TreeConditions.of(view, hold, outcome, handlers, new Parts(view));
    }

    /** Why a job goes on. */
    private record Parts(JobView view) implements TreeConditions.Going {

        @Override
        public Why tree(ObservedTree tree) {
            return new Why(
                    TreeReason.Running,
                    switch (JobPhase.of(view.spec(), tree.report())) {
                        case POSTPONED, PENDING -> "The job is queued.";
                        case MAPPING -> "Map is at work.";
                        case AGGREGATING -> "Chunks are at work.";
                        case REDUCING -> "Reduce is at work.";
                        case FINISHED -> "The job has ended; its files are being removed.";
                    });
        }

        @Override
        public Optional<Why> other() {
            return JobPlanner.prefixMissing(view).map(message -> new Why(MapReduceJobReason.PrefixNotGranted, message));
        }

        @Override
        public Optional<Why> waiting(ObservedTree tree) {
            MapReduceJobState state = JobPhase.of(view.spec(), tree.report());
            long running = view.chunks().map(chunks -> chunks.running()).orElse(0L);
            if (tree.counts().locked() > 0 || running > 0) {
                return Optional.empty();
            }
            if (view.blockage().waiting() > 0) {
                return Optional.of(new Why(
                        BlockedCondition.reason(view.blockage()),
                        BlockedCondition.words(
                                view.blockage(),
                                TreeConditions.NODE,
                                view.before().conditions())));
            }
            boolean aggregating = state == MapReduceJobState.AGGREGATING;
            boolean retries = aggregating
                    ? view.chunks().filter(chunks -> chunks.delayed() > 0).isPresent()
                    : tree.counts().restart() > 0;
            boolean queued = aggregating ? queuedChunks() > 0 : tree.counts().startable() > 0;
            return TreeConditions.waiting(
                    who(state),
                    queued,
                    retries,
                    poolOf(state).stream().toList(),
                    TreeHandlers.of(JobHandlers.wanted(view), view));
        }

        private long queuedChunks() {
            return view.chunks()
                    .map(chunks -> chunks.total() - chunks.done() - chunks.skipped() - chunks.delayed())
                    .orElse(0L);
        }

        private String who(MapReduceJobState state) {
            return switch (state) {
                case AGGREGATING -> {
                    long queued = queuedChunks();
                    yield queued <= 0 ? "Chunks wait" : queued == 1 ? "1 chunk waits" : queued + " chunks wait";
                }
                case REDUCING -> "Reduce waits";
                case FINISHED -> "The removal of its files waits";
                default -> view.spec().work().bringsChunks() ? "Map waits" : "The job waits";
            };
        }

        private Optional<ObservedPool> poolOf(MapReduceJobState state) {
            MapReduceWorker part = switch (state) {
                case AGGREGATING, FINISHED -> view.spec().process();
                case REDUCING -> view.spec().reduce();
                default -> view.spec().map();
            };
            MapReduceWorker runs = part == null ? view.spec().process() : part;
            return Optional.ofNullable(view.pools().get(JobView.poolOf(view.spec(), runs)));
        }
    }
}
