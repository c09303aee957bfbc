package dev.quiver.history.store;

import java.time.Duration;

/**
 * What is kept of a namespace's runs. A resource may keep less.
 *
 * @param age how long a run is kept after its end
 * @param runsOfClass runs of one class that are kept
 * @param outputAge how long output and results are kept after the end of their run
 * @param maxBytes of the namespace's runs in all, about
 */
public record RetentionPolicy(Duration age, int runsOfClass, Duration outputAge, long maxBytes) {

    /** 30 days, 200 runs of a class, outputs of 7 days, any number of bytes. */
    public static final RetentionPolicy DEFAULT =
            new RetentionPolicy(Duration.ofDays(30), 200, Duration.ofDays(7), Long.MAX_VALUE);

    /** All positive. */
    public RetentionPolicy {
        if (age.isNegative() || runsOfClass < 1 || outputAge.isNegative() || maxBytes < 1) {
            throw new IllegalArgumentException("a policy that keeps nothing");
        }
    }
}
