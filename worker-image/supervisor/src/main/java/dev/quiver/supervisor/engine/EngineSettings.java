package dev.quiver.supervisor.engine;

import java.time.Duration;
import java.util.function.Supplier;

import dev.quiver.lifecycle.worker.WorkerIdentity;

/**
 * The settings of an engine.
 *
 * @param worker who it is in the pool's registry
 * @param drain how long running tasks may go on once a drain has begun
 * @param lossPatience how long tasks wait that a container took with it, for the operator's word on why it ended; zero: not
 *     at all
 * @param log end of the process' log, UTF-8, for the record of runs; called on the engine's thread
 */
public record EngineSettings(WorkerIdentity worker, Duration drain, Duration lossPatience, Supplier<byte[]> log) {

    private static final byte[] NO_LOG = {};

    /** Without a log, and without a wait for the operator. */
    public EngineSettings(WorkerIdentity worker, Duration drain) {
        this(worker, drain, Duration.ZERO, () -> NO_LOG);
    }
}
