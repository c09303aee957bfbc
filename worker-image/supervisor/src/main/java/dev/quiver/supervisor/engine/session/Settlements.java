package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.TaskFailure;
import dev.quiver.supervisor.execution.AttemptResult;

/** The meaning of an end for a task's account. Pure. */
final class Settlements {

    /** The executor died under a running task. */
    static final String WORKER_LOST = "WorkerLost";

    private Settlements() {}

    /** The settlement for a task that ended by itself. */
    static Settlement of(Claim claim, AttemptResult ending) {
        return switch (ending.kind()) {
            case PASSED -> new Settlement.Passed(claim, ending.ran());
            case CUT_OFF -> new Settlement.Returned(claim);
            case FAILED -> new Settlement.Failed(claim, ending.ran(), failure(claim, ending), ending.retry());
            case LOST -> new Settlement.Lost(claim, failure(claim, ending));
        };
    }

    /** The settlement for a task whose executor is gone: a loss if it had been started, otherwise nothing happened. */
    static Settlement gone(Claim claim, boolean started, String message) {
        if (!started) {
            return new Settlement.Returned(claim);
        }
        AttemptResult ending = new AttemptResult(AttemptResult.Kind.LOST, -1, 0, WORKER_LOST, message, Duration.ZERO);
        return of(claim, ending);
    }

    private static TaskFailure failure(Claim claim, AttemptResult ending) {
        return TaskFailure.of(
                claim.task().name(),
                claim.task().trial(),
                ending.exitCode() < 0 ? Optional.empty() : Optional.of(ending.exitCode()),
                ending.signal() == 0 ? Optional.empty() : Optional.of(ending.signal()),
                ending.reason(),
                ending.message());
    }
}
