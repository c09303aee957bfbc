package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How often a supervisor does what one of its pool has to do now and then. A large pool polls, or glances at its order,
 * about eight times a second and looks for expired sessions about twice, whatever its size. One supervisor does none of
 * it more often than the shortest times here. A small pool is woken by tokens, and its idle pods should cost nothing.
 * Pure but for the jitter.
 */
final class PollIntervals {

    /** Without work: only a token that was lost with its worker is found by it. */
    static final Duration SHORTEST_POLL = Duration.ofSeconds(3);

    /** With work: so long a small set waits behind a large one. */
    static final Duration SHORTEST_GLANCE = Duration.ofSeconds(1);

    static final Duration LONGEST = Duration.ofMinutes(1);
    /** With the jitter under a second: a retry whose time has come is queued in a tick, too. */
    private static final Duration SHORTEST_REAP = Duration.ofMillis(800);

    private static final long PICK_SHARE_MILLIS = 125;
    private static final long REAP_SHARE_MILLIS = 500;

    private final RandomGenerator random;

    PollIntervals(RandomGenerator random) {
        this.random = random;
    }

    /** The time until the next safety-net poll of a supervisor without work, in a pool of so many. */
    Duration poll(int supervisors) {
        return jittered(supervisors * PICK_SHARE_MILLIS, SHORTEST_POLL);
    }

    /** The time until the next glance of a supervisor with work. */
    Duration glance(int supervisors) {
        return jittered(supervisors * PICK_SHARE_MILLIS, SHORTEST_GLANCE);
    }

    /** The time until this supervisor looks for expired sessions again. */
    Duration reap(int supervisors) {
        return jittered(supervisors * REAP_SHARE_MILLIS, SHORTEST_REAP);
    }

    /** Spread by a fifth to both sides, so that pods that started together do not stay together. */
    private Duration jittered(long millis, Duration shortest) {
        long bounded = Math.clamp(millis, shortest.toMillis(), LONGEST.toMillis());
        return Duration.ofMillis(bounded * 4 / 5 + random.nextLong(1 + bounded * 2 / 5));
    }
}
