package dev.quiver.controller.task;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;

/** The conditions of a Task, with messages. Pure. */
final class TaskConditions {

    private TaskConditions() {}

    /**
     * All conditions, fresh.
     *
     * @param hold of a Task that waits
     * @param outcome of a Task that is over
     */
    static List<Condition> of(TaskView view, Optional<TreePlan.Hold> hold, Optional<TreeOutcome> outcome) {
        Optional<HandlerCondition> handlers = outcome.isEmpty()
                ? TaskHandlers.of(view)
                : outcome.filter(TreeOutcome::succeeded)
                        .flatMap(_ -> TreeHandlers.ofSucceeded(TaskHandlers.wanted(view), view));
        return TreeConditions.of(view, hold, outcome, handlers, new Nodes(view));
    }

    /** Why a Task goes on. */
    private record Nodes(TaskView view) implements TreeConditions.Going {

        @Override
        public Why tree(ObservedTree tree) {
            return new Why(TreeReason.Running, running(view, tree));
        }

        @Override
        public Optional<Why> other() {
            return TaskPlanner.prefixMissing(view).map(message -> new Why(TaskReason.PrefixNotGranted, message));
        }

        @Override
        public Optional<Why> waiting(ObservedTree tree) {
            if (tree.counts().locked() > 0 || onlyForeignWaits(view, tree)) {
                return Optional.empty();
            }
            if (view.blockage().waiting() > 0
                    && view.blockage().waiting() >= tree.counts().startable()) {
                return Optional.of(new Why(
                        BlockedCondition.reason(view.blockage()),
                        BlockedCondition.words(
                                view.blockage(),
                                TreeConditions.NODE,
                                view.before().conditions())));
            }
            return TreeConditions.waiting(
                    TaskConditions.waiting(tree),
                    tree.counts().startable() > 0,
                    tree.counts().restart() > 0,
                    poolsOfQueued(view, tree),
                    TaskHandlers.of(view));
        }
    }

    private static String running(TaskView view, ObservedTree tree) {
        return tree.rootOver()
                ? "The root has ended; node " + view.spec().cleanupName().orElse("") + " of spec.finally is at work."
                : "Nodes are running.";
    }

    /** Whether nodes are queued, and those that are seen are all of pools of other programs. */
    private static boolean onlyForeignWaits(TaskView view, ObservedTree tree) {
        Set<String> foreign = view.spec().allNodes().stream()
                .filter(node -> node.foreignPool() != null)
                .map(TaskNode::name)
                .collect(Collectors.toSet());
        List<NodeState> queued = tree.report().nodes().stream()
                .filter(node -> node.state() == TreeState.State.STARTABLE)
                .toList();
        return !queued.isEmpty() && queued.stream().allMatch(node -> foreign.contains(node.name()));
    }

    /**
     * The pools of queued nodes that are seen. If there are none, the only pool there is; empty if there are several.
     */
    private static List<ObservedPool> poolsOfQueued(TaskView view, ObservedTree tree) {
        Set<String> queued = tree.report().nodes().stream()
                .filter(node -> node.state() == TreeState.State.STARTABLE)
                .map(NodeState::name)
                .collect(Collectors.toSet());
        Stream<String> shown = view.spec().allNodes().stream()
                .filter(node -> queued.contains(node.name()) && node.foreignPool() == null)
                .flatMap(node -> TaskView.poolsOf(view.spec(), node).stream());
        Stream<String> walked = tree.report().queued().stream().map(TreeReport.Queued::pool);
        List<ObservedPool> theirs = Stream.concat(shown, walked)
                .map(view.pools()::get)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        return theirs.isEmpty() && view.pools().size() == 1
                ? List.copyOf(view.pools().values())
                : theirs;
    }

    private static String waiting(ObservedTree tree) {
        long queued = tree.counts().startable();
        return queued == 0 ? "Nodes wait" : queued == 1 ? "1 node waits" : queued + " nodes wait";
    }
}
