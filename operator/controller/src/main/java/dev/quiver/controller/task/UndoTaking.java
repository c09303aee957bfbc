package dev.quiver.controller.task;

import java.util.List;
import java.util.Optional;

import io.javaoperatorsdk.operator.processing.event.ResourceID;

import dev.quiver.controller.run.PoolMessages;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.tree.TreeActions;
import dev.quiver.controller.tree.TreeHome;
import dev.quiver.controller.tree.TreeId;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.tree.TaskTrees.Taken;

/**
 * Takes in Redis what plans of the Task of {@code spec.undoOf} left, just before the tree of it is made. Redis notes who has
 * taken it: a repeat gets the same, and another Task nothing. Thread-safe.
 */
record UndoTaking(TaskContext context, TreeHome<TaskStatus, Task> home) {

    /** How many Tasks may undo each other in a circle that is found; those of a longer one wait until one is deleted. */
    private static final int LONGEST_CIRCLE = 16;

    /** The plan with the tree of what was taken; another plan where nothing is undone, or not yet. */
    TreePlan resolved(TaskView view, TreePlan plan) {
        return plan instanceof TreePlan.Create create
                ? view.spec().undone().map(name -> resolved(view, create, name)).orElse(plan)
                : plan;
    }

    private TreePlan resolved(TaskView view, TreePlan.Create create, String name) {
        Optional<Task> found = find(view, name);
        if (found.isEmpty()) {
            return refused("spec.undoOf: there is no Task " + name
                    + " in this namespace. What would undo a Task goes with it.");
        }
        Task task = found.get();
        if (!task.getSpec().undo()) {
            return refused(
                    "spec.undoOf: Task " + name + " has spec.undo: false, so that nothing is kept that would undo it.");
        }
        TaskStatus status = home.current(task);
        Keyspace keyspace = home.keyspace(task, status);
        return keyspace.equals(view.keyspace())
                ? taken(view, create, task, status)
                : refused("spec.workerPoolRef.name: WorkerPool "
                        + view.spec().workerPoolRef().name() + " has " + PoolMessages.describe(view.keyspace())
                        + ", and Task " + name + " of spec.undoOf has " + PoolMessages.describe(keyspace)
                        + ": a Task is undone where it ran.");
    }

    private TreePlan taken(TaskView view, TreePlan.Create create, Task task, TaskStatus status) {
        return context.shared()
                .calls()
                .ask(() -> plan(view, create, task, status, take(view, TreeId.of(task, status))), TreeActions::refused);
    }

    private Taken take(TaskView view, String tree) {
        return context.trees()
                .apply(view.keyspace())
                .take(
                        tree,
                        view.task().getMetadata().getUid(),
                        view.task().getMetadata().getName(),
                        SpecTree.rank(view.spec()));
    }

    private TreePlan plan(TaskView view, TreePlan.Create create, Task task, TaskStatus status, Taken taken) {
        String name = task.getMetadata().getName();
        return switch (taken) {
            case Taken.Runs(long ended, long nodes) ->
                waits(
                        Conditions.isTrue(status.conditions(), ConditionType.Finished)
                                ? "Task " + name + " of spec.undoOf has ended. It is undone ten seconds later, when"
                                        + " its workers have stopped."
                                : "Task " + name + " of spec.undoOf runs: " + ended + " of " + nodes
                                        + " nodes have ended. It is undone when all have.");
            case Taken.Gone() -> {
                if (Conditions.isTrue(status.conditions(), ConditionType.Finished)) {
                    yield refused(
                            "spec.undoOf: Redis has nothing of Task " + name + ", and so nothing that would undo it.");
                }
                yield leadsBack(view, task)
                        ? refused("spec.undoOf: Task " + name
                                + " waits for this one by its own spec.undoOf, so that neither could begin.")
                        : waits("Task " + name + " of spec.undoOf has not been accepted yet.");
            }
            case Taken.Left(LeftUndo undo) -> {
                context.runs().wake(List.of(ResourceID.fromResource(task))); // its status names who undoes it
                LeftUndo.Taker by = undo.taker().orElseThrow();
                yield by.uid().equals(view.task().getMetadata().getUid())
                        ? new TreePlan.Create(
                                (id, delay) -> SpecTree.of(id, view.spec(), undo, delay), create.resubmitted())
                        : refused("spec.undoOf: Task " + name + " is undone already, by Task " + by.name()
                                + ": that is done once.");
            }
        };
    }

    private Optional<Task> find(TaskView view, String name) {
        return Optional.ofNullable(context.shared()
                        .kubernetes()
                        .resources(Task.class)
                        .inNamespace(view.task().getMetadata().getNamespace())
                        .withName(name)
                        .get())
                .filter(task -> task.getMetadata().getDeletionTimestamp() == null);
    }

    /** Whether this Task, which has not been accepted, waits for one that waits for one … that waits for the Task of the view. */
    private boolean leadsBack(TaskView view, Task task) {
        String own = view.task().getMetadata().getName();
        Optional<String> next = task.getSpec().undone();
        for (int step = 0; step < LONGEST_CIRCLE && next.isPresent(); step++) {
            if (next.get().equals(own)) {
                return true;
            }
            next = find(view, next.get())
                    .filter(of -> isToCome(view, of))
                    .flatMap(of -> of.getSpec().undone());
        }
        return false;
    }

    /** Whether it has neither begun nor ended. */
    private boolean isToCome(TaskView view, Task task) {
        TaskStatus status = home.current(task);
        return !Conditions.isTrue(status.conditions(), ConditionType.Finished)
                && context.trees()
                        .apply(view.keyspace())
                        .find(TreeId.of(task, status))
                        .isEmpty();
    }

    private static TreePlan refused(String message) {
        return new TreePlan.Conclude(TaskReason.UndoRefused, message);
    }

    private static TreePlan waits(String message) {
        return new TreePlan.Hold(TaskReason.WaitingForTask, message);
    }
}
