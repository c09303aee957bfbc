package dev.quiver.client;

import java.time.Duration;
import java.util.Optional;

/**
 * The options of a job as a whole.
 *
 * @param keep how long its result is there after its end
 * @param delay until it begins
 * @param deadline from its start to its end; absent: none
 */
public record Options(Duration keep, Duration delay, Optional<Duration> deadline) {

    /** Kept for an hour, begun at once, without a deadline. */
    public static final Options DEFAULT = new Options(Duration.ofHours(1), Duration.ZERO, Optional.empty());

    /** The same with another keep; nothing can be read of a job that is kept for no time. */
    public Options keep(Duration time) {
        return new Options(time, delay, deadline);
    }

    /** The same with another delay. */
    public Options delay(Duration time) {
        return new Options(keep, time, deadline);
    }

    /** The same with a deadline. */
    public Options deadline(Duration time) {
        return new Options(keep, delay, Optional.of(time));
    }
}
