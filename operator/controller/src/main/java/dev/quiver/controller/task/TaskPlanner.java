package dev.quiver.controller.task;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.PoolMessages;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskGraph;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.crds.v1alpha1.Wire;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.Trees.Change;

/** Decides the next act of a Task. Pure: a half-done act is decided again from the facts. */
final class TaskPlanner {

    static final TaskPlan CANCELLED_BEFORE =
            new TaskPlan.Conclude(TaskReason.Cancelled, "spec.cancel was set before any node was started.");

    /** Programs of idoit forget what has ended for so long. */
    private static final Duration IDOIT_KEEPS = Duration.ofDays(3);

    private static final TaskPlan FORGOTTEN = new TaskPlan.Conclude(
            TaskReason.StoreLost,
            "The tasks are gone from the keys of idoit, which keeps what has ended for three days: the outcome was not seen"
                    + " in time and is unknown.");

    static final TaskPlan LOST = new TaskPlan.Conclude(
            TaskReason.StoreLost,
            "Redis has lost the state of the Task; spec.storeLossPolicy is Fail. The numbers are the last known.");

    private TaskPlanner() {}

    static TaskPlan plan(TaskView view) {
        if (view.finished()) {
            return new TaskPlan.Retire(
                    view.recurring()
                            ? SchedulePlanner.goesOn(view)
                            : view.tree().filter(tree -> !tree.rootOver()).isPresent());
        }
        return unsupported(view).orElseGet(() -> view.recurring() ? SchedulePlanner.plan(view) : once(view));
    }

    private static TaskPlan once(TaskView view) {
        if (view.layout() instanceof TaskLayout.Withheld) {
            return withheld(view);
        }
        return switch (view.store()) {
            case ObservedStore.Away(var reason, var message) ->
                view.accepted()
                        ? away(TaskReason.Running, reason, message)
                        : graph(view.spec(), _ -> away(TaskReason.Accepting, reason, message));
            case ObservedStore.Answered(Optional<ObservedTree> tree) ->
                tree.map(there -> steer(view, there)).orElseGet(() -> absent(view));
        };
    }

    /** A combination of fields that nothing serves, of an object that is older than the rule against it. */
    private static Optional<TaskPlan> unsupported(TaskView view) {
        TaskSpec spec = view.spec();
        Optional<String> message = Optional.of(
                        "spec.schedule: the layout Idoit of spec.wire knows no schedules; nothing is run.")
                .filter(_ -> spec.wire() == Wire.Idoit && view.recurring());
        return message.map(
                words -> spec.cancel() ? CANCELLED_BEFORE : new TaskPlan.Hold(TaskReason.NotSupported, words));
    }

    /** A Task that may have a tree where the operator may not look, or that waits for a prefix. */
    private static TaskPlan withheld(TaskView view) {
        if (view.before().grantedPrefix() == null) {
            return absent(view);
        }
        return new TaskPlan.Hold(
                TaskReason.PrefixNotGranted, TaskPrefix.missing(view).orElseThrow());
    }

    static TaskPlan away(TaskReason state, StoreReason reason, String message) {
        return new TaskPlan.Hold(state, "Waiting for Redis (" + reason.name() + "): " + message);
    }

    /** What follows for a graph that is a tree; another one ends the Task, whatever else is. */
    private static TaskPlan graph(TaskSpec spec, Function<TaskGraph.Valid, TaskPlan> then) {
        return switch (TaskGraph.of(spec)) {
            case TaskGraph.Invalid(String _, String message) ->
                new TaskPlan.Conclude(TaskReason.GraphInvalid, message + ".");
            case TaskGraph.Valid valid -> then.apply(valid);
        };
    }

    private static TaskPlan absent(TaskView view) {
        if (view.accepted() && view.spec().storeLossPolicy() == StoreLossPolicy.Fail) {
            return LOST;
        }
        if (isForgotten(view)) {
            return FORGOTTEN;
        }
        if (view.spec().cancel()) {
            return CANCELLED_BEFORE;
        }
        return graph(view.spec(), valid -> blocked(view).orElseGet(() -> new TaskPlan.Create(valid, view.accepted())));
    }

    /** Whether it may have ended so long ago that others have forgotten it: it is not to be run again. */
    private static boolean isForgotten(TaskView view) {
        String began = view.before().startTime();
        return view.accepted()
                && view.spec().wire() == Wire.Idoit
                && began != null
                && Instant.parse(began).plus(IDOIT_KEEPS).isBefore(view.now());
    }

    /** The reason why a tree that could run is not created yet, or never. */
    private static Optional<TaskPlan> blocked(TaskView view) {
        return unplaced(view)
                .or(() -> Optional.<TaskPlan>of(
                                new TaskPlan.Hold(TaskReason.Suspended, TaskReason.Suspended.sentence()))
                        .filter(_ -> view.spec().suspend()));
    }

    /** The reason why the pools do not take it. */
    static Optional<TaskPlan> unplaced(TaskView view) {
        List<String> missing = view.missingPools();
        if (!missing.isEmpty()) {
            return Optional.of(new TaskPlan.Hold(
                    TaskReason.WorkerPoolNotFound,
                    place(view.spec(), missing.getFirst()) + ": there is no WorkerPool " + missing.getFirst()
                            + " in this namespace."));
        }
        return view.servingPools().stream()
                .filter(pool -> !Keyspaces.of(pool).equals(ofTask(view)))
                .findFirst()
                .<TaskPlan>map(pool -> new TaskPlan.Conclude(TaskReason.GraphInvalid, elsewhere(view, pool)))
                .or(() -> TaskPrefix.missing(view)
                        .map(message -> new TaskPlan.Hold(TaskReason.PrefixNotGranted, message)));
    }

    /** The field that names a pool. */
    static String place(TaskSpec spec, String pool) {
        return spec.workerPoolRef().name().equals(pool)
                ? "spec.workerPoolRef.name"
                : "node " + nodeAt(spec, pool) + ", workerPoolRef.name";
    }

    private static String nodeAt(TaskSpec spec, String pool) {
        return spec.allNodes().stream()
                .filter(node -> TaskView.poolsOf(spec, node).contains(pool))
                .map(TaskNode::name)
                .findFirst()
                .orElse("");
    }

    private static Keyspace ofTask(TaskView view) {
        return view.pools().values().stream()
                .findFirst()
                .flatMap(ObservedPool::serving)
                .map(Keyspaces::of)
                .orElse(view.keyspace());
    }

    private static String elsewhere(TaskView view, WorkerPool pool) {
        String name = pool.getMetadata().getName();
        return "node " + nodeAt(view.spec(), name) + ": its WorkerPool " + name + " has "
                + PoolMessages.describe(Keyspaces.of(pool)) + ", and that of spec.workerPoolRef, "
                + view.spec().workerPoolRef().name() + ", has " + PoolMessages.describe(ofTask(view))
                + ": all nodes of a Task run in one keyspace.";
    }

    private static TaskPlan steer(TaskView view, ObservedTree tree) {
        if (tree.over()) {
            return new TaskPlan.Steer(List.of(), false);
        }
        List<Change> changes = new ArrayList<>();
        boolean cancel = view.spec().cancel();
        boolean suspend = view.spec().suspend() && !cancel && view.layout() instanceof TaskLayout.Own;
        if (cancel && !tree.rootOver()) {
            changes.add(Change.CANCEL);
        }
        // A cancelled tree still has its node at the end to run.
        if (suspend != tree.report().suspended()) {
            changes.add(suspend ? Change.SUSPEND : Change.RESUME);
        }
        return new TaskPlan.Steer(changes, !view.adjusted() && !tree.rootOver());
    }
}
