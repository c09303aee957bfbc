package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.store.Roster;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/**
 * All that is known of a pool when it is looked at.
 *
 * @param before the status last written; empty components when there was none
 * @param hash what new pods are made from
 * @param pods every pod that the pool owns
 * @param roster its workers in Redis; absent until they were read
 */
record PoolView(
        WorkerPool pool,
        WorkerPoolStatus before,
        String hash,
        List<WorkerPod> pods,
        StoreState store,
        Optional<Roster> roster,
        Instant now) {

    /** How many pods there should be; suspending does not change {@code spec.replicas}. */
    int wanted() {
        return pool.getSpec().suspend() ? 0 : pool.getSpec().replicas();
    }

    PoolFacts facts(Instant replaceFrom) {
        return new PoolFacts(
                pool.getMetadata().getName(),
                wanted(),
                hash,
                RolloutBounds.of(pool.getSpec().rollout(), wanted()),
                pods,
                replaceFrom);
    }

    long count(PodStage stage) {
        return pods.stream().filter(p -> p.stage() == stage).count();
    }

    List<WorkerPod> live() {
        return pods.stream().filter(WorkerPod::live).toList();
    }

    boolean updated(WorkerPod pod) {
        return pod.hash().equals(hash);
    }

    int available() {
        return (int) pods.stream().filter(WorkerPod::available).count();
    }
}
