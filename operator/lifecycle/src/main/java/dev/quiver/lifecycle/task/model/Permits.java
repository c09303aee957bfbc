package dev.quiver.lifecycle.task.model;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How many tasks may run with a resource at a time, or start in a window of time.
 *
 * @param most of them
 * @param used permits that tasks hold, or starts of the present window; more than {@code most} after that was lowered
 * @param window in which so many may start; absent where so many may run
 * @param holders ids of tasks that hold one, at most four
 */
public record Permits(int most, long used, Optional<Duration> window, List<String> holders) {

    /** The most permits of a resource. */
    public static final int MOST = 10_000;

    /** The longest window, in seconds. */
    public static final int LONGEST_SECONDS = 86_400;

    /** Copies the list. */
    public Permits {
        holders = List.copyOf(holders);
    }

    /**
     * As the scripts tell them.
     *
     * @param most empty where a resource has none
     * @param seconds of a window, or empty
     * @param holders joined by blanks
     */
    public static Optional<Permits> read(String most, String used, String seconds, String holders) {
        return most.isEmpty()
                ? Optional.empty()
                : Optional.of(new Permits(
                        Integer.parseInt(most),
                        Long.parseLong(used),
                        seconds.isEmpty() ? Optional.empty() : Optional.of(Duration.ofSeconds(Long.parseLong(seconds))),
                        holders.isEmpty() ? List.of() : List.of(holders.split(" "))));
    }
}
