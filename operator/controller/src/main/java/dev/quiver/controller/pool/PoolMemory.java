package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.Optional;

/**
 * What a leader remembers of a pool between looks. Losing it costs a request or a pod too many, nothing else.
 *
 * @param backoff when broken pods may be replaced again
 * @param refusal the API server's last no
 * @param replaced the pod that was replaced last, until all are ready
 */
record PoolMemory(ReplacementBackoff backoff, Optional<Refusal> refusal, Optional<Replaced> replaced) {

    static final PoolMemory FRESH = new PoolMemory(ReplacementBackoff.WELL, Optional.empty(), Optional.empty());

    /** After that plan, which replaces broken pods. */
    PoolMemory replaced(PoolPlan plan, Instant now) {
        return new PoolMemory(backoff.replaced(now), refusal, Replaced.by(plan).or(() -> replaced));
    }

    /** All wanted pods are ready. */
    PoolMemory well() {
        return new PoolMemory(ReplacementBackoff.WELL, refusal, Optional.empty());
    }

    PoolMemory with(Optional<Refusal> next) {
        return new PoolMemory(backoff, next, replaced);
    }
}
