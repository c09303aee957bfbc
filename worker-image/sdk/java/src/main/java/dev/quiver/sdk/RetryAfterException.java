package dev.quiver.sdk;

import java.time.Duration;

/** The trial failed; the next one starts not before this time has passed. */
public class RetryAfterException extends Exception {
    private final Duration delay;

    /**
     * @param delay from now, zero or more; more than ten years are ten
     * @param message for the status
     */
    public RetryAfterException(Duration delay, String message) {
        super(message);
        if (delay.isNegative()) {
            throw new IllegalArgumentException("RetryAfterException: the delay must be zero or more, not " + delay);
        }
        this.delay = delay;
    }

    /** How long to wait at least. */
    public Duration delay() {
        return delay;
    }
}
