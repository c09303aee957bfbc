package dev.quiver.client;

import java.time.Duration;
import java.util.Optional;

/**
 * The options of a job as a whole.
 *
 * @param keep how long its result is there after its end
 * @param delay until it begins
 * @param deadline from its start to its end; absent: none
 * @param durable whether its creation returns only when it survives the loss of Redis' machine
 */
public record Options(Duration keep, Duration delay, Optional<Duration> deadline, boolean durable) {

    /** Kept for an hour, begun at once, without a deadline. */
    public static final Options DEFAULT = new Options(Duration.ofHours(1), Duration.ZERO, Optional.empty(), false);

    /** The same with another keep; nothing can be read of a job that is kept for no time. */
    public Options keep(Duration time) {
        return new Options(time, delay, deadline, durable);
    }

    /** The same with another delay. */
    public Options delay(Duration time) {
        return new Options(keep, time, deadline, durable);
    }

    /** The same with a deadline. */
    public Options deadline(Duration time) {
        return new Options(keep, delay, Optional.of(time), durable);
    }

    /**
     * The same of jobs whose creation returns only when Redis' disk has them (Redis 7.2, Valkey), and a replica where there is
     * one. Creating them is refused where this Redis can tell of neither.
     */
    public Options durably() {
        return new Options(keep, delay, deadline, true);
    }
}
