package dev.quiver.controller.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The last word of this leader to a pod that stays for now, as Redis has it.
 *
 * @param drains whether the pod shall take no more work; else that was taken back
 * @param heard the last heartbeat before that word. Only a later one can know of it
 */
record DrainMark(boolean drains, Optional<Instant> heard) {

    /** By then a worker has had several heartbeats, also an idle one. */
    private static final Duration HEEDED = Duration.ofSeconds(10);

    /** Whether the worker goes on as if it had not been told: Redis may have lost the word, or have an older one. */
    boolean unheeded(WorkerPod pod) {
        return pod.draining() != drains
                && heard.isPresent()
                && pod.heard()
                        .filter(now -> now.isAfter(heard.get().plus(HEEDED)))
                        .isPresent();
    }

    /** Whether the worker has said since then that it drains and runs nothing. */
    boolean answered(WorkerPod pod) {
        boolean since = pod.heard()
                .filter(now -> heard.isEmpty() || now.isAfter(heard.get()))
                .isPresent();
        return drains && since && pod.draining() && !pod.busy();
    }
}
