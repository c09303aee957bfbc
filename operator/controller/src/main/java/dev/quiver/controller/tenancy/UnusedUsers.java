package dev.quiver.controller.tenancy;

import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.crds.v1alpha1.WorkerPool;

/**
 * Removes the Redis users of namespaces that have no pool any more.
 *
 * @param tenants whose users they are
 * @param client asked directly, since an informer may be behind
 */
public record UnusedUsers(Tenants tenants, KubernetesClient client) {

    /** Removes the user of a namespace that has no pool. */
    public void remove(String namespace) {
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
