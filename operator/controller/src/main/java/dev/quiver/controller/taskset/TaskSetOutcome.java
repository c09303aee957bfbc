package dev.quiver.controller.taskset;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.PoolMessages;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetSpec;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.worker.TrialFailure;

/**
 * The end of a run: reason and message. Pure.
 *
 * @param succeeded whether it counts as a success
 */
record TaskSetOutcome(boolean succeeded, TaskSetReason reason, String message) {

    /** The outcome of a run that is final in Redis. */
    static TaskSetOutcome of(TaskSetSpec spec, TaskSetSnapshot run) {
        return switch (run.status()) {
            case SUCCEEDED -> new TaskSetOutcome(true, TaskSetReason.AllTasksSucceeded, allPassed(run));
            case CANCELLED -> new TaskSetOutcome(false, TaskSetReason.Cancelled, "spec.cancel was set. " + undone(run));
            case FAILED, RUNNING, SUSPENDED -> failed(spec, run);
        };
    }

    /** The outcome of a run that ended without Redis. */
    static TaskSetOutcome concluded(TaskSetPlan.Conclude conclusion) {
        return new TaskSetOutcome(false, conclusion.reason(), conclusion.message());
    }

    /**
     * The same with these workers. Where time ran out and none of them was ready, the message goes on with the pool's own
     * words.
     */
    TaskSetOutcome amid(ObservedPool workers) {
        return reason != TaskSetReason.DeadlineExceeded
                ? this
                : PoolMessages.whyNoneReady(List.of(workers))
                        .map(why -> new TaskSetOutcome(succeeded, reason, message + " " + why))
                        .orElse(this);
    }

    private static TaskSetOutcome failed(TaskSetSpec spec, TaskSetSnapshot run) {
        TaskSetReason reason = reasonNamed(run.reason()).orElse(TaskSetReason.TasksFailed);
        String message = switch (reason) {
            case TasksFailed -> someFailed(run);
            case MaxFailedTasksExceeded -> someFailed(run) + " " + bound(spec) + " " + undone(run);
            case FailurePolicy -> (run.message().isEmpty() ? reason.sentence() : run.message()) + " " + undone(run);
            case DeadlineExceeded ->
                "The run took longer than spec.activeDeadlineSeconds: " + spec.activeDeadlineSeconds() + ". "
                        + undone(run);
            default -> run.message().isEmpty() ? reason.sentence() : run.message();
        };
        return new TaskSetOutcome(false, reason, message);
    }

    private static String bound(TaskSetSpec spec) {
        return spec.failurePolicyOrNone().failFast()
                ? "spec.failurePolicy.failFast is true."
                : "More than spec.maxFailedTasks: " + spec.maxFailedTasks() + ".";
    }

    private static String allPassed(TaskSetSnapshot run) {
        if (run.total() == 0) {
            return "No task was left to run.";
        }
        long again = run.trials() - run.succeeded();
        return (run.total() == 1 ? "The only task passed" : "All " + run.total() + " tasks passed")
                + (run.pending() > 0 ? ", " + run.pending() + " of them as pending" : "")
                + (again > 0 ? ", in " + run.trials() + " trials." : ".");
    }

    private static String someFailed(TaskSetSnapshot run) {
        String first = run.failures().stream()
                .filter(TrialFailure::last)
                .findFirst()
                .map(f -> " First: task " + f.task() + ", " + how(f))
                .orElse("");
        return run.failed() + " of " + run.total() + " tasks failed." + first;
    }

    /** Code or signal where a process ended; else the last line of the message, such as the exception of a function. */
    private static String how(TrialFailure failure) {
        String number = failure.exitCode().map(c -> " with exit code " + c).orElse("")
                + failure.signal().map(s -> " by signal " + s).orElse("");
        String line = failure.message().strip();
        line = line.substring(line.lastIndexOf('\n') + 1).strip();
        return failure.reason() + (number.isEmpty() && !line.isEmpty() ? ": " + line : number + ".");
    }

    private static String undone(TaskSetSnapshot run) {
        long decided = run.succeeded() + run.failed();
        return decided + " of " + run.total() + " tasks were decided: " + run.succeeded() + " passed, " + run.failed()
                + " failed.";
    }

    private static Optional<TaskSetReason> reasonNamed(String name) {
        return Stream.of(TaskSetReason.values())
                .filter(r -> r.name().equals(name))
                .findFirst();
    }
}
