package dev.quiver.controller.mapreduce;

import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.tree.TreeActions;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.TaskSchedules;
import dev.quiver.lifecycle.task.Trees;

/** What {@link TreeActions} asks of jobs. Thread-safe. */
record JobActs(MapReduceContext context) implements TreeActions.Kind<JobView> {

    @Override
    public Trees trees(JobView view) {
        return context.trees(view.keyspace(), view.layout());
    }

    @Override
    public TaskSchedules schedules(Keyspace keyspace) {
        return context.schedules().apply(keyspace);
    }

    @Override
    public void intend(JobView view, int resubmissions) {
        context.reporter().write(view.job(), JobStatusCalculator.intent(view, resubmissions), Change.AT_ONCE);
    }

    @Override
    public Reason invalid() {
        return MapReduceJobReason.SpecInvalid;
    }
}
