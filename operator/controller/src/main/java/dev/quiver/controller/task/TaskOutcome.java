package dev.quiver.controller.task;

import java.util.Optional;

import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.lifecycle.task.TaskError;
import dev.quiver.lifecycle.task.TreeReport;
import dev.quiver.lifecycle.task.TreeState;

/**
 * The end of a Task: reason and message. Pure.
 *
 * @param succeeded whether it counts as a success
 */
record TaskOutcome(boolean succeeded, TaskReason reason, String message) {

    static final String CANCELLED = "Cancelled";
    static final String DEADLINE = "DeadlineExceeded";

    /** The outcome of a tree that is over. */
    static TaskOutcome of(TaskSpec spec, ObservedTree tree) {
        TreeReport report = tree.report();
        if (report.state().state() == TreeState.State.FAILED) {
            return failed(spec, tree);
        }
        return report.endFailure()
                .map(end -> new TaskOutcome(
                        false, TaskReason.FinallyFailed, "The root succeeded. " + described(end) + ended(tree)))
                .orElseGet(() -> new TaskOutcome(true, TaskReason.RootSucceeded, "The root succeeded." + ended(tree)));
    }

    /** The outcome of a Task that ended without Redis. */
    static TaskOutcome concluded(TaskPlan.Conclude conclusion) {
        return new TaskOutcome(false, conclusion.reason(), conclusion.message());
    }

    private static TaskOutcome failed(TaskSpec spec, ObservedTree tree) {
        Optional<TreeReport.Failure> failure = tree.report().failure();
        String cleanup = tree.report()
                .endFailure()
                .map(end -> " Then: " + described(end))
                .orElse("");
        boolean ofRoot = failure.filter(TaskOutcome::isRoot).isPresent();
        String word =
                failure.map(TreeReport.Failure::error).map(TaskError::reason).orElse("");
        if (ofRoot && word.equals(CANCELLED)) {
            return new TaskOutcome(
                    false,
                    TaskReason.Cancelled,
                    (spec.cancel() ? "spec.cancel was set." : "It was cancelled in Redis.") + ended(tree) + cleanup);
        }
        if (ofRoot && word.equals(DEADLINE) && spec.activeDeadlineSeconds() != null) {
            return new TaskOutcome(
                    false,
                    TaskReason.DeadlineExceeded,
                    "It took longer than spec.activeDeadlineSeconds: " + spec.activeDeadlineSeconds() + "."
                            + ended(tree) + cleanup);
        }
        return new TaskOutcome(
                false,
                TaskReason.NodeFailed,
                failure.map(TaskOutcome::described).orElse(TaskReason.NodeFailed.sentence()) + ended(tree) + cleanup);
    }

    private static boolean isRoot(TreeReport.Failure failure) {
        return TreeId.isRoot(failure.error().node());
    }

    private static String described(TreeReport.Failure failure) {
        TaskError error = failure.error();
        String attempt = error.trial() > 1 ? " in attempt " + error.trial() : "";
        String message = lastLine(error.message());
        return "Node " + failure.name() + " failed" + attempt + ": " + error.reason()
                + (message.isEmpty() ? "." : ": " + message + (message.endsWith(".") ? "" : "."));
    }

    /** The last line of a message, such as the exception of a function. */
    static String lastLine(String message) {
        String line = message.strip();
        return line.substring(line.lastIndexOf('\n') + 1).strip();
    }

    private static String ended(ObservedTree tree) {
        TreeState state = tree.state();
        return " " + state.progress() + " of " + state.total() + " units of progress were done.";
    }
}
