package dev.quiver.lifecycle.execution;

import java.time.Duration;

/**
 * How long a trial of a task takes, as earlier runs of its class tell.
 *
 * @param usual at a worker of the usual speed; more than zero
 * @param known whether runs of this task tell it; else it is the mean of the others
 * @param slowness of the worker that claimed it, in thousandths of the usual time; 0 where that is not known
 */
public record TaskEstimate(Duration usual, boolean known, int slowness) {

    private static final int PLAIN = 1000;

    /** A worker's slowness counts as four at most, where a task's limit follows from it. */
    private static final int MOST = 4 * PLAIN;

    /** How long it takes at the worker that claimed it: between once and four times the usual time. */
    public Duration here() {
        return usual.multipliedBy(Math.clamp(slowness, PLAIN, MOST)).dividedBy(PLAIN);
    }
}
