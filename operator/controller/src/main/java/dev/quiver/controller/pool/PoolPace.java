package dev.quiver.controller.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

import dev.quiver.controller.pool.scaling.Decision;

/** The time until the next reconcile of a pool, if no event wakes it before. Pure. */
final class PoolPace {

    /** By then the informer has the pods that were made or deleted. */
    private static final Duration STALE_CACHE = Duration.ofSeconds(1);

    /** Redis may take the grants and the records of the pool now. */
    private static final Duration TELL_AGAIN = Duration.ofSeconds(5);

    private PoolPace() {}

    /**
     * The shortest wait of the pool, more than nothing.
     *
     * @param memory after the plan was carried out
     * @param seen when something is due about the pods: a silence, a message
     * @param statusTurn when the status may be written; absent when it was written
     * @param told whether Redis has the grants and the records of the pool
     * @param usual the longest wait
     * @param now when the reconcile ends
     */
    static Duration next(
            PoolView view,
            PoolPlan plan,
            PoolMemory memory,
            Stream<Instant> seen,
            Optional<Duration> statusTurn,
            boolean told,
            Duration usual,
            Instant now) {
        Stream<Optional<Instant>> others = Stream.of(
                plan.requeueAt(),
                memory.refusal().map(Refusal::until),
                statusTurn.map(view.now()::plus),
                view.scaling().flatMap(Decision::until),
                AutoscalingCondition.due(view),
                Optional.of(view.now().plus(TELL_AGAIN))
                        .filter(_ -> !told && view.store().up()));
        boolean settling = !plan.deletions().isEmpty()
                || !plan.create().isEmpty() && memory.refusal().isEmpty();
        Duration longest = settling ? STALE_CACHE : usual;
        Duration wait = Stream.concat(seen, others.flatMap(Optional::stream))
                .min(Instant::compareTo)
                .map(at -> Duration.between(now, at))
                .filter(it -> it.compareTo(longest) < 0)
                .orElse(longest);
        return wait.isPositive() ? wait : Duration.ofMillis(1);
    }
}
