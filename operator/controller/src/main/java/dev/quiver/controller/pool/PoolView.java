package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.reconcile.Built;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.RecordBacklog;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.store.WorkerRegistry;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/**
 * The known facts about a pool at the start of a reconcile.
 *
 * @param before the status last written; empty components when there was none
 * @param hash of the parts of new pods
 * @param pods every pod that the pool owns
 * @param blocker the reason why no pod can be made
 * @param registry its workers in Redis; absent until they were read
 * @param prefix the use that it makes of {@code spec.grantedPrefix}
 * @param backlog of history in its keyspace; absent while it is not known
 * @param second another installation that watches the namespace, as a message; absent in general
 */
@Built
record PoolView(
        WorkerPool pool,
        WorkerPoolStatus before,
        String hash,
        List<WorkerPod> pods,
        Optional<Blocker> blocker,
        StoreState store,
        Optional<WorkerRegistry> registry,
        GrantedPrefixes.Use prefix,
        Instant now,
        Optional<RecordBacklog> backlog,
        Optional<String> second) {

    /** Whether the pool is being deleted: its pods drain, and none is made. */
    boolean deleting() {
        return pool.isMarkedForDeletion();
    }

    /** How many pods there should be; suspending does not change {@code spec.replicas}. */
    int wanted() {
        return pool.getSpec().suspend() ? 0 : pool.getSpec().replicas();
    }

    /** Whether pods are wanted and cannot be made: then the existing pods stay unchanged. */
    boolean blocked() {
        return blocker.isPresent() && wanted() > 0;
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

    /** The number of pods in each stage that has some, by its label. */
    Map<String, Long> byStage() {
        return pods.stream().collect(Collectors.groupingBy(pod -> pod.stage().label(), Collectors.counting()));
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
