package dev.quiver.controller.pool;

import java.util.List;

import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.ResourceCache;

import dev.quiver.controller.store.KeyspaceRecords;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Removes a pool's keys before its finalizer is released, and the namespace's Redis user with its last pool. */
record PoolCleanup(PoolContext context, PoolGrants grants, DrainedPools drained) {

    /**
     * Removes a pool whose pods are gone.
     *
     * @param pools those that exist, with or without this one
     */
    DeleteControl forget(WorkerPool pool, ResourceCache<WorkerPool> pools) {
        String namespace = pool.getMetadata().getNamespace();
        String name = pool.getMetadata().getName();
        String uid = pool.getMetadata().getUid();
        Keyspace keyspace = Keyspaces.of(pool);
        KeyspaceRecords records = context.shared().records();
        PoolCalls calls = context.calls();
        context.probes().unfollow(uid); // else one would write behind what is removed here
        // In a keyspace that is not served there is nothing to drop.
        boolean dropped = !calls.serves(pool)
                || calls.tryRun(pool, control -> {
                    grants.revoke(name, keyspace);
                    context.orders().apply(keyspace).forget(name);
                    control.drop(name, uid);
                });
        if (dropped) {
            drained.add(namespace, uid);
            context.tenants().releaseUnless(() -> !drained.isLast(namespace, uids(pools, namespace)), namespace);
        }
        return context.shared().gate().pass(pool, dropped, "the pool", () -> {
            drained.add(namespace, uid);
            records.addOrphan(new KeyspaceRecords.OrphanedPool(keyspace, name, uid));
        });
    }

    private static List<String> uids(ResourceCache<WorkerPool> pools, String namespace) {
        return pools.list(namespace).map(pool -> pool.getMetadata().getUid()).toList();
    }
}
