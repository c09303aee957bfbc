package dev.quiver.controller.tenancy;

import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.crds.v1alpha1.Quiver;

/**
 * Makes the ServiceAccount in each namespace with pools whose tokens open the record of that namespace. It has no rights
 * and is mounted nowhere. One of that name that exists stays as it is, and none is ever deleted: a namespace takes its own
 * with it. Thread-safe.
 */
public final class ReaderAccounts {

    private static final Logger log = LoggerFactory.getLogger(ReaderAccounts.class);
    private static final Duration RECHECK = Duration.ofSeconds(60);

    private final KubernetesClient client;
    private final Clock clock;
    private final Map<String, Instant> checked = new ConcurrentHashMap<>();
    private final Map<String, String> refused = new ConcurrentHashMap<>();

    /** Begins with no namespace looked at. */
    public ReaderAccounts(KubernetesClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    /**
     * Makes the account of a namespace if it is missing. Cheap when it was seen just now. A refusal of the API server is
     * logged once and tried again after a minute: no pool waits for its reader.
     */
    public void ensure(String namespace) {
        Instant now = clock.instant();
        Instant last = checked.get(namespace);
        if (last != null && last.plus(RECHECK).isAfter(now)) {
            return;
        }
        checked.put(namespace, now);
        try {
            if (client.serviceAccounts()
                            .inNamespace(namespace)
                            .withName(Quiver.READER_ACCOUNT)
                            .get()
                    == null) {
                client.resource(account(namespace)).create();
            }
            refused.remove(namespace);
        } catch (KubernetesClientException e) {
            boolean taken = e.getCode() == HttpURLConnection.HTTP_CONFLICT;
            String why = ApiRefusal.message(e);
            if (!taken && !ApiRefusal.namespaceGoes(e) && !why.equals(refused.put(namespace, why))) {
                log.warn("namespace {} gets no ServiceAccount {}: {}", namespace, Quiver.READER_ACCOUNT, why);
            }
        }
    }

    /** Forgets a namespace without pools; its account stays. */
    public void forget(String namespace) {
        checked.remove(namespace);
        refused.remove(namespace);
    }

    private static ServiceAccount account(String namespace) {
        return new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(Quiver.READER_ACCOUNT)
                .withNamespace(namespace)
                .addToLabels(Quiver.MANAGED_BY_LABEL, Quiver.MANAGED_BY)
                .endMetadata()
                .withAutomountServiceAccountToken(false)
                .build();
    }
}
