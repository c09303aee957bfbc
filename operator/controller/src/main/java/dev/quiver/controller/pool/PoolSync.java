package dev.quiver.controller.pool;

import dev.quiver.controller.pool.probe.ResourceProbes;
import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.store.KeyspaceRecords;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.controller.store.PoolLoads;
import dev.quiver.controller.store.PoolQueues;
import dev.quiver.controller.store.WorkerRegistries;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Brings into Redis all that it has about a pool apart from its pods. That is the announcement, the prefixes it is
 * granted, how its runs are recorded, and how its Tasks are ordered. In a keyspace that is not served nothing is written. Thread-safe.
 */
record PoolSync(
        KeyspaceRecords keyspaces,
        WorkerRegistries registries,
        PoolLoads loads,
        PoolQueues queues,
        PoolResources resources,
        ResourceProbes probes,
        PoolFigures figures,
        PoolGrants grants,
        PoolRecords records,
        PoolOrders orders) {

    /** The sync of a leader which has told Redis nothing yet. */
    static PoolSync of(PoolContext context) {
        ControllerContext shared = context.shared();
        return new PoolSync(
                shared.records(),
                context.registries(),
                context.loads(),
                context.queues(),
                context.resources(),
                context.probes(),
                context.figures(),
                new PoolGrants(shared.calls(), context.prefixes(), context.registries(), context.grants()),
                new PoolRecords(context.calls(), shared.recording(), context.registries()),
                new PoolOrders(
                        shared.calls(),
                        context.registries(),
                        keyspace -> context.orders().apply(keyspace)::arrange));
    }

    /** Follows a pool, and tells Redis what is new; false when Redis did not take all of it: call again. */
    boolean sync(WorkerPool pool) {
        Keyspace keyspace = Keyspaces.of(pool);
        registries.follow(pool, keyspace);
        if (figures.lists(pool)) {
            queues.follow(pool, keyspace);
        }
        probes.follow(pool, keyspace);
        resources.follow(pool, keyspace, !pool.getSpec().resources().isEmpty());
        pool.getSpec()
                .follows()
                .ifPresentOrElse(
                        _ -> loads.follow(pool, keyspace),
                        () -> loads.unfollow(pool.getMetadata().getUid()));
        return keyspaces.problem(keyspace).isPresent()
                || grants.sync(pool, keyspace) & records.sync(pool, keyspace) & orders.sync(pool, keyspace);
    }

    /** Forgets a pool that is gone, or that another installation serves. */
    void forget(WorkerPool pool) {
        String uid = pool.getMetadata().getUid();
        grants.forget(uid);
        records.forget(uid);
        orders.forget(uid);
        registries.unfollow(uid);
        loads.unfollow(uid);
        queues.unfollow(uid);
        resources.unfollow(uid);
        probes.unfollow(uid);
    }
}
