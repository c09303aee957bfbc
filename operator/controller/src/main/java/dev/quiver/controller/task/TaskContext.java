package dev.quiver.controller.task;

import java.util.function.Function;

import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.run.RunState;
import dev.quiver.controller.status.StateGauge;
import dev.quiver.controller.status.StatusReporter;
import dev.quiver.controller.store.Followed;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.TaskSchedules;
import dev.quiver.lifecycle.task.TaskTrees;

/**
 * The parts that the reconciler of Tasks uses.
 *
 * @param reporter of their statuses
 * @param runs those that go on, and which of them changed in Redis
 * @param trees of a keyspace, under the leader's present term
 * @param schedules the same of schedules
 */
public record TaskContext(
        ControllerContext shared,
        StatusReporter<TaskStatus, Task> reporter,
        Followed<DirtyMark> runs,
        Function<Keyspace, TaskTrees> trees,
        Function<Keyspace, TaskSchedules> schedules) {

    /** Reports on Tasks. */
    public static StatusReporter<TaskStatus, Task> reporter(StatusReporter.Shared shared) {
        StateGauge gauge =
                new StateGauge(shared.metrics(), "quiver.tasks", "Tasks by state", "state", RunState.labels());
        return new StatusReporter<>(
                shared, new StatusReporter.Kind<>(Task::new, gauge, TaskStatusCalculator::change, TaskEvents::of));
    }
}
