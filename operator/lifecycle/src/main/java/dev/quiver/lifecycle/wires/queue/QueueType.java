package dev.quiver.lifecycle.wires.queue;

import java.time.Duration;

/**
 * A type of jobs, and how it is run here. The wire has the type's name alone: each side has its own limits.
 *
 * @param name on the wire
 * @param handler whose functions {@code <handler>.map}, {@code <handler>.process} and {@code <handler>.reduce} run it
 * @param retries a job's or a chunk's counter of trials may not be above it when it is taken up
 * @param delay between a failed trial and the next one
 * @param timeout of one trial
 */
public record QueueType(String name, String handler, int retries, Duration delay, Duration timeout) {

    /** The limits of the programs themselves: 2, a minute, half a minute. */
    public static QueueType ofHandler(String handler) {
        return new QueueType(handler, handler, 2, Duration.ofMinutes(1), Duration.ofSeconds(30));
    }
}
