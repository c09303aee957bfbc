package dev.quiver.controller.task;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.run.BlockedCondition;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.ScheduleStatus;
import dev.quiver.controller.tree.StatusTexts;
import dev.quiver.controller.tree.TreeId;
import dev.quiver.controller.tree.TreeOutcome;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.controller.tree.TreeSamples;
import dev.quiver.controller.tree.WorkHash;
import dev.quiver.crds.v1alpha1.TaskError;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskNodeCounts;
import dev.quiver.crds.v1alpha1.TaskNodeStatus;
import dev.quiver.crds.v1alpha1.TaskScheduleStatus;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskStatusBuilder;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TreeState;

/**
 * The status of a Task, computed fresh. Its numbers come from Redis alone; while Redis is away they keep their last
 * values. Pure.
 */
final class TaskStatusCalculator {

    private TaskStatusCalculator() {}

    /** The status after this plan. */
    static TaskStatus of(TaskView view, TreePlan plan) {
        Optional<ObservedTree> tree = view.tree();
        Optional<TreeOutcome> outcome =
                TreeOutcome.after(view, plan, () -> TaskOutcome.of(view.spec(), tree.orElseThrow()));
        TaskStatusBuilder status =
                tree.map(it -> numbers(view, it)).orElseGet(() -> TaskStatusBuilder.builder(view.before()));
        TaskScheduleStatus schedule = ScheduleStatus.after(view, TaskOutcome::ofRun);
        status.schedule(schedule);
        view.schedule()
                .ifPresent(_ -> status.keyspace(Keyspaces.name(view.keyspace()).orElse(null))
                        .workHash(WorkHash.next(view)));
        List<Condition> conditions = TaskConditions.of(view, plan.hold(), outcome);
        if (outcome.isPresent()) {
            status.completionTime(StatusTexts.time(view.end()));
        }
        tree.ifPresent(it -> {
            TreeSamples samples = samples(
                    view, it, conditions, ScheduleStatus.bytes(schedule) + UndoStatus.bytes(UndoStatus.of(view)));
            status.error(samples.error().orElse(null))
                    .result(samples.result().orElse(null))
                    .tree(samples.tree());
        });
        return status.undo(UndoStatus.of(view))
                .observedGeneration(view.task().getMetadata().getGeneration())
                .conditions(conditions)
                .build();
    }

    /**
     * The status before a tree is created, for the facts that cannot be found out after a crash. These are the keyspace,
     * if its pool is deleted, and the number of the tree after a loss; the numbers of an earlier tree go.
     */
    static TaskStatus intent(TaskView view, int resubmissions) {
        TreePlan.Hold accepting = new TreePlan.Hold(TreeReason.Accepting, TreeReason.Accepting.sentence());
        return TaskStatusBuilder.builder()
                .observedGeneration(view.task().getMetadata().getGeneration())
                .keyspace(Keyspaces.name(view.keyspace()).orElse(null))
                .grantedPrefix(view.layout().granted().orElse(null))
                .workHash(view.workHash())
                .resubmissions(resubmissions == 0 ? null : resubmissions)
                .conditions(TaskConditions.of(view, Optional.of(accepting), Optional.empty()))
                .build();
    }

    /**
     * The status of a Task that is over, and may be undone yet. It has the generation of a later spec, too: {@code kubectl wait} takes no
     * condition of an older generation.
     */
    static TaskStatus over(TaskView view) {
        long generation = view.task().getMetadata().getGeneration();
        return TaskStatusBuilder.builder(view.before())
                .undo(UndoStatus.of(view))
                .observedGeneration(generation)
                .conditions(Conditions.kept(view.before().conditions(), generation, view.now()))
                .build();
    }

    private static TaskStatusBuilder numbers(TaskView view, ObservedTree tree) {
        TreeState state = tree.state();
        return TaskStatusBuilder.builder()
                .state(StatusTexts.state(state.state()))
                .startTime(tree.report().startedAt().map(StatusTexts::time).orElse(null))
                .nodes(counts(tree))
                .progress(StatusTexts.progress(state.progress(), state.total()))
                .percent(StatusTexts.percent(state.progress(), state.total()))
                .resultSize(tree.resultSize())
                .keyspace(Keyspaces.name(view.keyspace()).orElse(null))
                .grantedPrefix(view.layout().granted().orElse(null))
                .workHash(WorkHash.present(view))
                .resubmissions(view.before().resubmissions())
                .blockedOn(BlockedCondition.names(view.blockage()))
                .blockedSince(
                        BlockedCondition.since(view.blockage(), view.before().blockedSince(), view.now()));
    }

    /** All nodes of a tree that is over have ended: below a node that failed they end a little later. */
    private static TaskNodeCounts counts(ObservedTree tree) {
        TreeState.Counts is = tree.counts();
        long going = is.waiting() + is.idle() + is.startable() + is.locked() + is.restart();
        return tree.over()
                ? new TaskNodeCounts(0L, 0L, 0L, 0L, 0L, is.finished() + is.failed() + going, is.failed() + going)
                : new TaskNodeCounts(
                        is.waiting(),
                        is.idle(),
                        is.startable(),
                        is.locked(),
                        is.restart(),
                        is.finished() + is.failed(),
                        is.failed());
    }

    private static TreeSamples samples(TaskView view, ObservedTree tree, List<Condition> conditions, int taken) {
        int nodes = view.spec().undone().isPresent()
                ? Integer.MAX_VALUE
                : view.spec().allNodes().stream().mapToInt(TaskNode::treeNodes).sum();
        Optional<TaskError> error = tree.failure()
                .map(it -> StatusTexts.error(name(it.name(), it.error().node(), nodes), it.error()));
        return TreeSamples.beside(
                conditions,
                taken + BlockedCondition.bytes(BlockedCondition.names(view.blockage())),
                error,
                tree.json(),
                tree.report().nodes().stream()
                        .limit(TaskStatus.MAX_TREE)
                        .map(node -> row(node, nodes))
                        .toList());
    }

    private static TaskNodeStatus row(NodeState node, int nodes) {
        return new TaskNodeStatus(
                name(node.name(), node.id(), nodes),
                StatusTexts.state(node.state()),
                StatusTexts.progress(node.progress(), node.total()),
                node.trial(),
                node.note().isEmpty() ? TreeOutcome.lastLine(node.message()) : node.note());
    }

    /** The name of a node; of a child that was made at run time with its number. */
    private static String name(String name, String id, int nodes) {
        long ordinal = TreeId.ordinal(id);
        return ordinal < nodes || name.equals(id) ? name : name + "." + ordinal;
    }

    /** The kind of change that a fresh status makes for a reader. */
    static Change change(Optional<TaskStatus> written, TaskStatus fresh) {
        return Change.ofRun(written, fresh, UnaryOperator.identity(), TaskStatus::conditions);
    }
}
