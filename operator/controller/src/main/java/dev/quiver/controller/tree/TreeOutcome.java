package dev.quiver.controller.tree;

import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.PoolMessages;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.TreeSpec;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.TreeReport;

/**
 * The end of a run: reason and message. Pure.
 *
 * @param succeeded whether it counts as a success
 */
public record TreeOutcome(boolean succeeded, Reason reason, String message) {

    /** The word of an error of what was cancelled. */
    static final String CANCELLED = "Cancelled";

    /** The message of an error begins with this of what was cancelled to be undone. */
    private static final String UNDONE = "it was undone by ";

    /** The word of an error of what took too long. */
    static final String DEADLINE = "DeadlineExceeded";

    /** The outcome of a run that ended without Redis. */
    private static TreeOutcome concluded(TreePlan.Conclude conclusion) {
        return new TreeOutcome(false, conclusion.reason(), conclusion.message());
    }

    /**
     * The outcome of a run after a plan; absent for one that goes on.
     *
     * @param ended that of its tree, once it is over
     */
    public static Optional<TreeOutcome> after(TreeView view, TreePlan plan, Supplier<TreeOutcome> ended) {
        return switch (plan) {
            case TreePlan.Conclude conclusion -> Optional.of(concluded(conclusion));
            case TreePlan.Recur _ -> ScheduleStatus.outcome(view);
            case TreePlan.Hold _ when view.recurring() -> Optional.empty();
            default ->
                view.tree()
                        .filter(ObservedTree::over)
                        .map(tree -> ended.get().amid(view.pools().values(), tree.report()));
        };
    }

    /** The outcome of a tree whose root was ended from outside; absent for one that failed by itself. */
    public static Optional<TreeOutcome> ended(TreeSpec spec, TreeReport report) {
        Optional<String> word = report.failure()
                .map(TreeReport.Failure::error)
                .filter(error -> TreeId.isRoot(error.node()))
                .map(NodeError::reason);
        if (word.filter(CANCELLED::equals).isPresent()) {
            return Optional.of(new TreeOutcome(
                    false, TreeReason.Cancelled, spec.cancel() ? "spec.cancel was set." : cancelled(report)));
        }
        return word.filter(DEADLINE::equals)
                .filter(_ -> spec.activeDeadlineSeconds() != null)
                .map(_ -> new TreeOutcome(
                        false,
                        TreeReason.DeadlineExceeded,
                        "It took longer than spec.activeDeadlineSeconds: " + spec.activeDeadlineSeconds() + "."));
    }

    private static String cancelled(TreeReport report) {
        return report.failure()
                .map(failure -> failure.error().message())
                .filter(words -> words.startsWith(UNDONE))
                .map(words -> "It had not begun, and " + words.substring(UNDONE.length()) + " undid it.")
                .orElse("It was cancelled in Redis.");
    }

    /**
     * The same of a tree that ended so. Where time ran out while a pool had no ready worker, the message goes on with the
     * pool's own words.
     */
    public TreeOutcome amid(Collection<ObservedPool> pools, TreeReport report) {
        return report.failure()
                .filter(failure -> failure.error().reason().equals(DEADLINE))
                .flatMap(_ -> PoolMessages.whyNoneReady(pools))
                .map(why -> and(" " + why))
                .orElse(this);
    }

    /** The same with more words behind the message. */
    public TreeOutcome and(String more) {
        return new TreeOutcome(succeeded, reason, message + more);
    }

    /** An error in words: its reason and the last line of its message. */
    public static String described(NodeError error) {
        String trial = error.trial() > 1 ? " in trial " + error.trial() : "";
        String message = lastLine(error.message());
        return " failed" + trial + ": " + error.reason()
                + (message.isEmpty() ? "." : ": " + message + (message.endsWith(".") ? "" : "."));
    }

    /** The last line of a message, such as the exception of a function. */
    public static String lastLine(String message) {
        String line = message.strip();
        return line.substring(line.lastIndexOf('\n') + 1).strip();
    }
}
