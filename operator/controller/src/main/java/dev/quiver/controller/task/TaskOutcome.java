package dev.quiver.controller.task;

import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeOutcome;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

/** The end of a Task. Pure. */
final class TaskOutcome {

    private TaskOutcome() {}

    /** The outcome of a tree that is over. */
    static TreeOutcome of(TaskSpec spec, ObservedTree tree) {
        TreeReport report = tree.report();
        if (report.state().state() == TreeState.State.FAILED) {
            return failed(spec, tree);
        }
        return report.endFailure()
                .map(end -> new TreeOutcome(
                        false, TaskReason.FinallyFailed, "The root succeeded. " + described(end) + ended(tree)))
                .orElseGet(() -> new TreeOutcome(true, TaskReason.RootSucceeded, "The root succeeded." + ended(tree)));
    }

    /** How a run of a schedule ended by itself. */
    static Reason ofRun(ScheduleReport.Run run) {
        if (run.state() != TreeState.State.FINISHED) {
            return TaskReason.NodeFailed;
        }
        return run.endFailed() ? TaskReason.FinallyFailed : TaskReason.RootSucceeded;
    }

    private static TreeOutcome failed(TaskSpec spec, ObservedTree tree) {
        String cleanup = tree.report()
                .endFailure()
                .map(end -> " Then: " + described(end))
                .orElse("");
        return TreeOutcome.ended(spec, tree.report())
                .orElseGet(() -> new TreeOutcome(
                        false,
                        TaskReason.NodeFailed,
                        tree.report().failure().map(TaskOutcome::described).orElse(TaskReason.NodeFailed.sentence())))
                .and(ended(tree) + cleanup);
    }

    private static String described(TreeReport.Failure failure) {
        return "Node " + failure.name() + TreeOutcome.described(failure.error());
    }

    private static String ended(ObservedTree tree) {
        TreeState state = tree.state();
        return " " + state.progress() + " of " + state.total() + " units of progress were done.";
    }
}
