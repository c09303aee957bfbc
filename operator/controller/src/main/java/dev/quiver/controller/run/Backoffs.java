package dev.quiver.controller.run;

import java.time.Duration;

import dev.quiver.crds.v1alpha1.Backoff;
import dev.quiver.lifecycle.execution.RetryBackoff;

/** The waits of a spec in the words of the Redis contract. Pure. */
public final class Backoffs {

    private Backoffs() {}

    /** The waits between the trials of work that failed. */
    public static RetryBackoff of(Backoff backoff) {
        return new RetryBackoff(
                Duration.ofSeconds(backoff.initialSeconds()),
                backoff.factor(),
                Duration.ofSeconds(backoff.maxSeconds()),
                backoff.jitterPercent());
    }
}
