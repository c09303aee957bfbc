package dev.quiver.controller.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The progress of a run at one moment, for tasks of any kind. Immutable.
 *
 * @param startedAt when the run began or was resumed last
 * @param storeTime this moment, by Redis' clock
 * @param total tasks of the run
 * @param decided tasks that ended, passed or not
 * @param running tasks that workers hold
 * @param trials that have ended
 * @param runTime of those trials together
 */
public record RunProgress(
        Optional<Instant> startedAt,
        Instant storeTime,
        long total,
        long decided,
        long running,
        long trials,
        Duration runTime) {}
