package dev.quiver.controller.pool;

import java.util.Optional;

/**
 * What a leader remembers of a pool between looks. Losing it costs a request or a pod too many, nothing else.
 *
 * @param backoff when broken pods may be replaced again
 * @param refusal the API server's last no
 */
record PoolMemory(ReplacementBackoff backoff, Optional<Refusal> refusal) {

    static final PoolMemory FRESH = new PoolMemory(ReplacementBackoff.WELL, Optional.empty());

    PoolMemory with(ReplacementBackoff next) {
        return new PoolMemory(next, refusal);
    }

    PoolMemory with(Optional<Refusal> next) {
        return new PoolMemory(backoff, next);
    }
}
