package dev.quiver.lifecycle.execution;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The waits between the trials of a task that failed.
 *
 * @param initial wait after the first failed trial
 * @param factor each further wait is so many times the one before it, at least 1
 * @param most the longest wait, before jitter
 * @param jitterPercent up to so many percent of a wait are added to it at random, 0 to 100
 */
public record RetryBackoff(Duration initial, int factor, Duration most, int jitterPercent) {

    /** No wait. */
    public static final RetryBackoff NONE = new RetryBackoff(Duration.ZERO, 1, Duration.ZERO, 0);

    /** Checks the bounds. */
    public RetryBackoff {
        if (initial.isNegative() || factor < 1 || jitterPercent < 0 || jitterPercent > 100) {
            throw new IllegalArgumentException(
                    "backoff is " + initial + " × " + factor + " + " + jitterPercent + " %, which is no wait");
        }
    }

    /**
     * The wait after a trial.
     *
     * @param failed trials that failed so far, at least 1
     */
    public Duration after(int failed, RandomGenerator random) {
        double wait = initial.toMillis() * Math.pow(factor, failed - 1.0);
        double bounded = Math.min(wait, most.toMillis());
        return Duration.ofMillis((long) (bounded * (1 + random.nextDouble() * jitterPercent / 100)));
    }
}
