package dev.quiver.controller.task;

import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.tree.TreeActions;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.TaskSchedules;
import dev.quiver.lifecycle.task.Trees;

/** What {@link TreeActions} asks of Tasks. Thread-safe. */
record TaskActs(TaskContext context) implements TreeActions.Kind<TaskView> {

    @Override
    public Trees trees(TaskView view) {
        return context.trees(view.keyspace(), view.layout());
    }

    @Override
    public TaskSchedules schedules(Keyspace keyspace) {
        return context.schedules().apply(keyspace);
    }

    @Override
    public void intend(TaskView view, int resubmissions) {
        context.reporter().write(view.task(), TaskStatusCalculator.intent(view, resubmissions), Change.AT_ONCE);
    }

    @Override
    public Reason invalid() {
        return TaskReason.GraphInvalid;
    }
}
