package dev.quiver.controller.leader;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the Lease back when this process ends on purpose, so that the next leader need not wait until the Lease lapses.
 *
 * @param client asks the API server
 * @param settings of the Lease
 */
public record LeaseRelease(KubernetesClient client, LeaseSettings settings) {

    private static final Logger log = LoggerFactory.getLogger(LeaseRelease.class);

    /** Gives the Lease back if this process holds it. A failure only delays the next leader. */
    public void run() {
        try {
            Lease lease = client.leases()
                    .inNamespace(settings.namespace())
                    .withName(settings.name())
                    .get();
            if (lease == null || !settings.identity().equals(lease.getSpec().getHolderIdentity())) {
                return;
            }
            // With the resource version that was read: a Lease that another process took meanwhile stays.
            lease.getSpec().setHolderIdentity("");
            client.resource(lease).update();
        } catch (KubernetesClientException e) {
            log.info("the lease was not given back, it lapses: {}", e.getMessage());
        }
    }
}
