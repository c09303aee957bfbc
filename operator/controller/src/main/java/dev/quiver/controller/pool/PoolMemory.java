package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.Optional;

/**
 * A leader's memory of a pool between reconciles. Its loss costs only a request or a pod too many.
 *
 * @param backoff when broken pods may be replaced again
 * @param refusal the API server's last refusal
 * @param replaced the pod that was replaced last, until all are ready
 */
record PoolMemory(ReplacementBackoff backoff, Optional<Refusal> refusal, Optional<ReplacedPod> replaced) {

    static final PoolMemory EMPTY = new PoolMemory(ReplacementBackoff.NONE, Optional.empty(), Optional.empty());

    /** The memory after a plan that replaces broken pods. */
    PoolMemory replaced(PoolPlan plan, Instant now) {
        return new PoolMemory(
                backoff.replaced(now), refusal, ReplacedPod.by(plan).or(() -> replaced));
    }

    /** The memory once all wanted pods are ready. */
    PoolMemory recovered() {
        return new PoolMemory(ReplacementBackoff.NONE, refusal, Optional.empty());
    }

    PoolMemory with(Optional<Refusal> next) {
        return new PoolMemory(backoff, next, replaced);
    }
}
