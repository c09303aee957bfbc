package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.reconcile.Built;

/**
 * The changes that a pool's pods need now.
 *
 * @param create names of pods to make, in this order
 * @param deletions pods to drain and delete
 * @param drains pods that are to take no more work, and to stay until they are idle
 * @param resumes pods that may take work again
 * @param requeueAt when to reconcile again, if no event comes before
 */
@Built
record PoolPlan(
        List<String> create,
        List<Deletion> deletions,
        List<WorkerPod> drains,
        List<WorkerPod> resumes,
        Optional<Instant> requeueAt) {

    /** Everything stays as it is. */
    static final PoolPlan NOTHING = PoolPlanBuilder.builder().build();

    /** Copies the lists; one that is not given is empty. */
    PoolPlan {
        create = copy(create);
        deletions = copy(deletions);
        drains = copy(drains);
        resumes = copy(resumes);
    }

    private static <T> List<T> copy(List<T> list) {
        return list == null ? List.of() : List.copyOf(list);
    }

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

    /** Whether there are other pods after it. */
    boolean changesPods() {
        return !create.isEmpty() || !deletions.isEmpty();
    }

    boolean replacesBroken() {
        return deletions.stream().anyMatch(d -> d.cause() == Cause.REPLACED);
    }
}
