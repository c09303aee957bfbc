package dev.quiver.controller.run;

import java.time.Duration;

import dev.quiver.lifecycle.execution.Backoff;

/** The waits of a spec in the words of the Redis contract. Pure. */
public final class Backoffs {

    private Backoffs() {}

    /** The waits between the trials of work that failed. */
    public static Backoff of(dev.quiver.crds.v1alpha1.Backoff backoff) {
        return new Backoff(
                Duration.ofSeconds(backoff.initialSeconds()),
                backoff.factor(),
                Duration.ofSeconds(backoff.maxSeconds()),
                backoff.jitterPercent());
    }
}
