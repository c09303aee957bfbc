package dev.quiver.lifecycle.wires.idoit;

import java.time.Duration;

/**
 * A type of tasks on the wire, and the handler that runs it. The wire has the type's name alone: each side has its own
 * limits.
 *
 * @param name on the wire
 * @param handler that runs it
 * @param maxTrials that may fail, at least 1
 * @param backoff between two trials
 * @param timeout of one trial
 */
public record IdoitType(String name, String handler, int maxTrials, Duration backoff, Duration timeout) {

    /** The limits of idoit itself: 2 trials, a minute between them, two minutes for each. */
    public static IdoitType ofHandler(String handler) {
        return new IdoitType(handler, handler, 2, Duration.ofMinutes(1), Duration.ofMinutes(2));
    }
}
