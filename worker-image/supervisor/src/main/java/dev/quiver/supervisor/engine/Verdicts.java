package dev.quiver.supervisor.engine;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.lifecycle.taskset.Claim;
import dev.quiver.lifecycle.taskset.ExecutionSpec;
import dev.quiver.lifecycle.taskset.Settlement;
import dev.quiver.lifecycle.taskset.TaskFailure;
import dev.quiver.lifecycle.taskset.TaskRendering;
import dev.quiver.supervisor.execution.Ending;

/** What an end means for a task's account. Pure. */
final class Verdicts {

    /** The executor died under a running task. */
    static final String WORKER_LOST = "WorkerLost";

    private Verdicts() {}

    /** The settlement for a task that ended by itself. */
    static Settlement of(ExecutionSpec spec, Claim claim, Ending ending) {
        return switch (ending.kind()) {
            case PASSED -> new Settlement.Passed(claim, ending.ran());
            case CUT_OFF -> new Settlement.Returned(claim);
            case FAILED -> new Settlement.Failed(claim, ending.ran(), failure(spec, claim, ending), ending.retry());
            case LOST -> new Settlement.Lost(claim, failure(spec, claim, ending));
        };
    }

    /** The settlement for a task whose executor is gone: a loss if it had been started, otherwise nothing happened. */
    static Settlement gone(ExecutionSpec spec, Claim claim, boolean started, String words) {
        if (!started) {
            return new Settlement.Returned(claim);
        }
        Ending ending = new Ending(Ending.Kind.LOST, -1, 0, WORKER_LOST, words, Duration.ZERO);
        return of(spec, claim, ending);
    }

    private static TaskFailure failure(ExecutionSpec spec, Claim claim, Ending ending) {
        return TaskFailure.of(
                name(spec, claim),
                claim.trial(),
                ending.exitCode() < 0 ? Optional.empty() : Optional.of(ending.exitCode()),
                ending.signal() == 0 ? Optional.empty() : Optional.of(ending.signal()),
                ending.reason(),
                ending.message());
    }

    /** The task's name, or its ordinal when its payload is not readable (then that is what it failed of). */
    private static String name(ExecutionSpec spec, Claim claim) {
        try {
            return TaskRendering.name(spec.source(), claim.id(), claim.payload());
        } catch (IllegalArgumentException unreadable) {
            return Long.toString(claim.id());
        }
    }
}
