package dev.quiver.controller.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How far a run has come at one moment, whatever its tasks are. Immutable.
 *
 * @param startedAt when it began or was resumed last
 * @param storeTime this moment, by Redis' clock
 * @param total tasks that it has
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
