package dev.quiver.lifecycle.worker;

import java.util.Objects;
import java.util.Optional;

/**
 * How a worker got ready for a run, for the record. Times are milliseconds since 1970 by the worker's clock.
 *
 * @param run uid of the run
 * @param startedAt when the worker took its first task of the run
 * @param setupFinishedAt when a slot got that task: the handler was there, and the input was read
 * @param finishedAt when the worker had nothing left to do for the run; absent while it works
 * @param log end of the worker's own log, UTF-8; the last {@link dev.quiver.lifecycle.history.HistoryBounds#TAIL_BYTES}
 *     bytes are kept
 */
public record WorkerPreparation(
        String run, long startedAt, Optional<Long> setupFinishedAt, Optional<Long> finishedAt, byte[] log) {

    /** All present. */
    public WorkerPreparation {
        Objects.requireNonNull(run, "run");
        Objects.requireNonNull(setupFinishedAt, "setupFinishedAt");
        Objects.requireNonNull(finishedAt, "finishedAt");
        Objects.requireNonNull(log, "log");
    }
}
