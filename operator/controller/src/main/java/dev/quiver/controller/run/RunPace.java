package dev.quiver.controller.run;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The time until the next reconcile of a run, if nothing wakes it before. Pure. */
public final class RunPace {

    /** Redis wakes changed runs; this catches a missed one. */
    public static final Duration SAFETY = Duration.ofSeconds(60);

    /** Quota and policies change by people. */
    public static final Duration POOL = Duration.ofSeconds(30);

    /** One failed call is little evidence: Redis may be asked again. While it is away, its return wakes every run. */
    public static final Duration STORE = Duration.ofSeconds(2);

    /** A run that has just ended needs one more reconcile. */
    public static final Duration AT_ONCE = Duration.ofMillis(1);

    private RunPace() {}

    /** The shortest of what a run waits for, within {@link #SAFETY}. */
    public static Duration soonest(List<Optional<Duration>> waits) {
        return waits.stream()
                .flatMap(Optional::stream)
                .filter(Duration::isPositive)
                .min(Duration::compareTo)
                .filter(d -> d.compareTo(SAFETY) < 0)
                .orElse(SAFETY);
    }

    /**
     * The time until a running run's deadline: without a worker nobody else would notice that it is over.
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
