package dev.quiver.controller.pool;

import java.time.Duration;
import java.time.Instant;

/**
 * The time from which a pool may replace broken pods again. The first time is at once. Then the wait is 10 s, doubling
 * to 5 min, until all its pods were ready. Without it an image that always crashes would make a pod a second for ever.
 * Immutable; kept in memory, since its loss costs only one replacement too many.
 *
 * @param rounds replacements since all pods were last ready
 * @param from when the next may happen
 */
record ReplacementBackoff(int rounds, Instant from) {

    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final Duration LONGEST = Duration.ofMinutes(5);

    /** The back-off of a pool without broken pods. */
    static final ReplacementBackoff NONE = new ReplacementBackoff(0, Instant.EPOCH);

    /** The back-off after broken pods were replaced at that time. */
    ReplacementBackoff replaced(Instant now) {
        Duration delay = FIRST.multipliedBy(1L << Math.min(rounds, 5));
        return new ReplacementBackoff(rounds + 1, now.plus(delay.compareTo(LONGEST) > 0 ? LONGEST : delay));
    }
}
