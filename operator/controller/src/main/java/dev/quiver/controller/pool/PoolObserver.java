package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.Context;

import dev.quiver.controller.pool.podspec.IsolationCheck;
import dev.quiver.controller.pool.podspec.MemoryFit;
import dev.quiver.controller.pool.podspec.TemplateHash;
import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.store.WorkerRegistry;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.SourceLoad;

/**
 * Collects the facts about a pool: from the informers, from the workers' registry, and from the state of Redis.
 * Thread-safe.
 *
 * @param pods joins pods with their workers
 * @param marks what Redis has about the pods
 */
record PoolObserver(PoolContext context, PoolPods pods, PodMarks marks) {

    /**
     * The facts now. The marks in Redis are brought to the pods.
     *
     * @param cache has the pods of the pool, as the informer knows them
     * @param memory of the leader, with its last decision on the pool's size
     */
    PoolView observe(WorkerPool pool, Context<WorkerPool> cache, PoolMemory memory) {
        ControllerContext shared = context.shared();
        Instant now = shared.clock().instant();
        Keyspace keyspace = Keyspaces.of(pool);
        StoreState store = shared.records()
                .problem(keyspace)
                .<StoreState>map(message -> new StoreState.Away(now, StoreReason.Unsupported, message))
                .orElseGet(() -> context.states().of(keyspace));
        Optional<WorkerRegistry> registry =
                store.up() ? context.registries().of(pool.getMetadata().getUid()) : Optional.empty();
        List<WorkerPod> workers = pods.of(pool, cache.getSecondaryResources(Pod.class), registry, store, now);
        marks.follow(pool, workers);
        String uid = pool.getMetadata().getUid();
        Optional<List<SourceLoad>> loads = registry.flatMap(_ -> context.loads().of(uid));
        return PoolViewBuilder.builder()
                .pool(pool)
                .before(context.reporter()
                        .current(pool)
                        .orElseGet(() -> WorkerPoolStatusBuilder.builder().build()))
                .hash(TemplateHash.of(pool.getSpec(), context.platform()))
                .pods(workers)
                .blocker(blocker(pool))
                .store(store)
                .registry(registry)
                .prefix(context.prefixes().of(pool))
                .now(now)
                .backlog(shared.backlogs().of(keyspace))
                .scaling(PoolScaling.decide(pool, workers, registry, loads, memory.scaling(), now))
                .asked(context.loads().asked(uid))
                .probes(context.probes().reasons(uid))
                .resources(store.up() ? context.resources().of(uid) : Optional.empty())
                .second(shared.owners().second(pool.getMetadata().getNamespace()))
                .build();
    }

    private Optional<Blocker> blocker(WorkerPool pool) {
        String namespace = pool.getMetadata().getNamespace();
        return context.tenants()
                .problem(namespace)
                .map(message -> new Blocker(WorkerPoolReason.RedisSecretMissing, message))
                .or(() -> IsolationCheck.problem(
                                pool.getSpec().template().getSpec(),
                                context.tenants().encrypted(namespace))
                        .or(() -> MemoryFit.problem(pool.getSpec(), context.platform()))
                        .map(message -> new Blocker(WorkerPoolReason.SpecInvalid, message)));
    }
}
