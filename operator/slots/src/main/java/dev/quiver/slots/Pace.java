package dev.quiver.slots;

import java.time.Duration;

/** Lets so many things happen at once, and so many a second in the long run. Not thread-safe. */
final class Pace {
    private final long nanosEach;
    private final long burstNanos;
    private long spentUntil; // when all that has happened is paid for
    private boolean begun;

    Pace(int burst, int perSecond) {
        this.nanosEach = Duration.ofSeconds(1).toNanos() / perSecond;
        this.burstNanos = burst * nanosEach;
    }

    /** Takes note of one more. */
    void count(long now) {
        spentUntil = (begun && spentUntil - now > 0 ? spentUntil : now) + nanosEach;
        begun = true;
    }

    /** How long to wait before the next; zero when it may happen now. */
    Duration untilNext(long now) {
        long over = begun ? spentUntil - now - burstNanos : 0;
        return Duration.ofNanos(Math.max(0, over));
    }
}
