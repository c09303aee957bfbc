package dev.quiver.lifecycle.worker;

import java.time.Duration;
import java.util.Optional;

/**
 * How much work waits in a source and how fast it goes. A tenant may have written each number: one that makes no sense
 * counts as 0, and none is larger than 10¹⁵.
 *
 * @param source its name in the pool's order
 * @param left tasks without an end, running and delayed ones included
 * @param running tasks that a worker holds
 * @param delayed tasks that wait for their retry time, for a resource, or for a permit of one
 * @param trials that ended, of a source without an end the latest ones
 * @param runTime of these trials together
 * @param sinceFirst since a worker first took a task; absent where none has
 * @param sinceProgress since a task was last given out or settled; absent where none was
 * @param maxWorkers sessions that may work at it at once; 0 for any number
 * @param sessions that work at it
 * @param handler without which none of its tasks can run; empty where they need none or differ
 * @param maxParallel tasks that may run at once; 0 for any number
 */
public record SourceLoad(
        String source,
        long left,
        long running,
        long delayed,
        long trials,
        Duration runTime,
        Optional<Duration> sinceFirst,
        Optional<Duration> sinceProgress,
        long maxWorkers,
        long sessions,
        String handler,
        long maxParallel) {

    /** A source that lets any number of tasks run at once. */
    public SourceLoad(
            String source,
            long left,
            long running,
            long delayed,
            long trials,
            Duration runTime,
            Optional<Duration> sinceFirst,
            Optional<Duration> sinceProgress,
            long maxWorkers,
            long sessions,
            String handler) {
        this(
                source,
                left,
                running,
                delayed,
                trials,
                runTime,
                sinceFirst,
                sinceProgress,
                maxWorkers,
                sessions,
                handler,
                0);
    }

    /** Tasks that wait for a worker, those included that {@link #maxParallel} keeps from running now. */
    public long claimable() {
        return Math.max(0, left - running - delayed);
    }

    /** The tasks that workers may take now. */
    public long takeable() {
        return maxParallel == 0 ? claimable() : Math.min(claimable(), Math.max(0, maxParallel - running));
    }
}
