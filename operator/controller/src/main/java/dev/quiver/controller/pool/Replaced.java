package dev.quiver.controller.pool;

import java.util.Optional;

import dev.quiver.controller.pool.podstatus.PodStage;

/**
 * A pod that was replaced since a container of it ended again and again. Its successor has nothing to say of that for a
 * while: until one is ready, the pool still has that reason. A pod that ended as a whole, for one that was evicted, says
 * nothing of the next. Immutable.
 *
 * @param hash what the pod was made from: one of another template may do well
 * @param message which container, and how it ended
 */
record Replaced(String hash, String message) {

    /** Of a plan that replaces such pods. */
    static Optional<Replaced> by(PoolPlan plan) {
        return plan.letGo().stream()
                .filter(d -> d.why() == PoolPlan.Why.REPLACED)
                .map(PoolPlan.Departure::pod)
                .filter(pod -> pod.stage() == PodStage.CRASHING)
                .findFirst()
                .map(pod -> new Replaced(pod.hash(), pod.message()));
    }
}
