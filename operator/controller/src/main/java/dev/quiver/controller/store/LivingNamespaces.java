package dev.quiver.controller.store;

import java.net.HttpURLConnection;
import java.util.concurrent.atomic.AtomicBoolean;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.kube.ApiRefusal;

/**
 * Asks the API server for the uid of a namespace, once for each run that is recorded. The answers are not kept: a
 * namespace may be made anew under its name. Thread-safe.
 */
public final class LivingNamespaces implements NamespaceUids {

    private static final Logger log = LoggerFactory.getLogger(LivingNamespaces.class);

    private final KubernetesClient client;
    private final AtomicBoolean refused = new AtomicBoolean();

    /** As that client may. */
    public LivingNamespaces(KubernetesClient client) {
        this.client = client;
    }

    /**
     * {@inheritDoc}
     *
     * @throws KubernetesClientException when the API server does not answer: the run is recorded later
     */
    @Override
    public String of(String namespace) {
        try {
            Namespace found = client.namespaces().withName(namespace).get();
            return found == null ? "" : found.getMetadata().getUid();
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
                throw e;
            }
            if (!refused.getAndSet(true)) {
                log.warn(
                        "the operator may not get namespaces, so records of runs open to those alone who may list the whole"
                                + " cluster: {}",
                        ApiRefusal.message(e));
            }
            return "";
        }
    }
}
