package dev.quiver.slots;

import java.time.Duration;
import java.util.Optional;

/**
 * How one task of a batch ended: a copy, taken once and checked against its bounds.
 *
 * @param reason why it did not pass; {@link Reason#NONE} if it did
 * @param ran its run time; tasks of one call share the call's evenly
 * @param outputOffset where its result begins in the slot's output
 * @param output what lies there
 * @param retryAfter with {@link Reason#EXCEPTION} and {@link Reason#BLOCKED}: not again before so long after the end
 * @param message the executor's words about the reason, at most 128 bytes of valid UTF-8
 */
public record Outcome(
        Reason reason,
        Duration ran,
        long outputOffset,
        SlotOutput output,
        Optional<Duration> retryAfter,
        String message) {

    /** Whether the function returned. */
    public boolean passed() {
        return reason == Reason.NONE;
    }
}
