package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The changes that a pool's pods need now.
 *
 * @param create names of pods to make, in this order
 * @param deletions pods to drain and delete
 * @param requeueAt when to reconcile again, if nothing happens before
 */
record PoolPlan(List<String> create, List<Deletion> deletions, Optional<Instant> requeueAt) {

    /** Everything stays as it is. */
    static final PoolPlan NOTHING = new PoolPlan(List.of(), List.of(), Optional.empty());

    /** A pod to delete, and the cause. */
    record Deletion(WorkerPod pod, Cause cause) {}

    /** The cause of a deletion. */
    enum Cause {
        /** It is broken or silent: another takes its place. */
        REPLACED,
        /** There are more pods than wanted. */
        SURPLUS,
        /** It is made from what is no longer wanted. */
        OUTDATED
    }

    boolean replacesBroken() {
        return deletions.stream().anyMatch(d -> d.cause() == Cause.REPLACED);
    }
}
