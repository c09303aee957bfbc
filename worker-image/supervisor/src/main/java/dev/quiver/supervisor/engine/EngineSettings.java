package dev.quiver.supervisor.engine;

import java.time.Duration;

import dev.quiver.lifecycle.worker.WorkerIdentity;

/**
 * The settings of an engine.
 *
 * @param worker who it is in the pool's registry
 * @param drain how long running tasks may go on once a drain has begun
 */
public record EngineSettings(WorkerIdentity worker, Duration drain) {}
