package dev.quiver.controller.task;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeId;
import dev.quiver.controller.tree.TreeOutcome;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

/** The end of a Task. Pure. */
final class TaskOutcome {

    /** Words of errors by which its name ends a tree. */
    private static final Map<String, TaskReason> OF_NAME = Stream.of(TaskReason.AlreadyQueued, TaskReason.Replaced)
            .collect(Collectors.toUnmodifiableMap(Enum::name, reason -> reason));

    private TaskOutcome() {}

    /** The outcome of a tree that is over. */
    static TreeOutcome of(TaskSpec spec, ObservedTree tree) {
        TreeReport report = tree.report();
        if (report.state().state() == TreeState.State.FAILED) {
            return failed(spec, tree);
        }
        if (spec.undone().isPresent()) {
            return undone(spec.undone().get(), tree);
        }
        return report.endFailure()
                .map(end -> new TreeOutcome(
                        false, TaskReason.FinallyFailed, "The root succeeded. " + described(end) + ended(tree)))
                .orElseGet(() -> new TreeOutcome(true, TaskReason.RootSucceeded, "The root succeeded." + ended(tree)));
    }

    /** The root goes on behind a failure, so that all is undone that can be. */
    private static TreeOutcome undone(String task, ObservedTree tree) {
        boolean cancelled = tree.report().nodes().stream()
                .findFirst()
                .filter(root -> root.name().equals(LeftUndo.NAME_CANCELLED))
                .isPresent();
        if (tree.state().total() == 0) {
            return new TreeOutcome(
                    true,
                    TaskReason.Undone,
                    cancelled
                            ? "Task " + task + " had not begun: it was cancelled, and nothing had to be undone."
                            : "The plans of Task " + task + " left nothing to undo.");
        }
        if (tree.counts().failed() > 0) {
            String failure = tree.report().nodes().stream()
                    .filter(node -> node.state() == TreeState.State.FAILED)
                    .findFirst()
                    .map(node -> " Node " + node.name() + " failed: " + TreeOutcome.lastLine(node.message()) + ".")
                    .orElse("");
            return new TreeOutcome(
                    false, TaskReason.NodeFailed, "A part of Task " + task + " is not undone." + failure + ended(tree));
        }
        return new TreeOutcome(
                true,
                TaskReason.Undone,
                (cancelled
                                ? "Task " + task + " was cancelled before its function ran, and what its plans had"
                                        + " changed is undone."
                                : "Task " + task + " is undone.")
                        + ended(tree));
    }

    /** How a run of a schedule ended by itself. */
    static Reason ofRun(ScheduleReport.Run run) {
        if (run.state() != TreeState.State.FINISHED) {
            return OF_NAME.getOrDefault(run.reason(), TaskReason.NodeFailed);
        }
        return run.endFailed() ? TaskReason.FinallyFailed : TaskReason.RootSucceeded;
    }

    private static TreeOutcome failed(TaskSpec spec, ObservedTree tree) {
        String cleanup = tree.report()
                .endFailure()
                .map(end -> " Then: " + described(end))
                .orElse("");
        Optional<TreeOutcome> ofName = ofName(tree.report());
        if (ofName.isPresent()) {
            return ofName.get();
        }
        return TreeOutcome.ended(spec, tree.report())
                .orElseGet(() -> new TreeOutcome(
                        false,
                        TaskReason.NodeFailed,
                        tree.report().failure().map(TaskOutcome::described).orElse(TaskReason.NodeFailed.sentence())))
                .and(ended(tree) + cleanup);
    }

    /** The outcome of a tree that its name ended; absent for another one. */
    private static Optional<TreeOutcome> ofName(TreeReport report) {
        return report.failure()
                .map(TreeReport.Failure::error)
                .flatMap(error -> Optional.ofNullable(isOfName(error) ? OF_NAME.get(error.reason()) : null)
                        .map(reason -> new TreeOutcome(
                                false,
                                reason,
                                (reason == TaskReason.AlreadyQueued ? "It did not run: " : "It gave way: ")
                                        + error.message() + ".")));
    }

    /** A function may say such a word too, but only in a trial. */
    private static boolean isOfName(NodeError error) {
        return error.trial() == 0 && TreeId.isRoot(error.node());
    }

    private static String described(TreeReport.Failure failure) {
        return "Node " + failure.name() + TreeOutcome.described(failure.error());
    }

    private static String ended(ObservedTree tree) {
        TreeState state = tree.state();
        return " " + state.progress() + " of " + state.total() + " units of progress were done.";
    }
}
