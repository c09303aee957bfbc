package dev.quiver.controller.task;

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
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.schedule.TaskSchedules;
import dev.quiver.lifecycle.task.tree.TaskTrees;

/**
 * The parts that the reconciler of Tasks uses.
 *
 * @param reporter of their statuses
 * @param runs those that go on, and which of them changed in Redis
 * @param trees of a keyspace, under the leader's present term
 * @param foreign those in the layout of idoit
 * @param schedules the same of schedules
 * @param prefixes those that namespaces were granted
 */
public record TaskContext(
        ControllerContext shared,
        StatusReporter<TaskStatus, Task> reporter,
        Followed<DirtyMark> runs,
        Function<Keyspace, TaskTrees> trees,
        ForeignTrees foreign,
        Function<Keyspace, TaskSchedules> schedules,
        GrantedPrefixes prefixes) {

    /** Trees in the layout of idoit. */
    @FunctionalInterface
    public interface ForeignTrees {
        /** Those under a prefix, whose chains and groups belong to that pool. */
        Trees of(Keyspace keyspace, String prefix, String pool);
    }

    /** The trees of a layout that has a place. */
    Trees trees(Keyspace keyspace, TreeLayout layout) {
        return switch (layout) {
            case TreeLayout.Own _ -> trees.apply(keyspace);
            case TreeLayout.Foreign(String prefix, String pool, var _) -> foreign.of(keyspace, prefix, pool);
            case TreeLayout.Withheld(String message) -> throw new IllegalStateException(message);
        };
    }

    /** Asks Redis for Tasks. */
    TreeReader reader() {
        return new TreeReader(
                shared.calls(),
                shared.records()::problem,
                (keyspace, uid) -> schedules.apply(keyspace).report(uid));
    }

    /** The answers of Tasks to {@link TreeActions}. */
    TreeActions.Kind<TaskView> acts() {
        return new TreeActions.Kind<>(
                this::trees,
                schedules,
                (view, resubmissions) ->
                        reporter.write(view.task(), TaskStatusCalculator.intent(view, resubmissions), Change.AT_ONCE),
                (view, event) -> reporter.publish(view.task(), event),
                TaskReason.GraphInvalid);
    }

    /** Reports on Tasks. */
    public static StatusReporter<TaskStatus, Task> reporter(StatusReporter.Shared shared) {
        StateGauge gauge =
                new StateGauge(shared.metrics(), "quiver.tasks", "Tasks by state", "state", RunState.labels());
        return new StatusReporter<>(
                shared,
                new StatusReporter.Kind<>(
                        Task::new, gauge, TaskStatus::conditions, TaskStatusCalculator::change, TaskEvents::of));
    }
}
