package dev.quiver.controller.store;

import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/**
 * Removes keys and Redis users whose resource is gone: left by a deletion that could not reach Redis, or brought back by
 * a rewound one.
 * Redis is read before the API server, so a resource that is there now is never taken for gone.
 *
 * @param store where the keys are
 * @param tenants whose Redis users go with their namespace's last pool
 * @param client asked directly: an informer may be behind
 */
public record Sweep(Store store, Tenants tenants, KubernetesClient client) {

    private static final Logger log = LoggerFactory.getLogger(Sweep.class);

    /** Orphans that one call removes: a tenant decides how many there are, and each takes some calls. */
    private static final int MOST_ORPHANS = 500;

    /** What a sweep leaves in a keyspace. */
    public enum Left {
        /** Nothing of any TaskSet. */
        NOTHING,
        /** What belongs to TaskSets that there are. */
        OWNED,
        /** More orphans: sweep again. */
        ORPHANS
    }

    /** Sweeps one keyspace, of a bounded number of orphans. */
    public Left of(Keyspace keyspace) {
        TaskSetControl control = store.runs(keyspace);
        Set<String> inRedis = control.present();
        if (inRedis.isEmpty()) {
            return Left.NOTHING;
        }
        Set<String> inApi = client.resources(TaskSet.class).inNamespace(keyspace.namespace()).list().getItems().stream()
                .map(set -> set.getMetadata().getUid())
                .collect(Collectors.toSet());
        Collection<String> orphans =
                inRedis.stream().filter(uid -> !inApi.contains(uid)).toList();
        int dropped = Math.min(orphans.size(), MOST_ORPHANS);
        orphans.stream().limit(dropped).forEach(control::drop);
        if (dropped > 0) {
            log.info("keyspace {} removed the keys of {} TaskSets that are gone", keyspace.prefix(), dropped);
        }
        if (dropped < orphans.size()) {
            return Left.ORPHANS;
        }
        return dropped == inRedis.size() ? Left.NOTHING : Left.OWNED;
    }

    /** Removes the Redis user of a keyspace's namespace if that has no pool any more. */
    public void user(Keyspace keyspace) {
        String namespace = keyspace.namespace();
        tenants.releaseUnless(() -> hasPool(namespace), namespace);
    }

    private boolean hasPool(String namespace) {
        ListOptions one = new ListOptionsBuilder().withLimit(1L).build();
        return !client.resources(WorkerPool.class)
                .inNamespace(namespace)
                .list(one)
                .getItems()
                .isEmpty();
    }
}
