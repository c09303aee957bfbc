package dev.quiver.history.store;

import java.time.Duration;

/**
 * The bounds of what is kept of a namespace's runs. A resource may keep less.
 *
 * @param age how long a run is kept after its end
 * @param runsOfClass runs of one class that are kept
 * @param outputAge how long output and results are kept after the end of their run
 */
public record RetentionPolicy(Duration age, int runsOfClass, Duration outputAge) {

    /** 30 days, 200 runs of a class, outputs of 7 days. */
    public static final RetentionPolicy DEFAULT = new RetentionPolicy(Duration.ofDays(30), 200, Duration.ofDays(7));

    /** All positive. */
    public RetentionPolicy {
        if (age.isNegative() || runsOfClass < 1 || outputAge.isNegative()) {
            throw new IllegalArgumentException("a policy that keeps nothing");
        }
    }
}
