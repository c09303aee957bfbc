package dev.quiver.supervisor.engine.store;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Doubling waits with jitter between a shortest and a longest; not thread-safe. */
public final class Backoff {

    private final Duration shortest;
    private final Duration longest;
    private final RandomGenerator random;
    private long nextMillis;

    /** A back-off whose first wait is about {@code shortest} and whose waits never exceed {@code longest}. */
    public Backoff(Duration shortest, Duration longest, RandomGenerator random) {
        this.shortest = shortest;
        this.longest = longest;
        this.random = random;
        this.nextMillis = shortest.toMillis();
    }

    /** The next wait: between half and all of the doubled value. */
    public Duration next() {
        long millis = nextMillis;
        nextMillis = Math.min(longest.toMillis(), millis * 2);
        return Duration.ofMillis(millis / 2 + random.nextLong(millis / 2 + 1));
    }

    /** After a success: the next wait is the shortest again. */
    public void reset() {
        nextMillis = shortest.toMillis();
    }
}
