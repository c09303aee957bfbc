package dev.quiver.controller.pool;

import java.util.Optional;

import dev.quiver.controller.pool.podstatus.PodStage;

/**
 * A pod that was replaced since a container of it ended again and again. Its successor shows no failure for a while, so
 * the pool keeps that reason until a pod is ready. A pod that ended as a whole, for example by eviction, leaves no such
 * record: the next one may run well. Immutable.
 *
 * @param hash of its template: a pod of another template may run well
 * @param message names the container and how it ended
 */
record ReplacedPod(String hash, String message) {

    /** The replaced pod of a plan, if the plan replaces one. */
    static Optional<ReplacedPod> by(PoolPlan plan) {
        return plan.deletions().stream()
                .filter(d -> d.cause() == PoolPlan.Cause.REPLACED)
                .map(PoolPlan.Deletion::pod)
                .filter(pod -> pod.stage() == PodStage.CRASHING)
                .findFirst()
                .map(pod -> new ReplacedPod(pod.hash(), pod.message()));
    }
}
