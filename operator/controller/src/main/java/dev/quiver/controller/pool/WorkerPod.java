package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

import dev.quiver.controller.pool.podstatus.PodStage;

/**
 * One pod of a pool as the planner sees it: what Kubernetes says of it, and what its worker says in Redis.
 *
 * @param hash what it was made from
 * @param since for a crashing pod, when its container last ended, absent while it runs again; for one on its way, since
 *     when it has come no further
 * @param busySlots slots that run a task; absent when the worker is not heard or Redis is away
 * @param draining whether its worker was already told to take no more
 * @param trouble what its user's side did against the rules of the slots, in its supervisor's words
 * @param silent whether its worker was heard once and has been silent for too long
 */
public record WorkerPod(
        String name,
        String uid,
        String hash,
        Instant created,
        PodStage stage,
        String message,
        Optional<Instant> since,
        OptionalInt busySlots,
        boolean draining,
        Optional<String> trouble,
        boolean silent) {

    /** Whether it counts among the pool's replicas. */
    boolean live() {
        return stage != PodStage.TERMINATING;
    }

    /** Whether it ended, or its container does again and again. */
    boolean failed() {
        return stage == PodStage.ENDED || stage == PodStage.CRASHING;
    }

    /** Whether it can take tasks now. */
    boolean available() {
        return stage == PodStage.READY && !silent && trouble.isEmpty();
    }

    /** Why it is not further, or why it goes; empty when there is nothing to say. */
    String complaint() {
        return trouble.map(what -> "its container broke the rules of the slots: " + what)
                .orElse(silent ? "its worker has sent no heartbeat for 30 s" : message);
    }
}
