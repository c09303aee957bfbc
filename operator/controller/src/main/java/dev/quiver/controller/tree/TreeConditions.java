package dev.quiver.controller.tree;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.quiver.controller.run.BlockedCondition;
import dev.quiver.controller.run.HandlerCondition;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.PoolMessages;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.HistoryCondition;
import dev.quiver.controller.status.Sentence;
import dev.quiver.controller.status.StoreCondition;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.RunHistory;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

/** The conditions of a run that is a tree, with messages. Pure. */
public final class TreeConditions {

    private TreeConditions() {}

    /** A reason with its message. */
    public record Why(Reason reason, String message) {
        /** With the reason's own sentence. */
        public static Why of(Reason reason) {
            return new Why(reason, reason.sentence());
        }
    }

    /**
     * All conditions, fresh.
     *
     * @param hold of a run that waits
     * @param outcome of a run that is over
     * @param handlers condition of its functions; absent: as it was
     * @param going why a run that Redis has is not over
     */
    public static List<Condition> of(
            TreeView view,
            Optional<TreePlan.Hold> hold,
            Optional<TreeOutcome> outcome,
            Optional<HandlerCondition> handlers,
            Going going) {
        Conditions fresh = new Conditions(
                view.before().conditions(), view.run().getMetadata().getGeneration(), view.now());
        outcome.ifPresentOrElse(
                v -> fresh.set(ConditionType.Finished, ConditionStatus.True, v.reason(), v.message())
                        .set(ConditionType.Succeeded, ConditionStatus.of(v.succeeded()), v.reason(), v.message()),
                () -> unfinished(view, hold, going, fresh));
        handlers.ifPresentOrElse(handler -> handler.set(fresh), () -> fresh.keep(ConditionType.HandlerAvailable));
        suspended(view, outcome, fresh);
        if (outcome.isEmpty()) {
            BlockedCondition.set(view.blockage(), NODE, view.before().conditions(), fresh);
        }
        switch (view.store()) {
            case ObservedStore.Away<?>(StoreReason reason, String message) ->
                StoreCondition.away(fresh, reason, message);
            case ObservedStore.Answered<?> _ -> StoreCondition.up(fresh);
        }
        if (outcome.isEmpty() && view.spec().historyOrDefault().keep() != RunHistory.Keep.None) {
            view.backlog()
                    .ifPresentOrElse(
                            behind -> HistoryCondition.set(fresh, behind.reason(false), behind.message(false)),
                            () -> HistoryCondition.unknown(fresh));
        }
        return fresh.list();
    }

    /** The word for one of those that a blockage counts. */
    public static final String NODE = "node";

    /** Why a run goes on. */
    public interface Going {
        /** The reason of a tree. */
        Why tree(ObservedTree tree);

        /** The reason why nothing of a tree runs, as far as the pools show it. */
        Optional<Why> waiting(ObservedTree tree);

        /** Other reasons why work that is there does not run. */
        default Optional<Why> other() {
            return Optional.empty();
        }
    }

    private static void unfinished(TreeView view, Optional<TreePlan.Hold> hold, Going going, Conditions fresh) {
        if (!view.store().asked() && fresh.keep(ConditionType.Finished) && fresh.keep(ConditionType.Succeeded)) {
            return;
        }
        Why why = hold.map(h -> new Why(h.reason(), h.message()))
                .or(() -> view.schedule().map(there -> scheduled(view, there, going)))
                .orElseGet(() -> view.tree()
                        .map(tree -> going(view, tree, going))
                        .orElseGet(() -> Why.of(TreeReason.Accepting)));
        fresh.set(ConditionType.Finished, ConditionStatus.False, why.reason(), why.message())
                .set(ConditionType.Succeeded, ConditionStatus.Unknown, why.reason(), why.message());
    }

    private static Why going(TreeView view, ObservedTree tree, Going going) {
        if (view.spec().suspend() && !view.spec().cancel()) {
            return Why.of(TreeReason.Suspended);
        }
        boolean timed = view.spec().startsNotBefore().isPresent()
                || view.spec().postponed().isPresent();
        boolean begun = tree.report().startedAt().isPresent() || tree.rootOver();
        if (!begun && (timed || view.timesItself())) {
            return new Why(TreeReason.Postponed, postponed(view));
        }
        return missing(view)
                .or(() -> elsewhere(view))
                .or(going::other)
                .or(() -> tree.report()
                        .memoryRefusal()
                        .map(words -> new Why(
                                TreeReason.OutOfMemory, Sentence.of("A map waits and is tried again: " + words))))
                .or(() -> going.waiting(tree))
                .orElseGet(() -> going.tree(tree));
    }

    private static Why scheduled(TreeView view, ScheduleReport there, Going going) {
        if (view.spec().cancel()) {
            return new Why(TreeReason.Scheduled, "spec.cancel was set: the runs are being ended.");
        }
        if (view.spec().suspend()) {
            return Why.of(TreeReason.Suspended);
        }
        return missing(view)
                .or(() -> elsewhere(view))
                .orElseGet(() -> new Why(TreeReason.Scheduled, goesOn(view, there, going)));
    }

    private static String goesOn(TreeView view, ScheduleReport there, Going going) {
        String words = view.spec().schedule().suspend()
                ? "spec.schedule.suspend is true: no run begins."
                : TreeReason.Scheduled.sentence();
        return view.tree()
                .filter(tree -> !tree.over() && !there.live().isEmpty())
                .flatMap(going::waiting)
                .map(why -> words + " " + why.message())
                .orElse(words);
    }

    private static String postponed(TreeView view) {
        return view.spec().startsNotBefore().isPresent()
                ? "It begins at spec.notBefore: " + view.spec().notBefore() + "."
                : "It begins spec.postponeSeconds after it was accepted: "
                        + view.spec().postponeSeconds() + ".";
    }

    private static Optional<Why> missing(TreeView view) {
        List<String> names = view.missingPools();
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Why(
                        TreeReason.WorkerPoolNotFound,
                        "There is no WorkerPool " + names.getFirst()
                                + " any more; work that is to run there waits until it is made again."));
    }

    private static Optional<Why> elsewhere(TreeView view) {
        return view.servingPools().stream()
                .flatMap(pool ->
                        PoolMessages.elsewhere(
                                pool,
                                view.keyspace(),
                                HasMetadata.getKind(view.run().getClass()))
                                .stream())
                .findFirst()
                .map(message -> new Why(TreeReason.WaitingForWorkers, message));
    }

    /**
     * The reason why work waits, as far as its pools show it.
     *
     * @param who waits, with the verb, such as "2 nodes wait"
     * @param queued whether work is queued for a slot
     * @param retries whether work waits for its next trial
     * @param concerned the pools that are to run it
     * @param handlers condition of its functions
     */
    public static Optional<Why> waiting(
            String who,
            boolean queued,
            boolean retries,
            List<ObservedPool> concerned,
            Optional<HandlerCondition> handlers) {
        boolean ready = concerned.stream().allMatch(pool -> pool.ready() > 0);
        Optional<String> unserved = handlers.filter(
                        handler -> handler.unavailable() || handler.nothingAnnounced() && ready)
                .map(HandlerCondition::message);
        Optional<String> message = Optional.empty();
        if (queued && unserved.isPresent()) {
            message = unserved;
        } else if (!ready && (queued || !retries)) {
            message = Optional.of((who + " and no worker is ready. "
                            + PoolMessages.whyNoneReady(concerned).orElse(""))
                    .strip());
        } else if (queued
                && serving(concerned, PoolMessages::isBusy).findFirst().isPresent()) {
            message = Optional.of(who + " for a free slot: the workers of WorkerPool "
                    + serving(concerned, PoolMessages::isBusy)
                            .map(pool -> pool.getMetadata().getName())
                            .collect(Collectors.joining(", "))
                    + " are busy with other work.");
        }
        return message.map(words -> new Why(TreeReason.WaitingForWorkers, words));
    }

    private static Stream<WorkerPool> serving(List<ObservedPool> pools, Predicate<WorkerPool> which) {
        return pools.stream()
                .map(ObservedPool::serving)
                .flatMap(Optional::stream)
                .filter(which);
    }

    private static void suspended(TreeView view, Optional<TreeOutcome> outcome, Conditions fresh) {
        boolean resting = view.tree()
                .filter(_ -> !view.recurring())
                .map(tree -> tree.report().suspended())
                .orElse(view.spec().suspend());
        boolean holds = outcome.isEmpty() && resting && view.spec().suspend();
        fresh.set(
                ConditionType.Suspended,
                ConditionStatus.of(holds),
                holds ? TreeReason.Suspended : TreeReason.NotSuspended);
    }
}
