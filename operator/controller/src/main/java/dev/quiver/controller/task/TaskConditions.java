package dev.quiver.controller.task;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.run.HandlerCondition;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.PoolMessages;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.StoreCondition;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.task.NodeState;
import dev.quiver.lifecycle.task.ScheduleReport;
import dev.quiver.lifecycle.task.TreeState;

/** The conditions of a Task, with messages. Pure. */
final class TaskConditions {

    private TaskConditions() {}

    /** A reason with its message. */
    private record Why(TaskReason reason, String message) {
        static Why of(TaskReason reason) {
            return new Why(reason, reason.sentence());
        }
    }

    /**
     * All conditions, fresh.
     *
     * @param hold of a Task that waits
     * @param outcome of a Task that is over
     */
    static List<Condition> of(TaskView view, Optional<TaskPlan.Hold> hold, Optional<TaskOutcome> outcome) {
        Conditions fresh = new Conditions(
                view.before().conditions(), view.task().getMetadata().getGeneration(), view.now());
        outcome.ifPresentOrElse(
                v -> fresh.set(ConditionType.Finished, ConditionStatus.True, v.reason(), v.message())
                        .set(ConditionType.Succeeded, ConditionStatus.of(v.succeeded()), v.reason(), v.message()),
                () -> unfinished(view, hold, fresh));
        handlers(view, outcome, fresh);
        suspended(view, outcome, fresh);
        switch (view.store()) {
            case ObservedStore.Away(StoreReason reason, String message) -> StoreCondition.away(fresh, reason, message);
            case ObservedStore.Answered<ObservedTree> _ -> StoreCondition.up(fresh);
        }
        return fresh.list();
    }

    private static void handlers(TaskView view, Optional<TaskOutcome> outcome, Conditions fresh) {
        Optional<HandlerCondition> known = outcome.isEmpty()
                ? TaskHandlers.of(view)
                : outcome.filter(TaskOutcome::succeeded).flatMap(_ -> TaskHandlers.ofSucceeded(view));
        known.ifPresentOrElse(handler -> handler.set(fresh), () -> fresh.keep(ConditionType.HandlerAvailable));
    }

    private static void unfinished(TaskView view, Optional<TaskPlan.Hold> hold, Conditions fresh) {
        if (!view.store().asked() && fresh.keep(ConditionType.Finished) && fresh.keep(ConditionType.Succeeded)) {
            return;
        }
        Why why = hold.map(h -> new Why(h.reason(), h.message()))
                .or(() -> view.schedule().map(there -> scheduled(view, there)))
                .orElseGet(
                        () -> view.tree().map(tree -> going(view, tree)).orElseGet(() -> Why.of(TaskReason.Accepting)));
        fresh.set(ConditionType.Finished, ConditionStatus.False, why.reason(), why.message())
                .set(ConditionType.Succeeded, ConditionStatus.Unknown, why.reason(), why.message());
    }

    private static Why going(TaskView view, ObservedTree tree) {
        if (view.spec().suspend() && !view.spec().cancel()) {
            return Why.of(TaskReason.Suspended);
        }
        boolean timed = view.spec().startsNotBefore().isPresent()
                || view.spec().postponed().isPresent();
        boolean begun = tree.report().startedAt().isPresent() || tree.rootOver();
        if (!begun && (timed || view.layout() instanceof TaskLayout.Own)) {
            return new Why(TaskReason.Postponed, postponed(view));
        }
        return missing(view)
                .or(() -> elsewhere(view))
                .or(() -> TaskPrefix.missing(view).map(message -> new Why(TaskReason.PrefixNotGranted, message)))
                .or(() -> tree.counts().locked() > 0 ? Optional.empty() : waiting(view, tree))
                .orElseGet(() -> new Why(TaskReason.Running, running(view, tree)));
    }

    private static Why scheduled(TaskView view, ScheduleReport there) {
        if (view.spec().cancel()) {
            return new Why(TaskReason.Scheduled, "spec.cancel was set: the runs are being ended.");
        }
        if (view.spec().suspend()) {
            return Why.of(TaskReason.Suspended);
        }
        return missing(view)
                .or(() -> elsewhere(view))
                .orElseGet(() -> new Why(TaskReason.Scheduled, goesOn(view, there)));
    }

    private static String goesOn(TaskView view, ScheduleReport there) {
        String words = view.spec().schedule().suspend()
                ? "spec.schedule.suspend is true: no run begins."
                : TaskReason.Scheduled.sentence();
        return view.tree()
                .filter(tree -> !tree.over()
                        && tree.counts().locked() == 0
                        && !there.live().isEmpty())
                .flatMap(tree -> waiting(view, tree))
                .map(why -> words + " " + why.message())
                .orElse(words);
    }

    private static String postponed(TaskView view) {
        return view.spec().startsNotBefore().isPresent()
                ? "It begins at spec.notBefore: " + view.spec().notBefore() + "."
                : "It begins spec.postponeSeconds after it was accepted: "
                        + view.spec().postponeSeconds() + ".";
    }

    private static String running(TaskView view, ObservedTree tree) {
        return tree.rootOver()
                ? "The root has ended; node " + view.spec().cleanupName().orElse("") + " of spec.finally is at work."
                : TaskReason.Running.sentence();
    }

    private static Optional<Why> missing(TaskView view) {
        List<String> names = view.missingPools();
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Why(
                        TaskReason.WorkerPoolNotFound,
                        "There is no WorkerPool " + names.getFirst()
                                + " any more; nodes that are to run there wait until it is made again."));
    }

    private static Optional<Why> elsewhere(TaskView view) {
        return view.servingPools().stream()
                .flatMap(pool -> PoolMessages.elsewhere(pool, view.keyspace(), "Task").stream())
                .findFirst()
                .map(message -> new Why(TaskReason.WaitingForWorkers, message));
    }

    /** The reason why nothing runs, as far as the pools show it. */
    private static Optional<Why> waiting(TaskView view, ObservedTree tree) {
        if (onlyForeignWaits(view, tree)) {
            return Optional.empty();
        }
        boolean queued = tree.counts().startable() > 0;
        List<ObservedPool> concerned = poolsOfQueued(view, tree);
        boolean ready = concerned.stream().allMatch(pool -> pool.ready() > 0);
        Optional<String> unserved = TaskHandlers.of(view)
                .filter(handler -> handler.unavailable() || handler.nothingAnnounced() && ready)
                .map(HandlerCondition::message);
        Optional<String> message = Optional.empty();
        if (queued && unserved.isPresent()) {
            message = unserved;
        } else if (!ready && (queued || tree.counts().restart() == 0)) {
            message = Optional.of((waiting(tree) + " and no worker is ready. " + why(concerned)).strip());
        } else if (queued
                && serving(concerned, PoolMessages::isBusy).findFirst().isPresent()) {
            message = Optional.of(waiting(tree) + " for a free slot: the workers of WorkerPool "
                    + serving(concerned, PoolMessages::isBusy)
                            .map(pool -> pool.getMetadata().getName())
                            .collect(Collectors.joining(", "))
                    + " are busy with other work.");
        }
        return message.map(words -> new Why(TaskReason.WaitingForWorkers, words));
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

    /** The pools of queued nodes that are seen; all pools where none is. */
    private static List<ObservedPool> poolsOfQueued(TaskView view, ObservedTree tree) {
        Set<String> queued = tree.report().nodes().stream()
                .filter(node -> node.state() == TreeState.State.STARTABLE)
                .map(NodeState::name)
                .collect(Collectors.toSet());
        List<ObservedPool> theirs = view.spec().allNodes().stream()
                .filter(node -> queued.contains(node.name()) && node.foreignPool() == null)
                .flatMap(node -> TaskView.poolsOf(view.spec(), node).stream())
                .map(view.pools()::get)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        return theirs.isEmpty() ? List.copyOf(view.pools().values()) : theirs;
    }

    private static Stream<WorkerPool> serving(List<ObservedPool> pools, Predicate<WorkerPool> which) {
        return pools.stream()
                .map(ObservedPool::serving)
                .flatMap(Optional::stream)
                .filter(which);
    }

    private static String why(List<ObservedPool> pools) {
        return pools.stream()
                .filter(pool -> pool.ready() == 0)
                .map(ObservedPool::serving)
                .flatMap(Optional::stream)
                .map(PoolMessages::whyNotReady)
                .filter(words -> !words.isEmpty())
                .findFirst()
                .orElse("");
    }

    private static String waiting(ObservedTree tree) {
        long queued = tree.counts().startable();
        return queued == 0 ? "Nodes wait" : queued == 1 ? "1 node waits" : queued + " nodes wait";
    }

    private static void suspended(TaskView view, Optional<TaskOutcome> outcome, Conditions fresh) {
        boolean resting = view.tree()
                .filter(_ -> !view.recurring())
                .map(tree -> tree.report().suspended())
                .orElse(view.spec().suspend());
        boolean holds = outcome.isEmpty() && resting && view.spec().suspend();
        fresh.set(
                ConditionType.Suspended,
                ConditionStatus.of(holds),
                holds ? TaskReason.Suspended : TaskReason.NotSuspended);
    }
}
