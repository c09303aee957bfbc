package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.lifecycle.arrow.ArrowStream;
import dev.quiver.lifecycle.execution.Effects;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.TrialFacts;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.supervisor.execution.TrialResult;

/** The meaning of an end for a task's account. Reads the output of a task whose result is kept. */
final class Settlements {

    /** The executor died under a running task. */
    static final String WORKER_LOST = "WorkerLost";

    /** The task came upon a resource that is missing. */
    static final String BLOCKED = "Blocked";

    /** Bytes that a task brings at most: this process is small, whatever a slot may hold. */
    private static final long MOST_BROUGHT = 4 << 20;

    private Settlements() {}

    /** The settlement for a task that ended by itself. */
    static Settlement of(Claim claim, TrialResult ending) {
        return switch (ending.kind()) {
            case PASSED -> passed(claim, ending);
            case CUT_OFF ->
                ending.ran().isPositive()
                        ? Settlement.Returned.brokenOff(claim, Optional.empty())
                        : new Settlement.Returned(claim);
            case FAILED ->
                blocked(claim, ending)
                        .orElseGet(() ->
                                new Settlement.Failed(claim, ending.ran(), failure(claim, ending), ending.retry()));
            case PENDING -> new Settlement.Pending(claim, ending.ran(), failure(claim, ending), TrialFacts.NONE);
            case LOST -> new Settlement.Lost(claim, failure(claim, ending));
        };
    }

    /** A task of a kind that knows no resources is tried again after that time, as after any other failure. */
    private static Optional<Settlement> blocked(Claim claim, TrialResult ending) {
        return claim.task().mayBeBlocked()
                        && ending.reason().equals(BLOCKED)
                        && ending.retry() instanceof Retry.After(Duration lasts)
                ? Optional.of(new Settlement.Returned(claim, Optional.empty(), lasts, Optional.of(ending.message())))
                : Optional.empty();
    }

    /** Bytes that are read of the output of a task that passed; those of an output that is too large stay where they are. */
    static long read(Claim claim, TrialResult ending) {
        long bytes = ending.output().bytes();
        long most = claim.task().brings()
                ? MOST_BROUGHT
                : ending.output().effects() ? Effects.MAX_BYTES : TaskResult.MAX_BYTES;
        return bytes > most ? 0 : bytes;
    }

    /** The settlement for a task whose executor is gone: a loss if it had been started, otherwise nothing happened. */
    static Settlement gone(Claim claim, boolean started, String message) {
        if (!started) {
            return new Settlement.Returned(claim);
        }
        return of(claim, lost(message));
    }

    /** The end of a trial whose executor is gone. */
    static TrialResult lost(String message) {
        return new TrialResult(TrialResult.Kind.LOST, -1, 0, WORKER_LOST, message, Duration.ZERO);
    }

    /** A result that nobody can keep is a failure; one that left with its slot was lost, and the task with it. */
    private static Settlement passed(Claim claim, TrialResult ending) {
        if (ending.output().effects()) {
            return effects(claim, ending);
        }
        if (!claim.task().wantsResult()) {
            return new Settlement.Passed(claim, ending.ran());
        }
        if (claim.task().brings()) {
            return bringing(claim, ending);
        }
        long bytes = ending.output().bytes();
        if (bytes > TaskResult.MAX_BYTES) {
            String message = "the result has " + bytes + " bytes, at most " + TaskResult.MAX_BYTES + " are kept"
                    + (claim.task().keepsArrow()
                            ? ": let combine join smaller ones, give the node scratch for Arrow, or return less"
                            : "");
            return refused(claim, ending, "ResultTooLarge", message, Retry.NEVER);
        }
        try {
            return ending.output()
                    .read()
                    .<Settlement>map(output -> kept(claim, ending, output))
                    .orElseGet(() -> gone(claim, true, "its result was lost with its slot"));
        } catch (InputTooLargeException large) {
            return refused(claim, ending, "ResultTooLarge", large.getMessage(), Retry.NEVER);
        } catch (IllegalArgumentException senseless) {
            return refused(claim, ending, "ResultInvalid", senseless.getMessage(), Retry.AT_ONCE);
        }
    }

    private static Settlement kept(Claim claim, TrialResult ending, ExecutionInput.Payload output) {
        boolean place = output.locator() && output.format() == ExecutionInput.Format.ARROW;
        if (!claim.task().keepsArrow() || !place && (output.locator() || !ArrowStream.begins(output.bytes()))) {
            return new Settlement.Passed(claim, ending.ran(), TaskResult.of(output));
        }
        if (!place) {
            ArrowStream.of(output.bytes()); // its fault is this task's, and not that of the one that takes it
        }
        ExecutionInput.Payload stream = new ExecutionInput.Payload(output.bytes(), ExecutionInput.Format.ARROW, place);
        return new Settlement.Passed(claim, ending.ran(), Optional.empty(), Optional.of(stream));
    }

    /** Tasks that a function brings are never dropped: a task that can bring none fails with them. */
    private static Settlement effects(Claim claim, TrialResult ending) {
        if (!claim.task().takesEffects()) {
            String message =
                    "the function returned a Done or a Plan: only a function of a Task's node may, and neither an"
                            + " iterator nor one of a TaskSet, of a map-reduce or of another program's queue";
            return refused(claim, ending, "ResultInvalid", message, Retry.NEVER);
        }
        long bytes = ending.output().bytes();
        if (bytes > Effects.MAX_BYTES) {
            String message = "the answer has " + bytes + " bytes, at most " + Effects.MAX_BYTES + " are read";
            return refused(claim, ending, "ResultTooLarge", message, Retry.NEVER);
        }
        return handedOver(claim, ending);
    }

    private static Settlement bringing(Claim claim, TrialResult ending) {
        long bytes = ending.output().bytes();
        if (bytes > MOST_BROUGHT) {
            String message = "the chunks have " + bytes + " bytes, at most " + MOST_BROUGHT + " are read";
            return refused(claim, ending, "ResultTooLarge", message, Retry.NEVER);
        }
        return handedOver(claim, ending);
    }

    /** Its source reads it. */
    private static Settlement handedOver(Claim claim, TrialResult ending) {
        try {
            return ending.output()
                    .read()
                    .<Settlement>map(
                            output -> new Settlement.Passed(claim, ending.ran(), Optional.empty(), Optional.of(output)))
                    .orElseGet(() -> gone(claim, true, "its result was lost with its slot"));
        } catch (IllegalArgumentException senseless) {
            return refused(claim, ending, "ResultInvalid", senseless.getMessage(), Retry.AT_ONCE);
        }
    }

    private static Settlement refused(Claim claim, TrialResult ending, String reason, String message, Retry retry) {
        return of(
                claim,
                new TrialResult(TrialResult.Kind.FAILED, ending.exitCode(), 0, reason, message, ending.ran(), retry));
    }

    private static TrialFailure failure(Claim claim, TrialResult ending) {
        return TrialFailure.of(
                claim.task().name(),
                claim.task().trial(),
                ending.exitCode() < 0 ? Optional.empty() : Optional.of(ending.exitCode()),
                ending.signal() == 0 ? Optional.empty() : Optional.of(ending.signal()),
                ending.reason(),
                ending.message());
    }
}
