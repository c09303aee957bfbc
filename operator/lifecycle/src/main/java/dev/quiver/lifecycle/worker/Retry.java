package dev.quiver.lifecycle.worker;

import java.time.Duration;

/** Whether and when a task that failed is tried again, while it has trials left. */
public sealed interface Retry {

    /** As soon as a worker has room. */
    Retry AT_ONCE = new AtOnce();

    /** Not at all. */
    Retry NEVER = new Never();

    /** As soon as a worker has room. */
    record AtOnce() implements Retry {}

    /** Not at all: the task has failed, whatever trials are left. */
    record Never() implements Retry {}

    /**
     * Not at all, nor is any other task of the source: it ends as failed.
     *
     * @param words why, in one line for people
     */
    record EndsSource(String words) implements Retry {}

    /**
     * Not before so long, by Redis' clock; at the latest a second after that it is at the front of the queue.
     *
     * @param delay at least a millisecond, at most {@link #LONGEST}
     */
    record After(Duration delay) implements Retry {

        /** Longer delays are cut to this: a week, which is the longest wait of a resource, and as much again by jitter. */
        public static final Duration LONGEST = Duration.ofDays(14);

        /** Brings the delay into its bounds. */
        public After {
            delay = Duration.ofMillis(Math.clamp(delay.toMillis(), 1, LONGEST.toMillis()));
        }
    }
}
