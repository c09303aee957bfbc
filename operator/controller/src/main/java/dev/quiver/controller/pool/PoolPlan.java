package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The changes that a pool's pods need now.
 *
 * @param create names of pods to make, in this order
 * @param deletions pods to drain and delete
 * @param requeueAt when to reconcile again, if no event comes before
 */
record PoolPlan(List<String> create, List<Deletion> deletions, Optional<Instant> requeueAt) {

    /** Everything stays as it is. */
    static final PoolPlan NOTHING = new PoolPlan(List.of(), List.of(), Optional.empty());

    /** A pod to delete, and the cause. */
    record Deletion(WorkerPod pod, Cause cause) {

        /** All pods of a pool that is deleted. */
        static List<Deletion> all(List<WorkerPod> pods) {
            return pods.stream().map(pod -> new Deletion(pod, Cause.SURPLUS)).toList();
        }
    }

    /** The cause of a deletion. */
    enum Cause {
        /** The pod is broken or silent: another takes its place. */
        REPLACED,
        /** There are more pods than wanted. */
        SURPLUS,
        /** The pod is made from an old template. */
        OUTDATED
    }

    boolean replacesBroken() {
        return deletions.stream().anyMatch(d -> d.cause() == Cause.REPLACED);
    }
}
