package dev.quiver.controller.run;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The time until the next reconcile of a run, if no event wakes it before. Pure. */
public final class RunPace {

    /** Redis wakes changed runs; this reconcile finds a run whose wake-up was missed. */
    public static final Duration SAFETY = Duration.ofSeconds(60);

    /** A person may change quota and policies. */
    public static final Duration POOL = Duration.ofSeconds(30);

    /** One failed call is little evidence: Redis may be asked again. While it is away, its return wakes every run. */
    public static final Duration STORE = Duration.ofSeconds(2);

    /** A run that has just ended needs one more reconcile. */
    public static final Duration AT_ONCE = Duration.ofMillis(1);

    private RunPace() {}

    /** The shortest of the run's waits, within {@link #SAFETY}. */
    public static Duration soonest(List<Optional<Duration>> waits) {
        return waits.stream()
                .flatMap(Optional::stream)
                .filter(Duration::isPositive)
                .min(Duration::compareTo)
                .filter(d -> d.compareTo(SAFETY) < 0)
                .orElse(SAFETY);
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
