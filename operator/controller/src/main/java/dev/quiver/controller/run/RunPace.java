package dev.quiver.controller.run;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The time until the next reconcile of a run, if no event wakes it before. Pure. */
public final class RunPace {

    /** A change of a resource that the pool's status shows wakes the runs that wait; it shows some of many. */
    public static final Duration BLOCKED = Duration.ofSeconds(30);

    /** Redis wakes changed runs, and {@link Runs} finds an end that was missed; this reconcile finds what else was. */
    public static final Duration SAFETY = Duration.ofSeconds(60);

    /** The wait of a run for which nothing is due. */
    public static final Duration NOTHING_DUE = Duration.ofDays(365);

    /** The time in which all runs of a kind together have one look that nothing asked for. */
    private static final Duration UNASKED = Duration.ofSeconds(1);

    /** A person may change quota and policies. */
    public static final Duration POOL = Duration.ofSeconds(30);

    /** One failed call is little evidence: Redis may be asked again. While it is away, its return wakes every run. */
    public static final Duration STORE = Duration.ofSeconds(2);

    /** A run that has just ended needs one more reconcile. */
    public static final Duration AT_ONCE = Duration.ofMillis(1);

    private RunPace() {}

    /** The shortest of the run's waits, {@link #NOTHING_DUE} where it has none. */
    public static Duration soonest(List<Optional<Duration>> waits) {
        return waits.stream()
                .flatMap(Optional::stream)
                .filter(Duration::isPositive)
                .min(Duration::compareTo)
                .orElse(NOTHING_DUE);
    }

    /**
     * The wait of a run among so many. Looks that nothing asked for are rarer among many, so that runs that wait cost
     * little; whatever is due is looked at in time. Runs that were looked at together, as by a leader that starts, come apart.
     *
     * @param runs of this kind that go on
     * @param soonest as {@link #soonest} says
     * @param chance 0 to 1, at random
     */
    public static Duration among(int runs, Duration soonest, double chance) {
        Duration share = UNASKED.multipliedBy(Math.round(runs * (2 + 2 * chance) / 3)); // once the mean of all
        Duration longest = share.compareTo(SAFETY) < 0 ? SAFETY : share;
        return soonest.compareTo(longest) < 0 ? soonest : longest;
    }

    /**
     * The time until a running run's deadline: without a worker only the operator notices that it has passed.
     *
     * @param limit absent for none
     * @param now by Redis' clock
     */
    public static Optional<Duration> deadline(Optional<Duration> limit, Optional<Instant> startedAt, Instant now) {
        return limit.flatMap(d -> startedAt.map(s -> s.plus(d)))
                .map(at -> Duration.between(now, at).plusMillis(50))
                .map(left -> left.isPositive() ? left : Duration.ofSeconds(1));
    }
}
