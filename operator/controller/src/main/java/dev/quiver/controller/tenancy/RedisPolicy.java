package dev.quiver.controller.tenancy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.crds.v1alpha1.Quiver;

/**
 * Writes into a NetworkPolicy of the chart's Redis who may reach it: workers and programs of the namespaces that have
 * pools. Labels of a pod alone open nothing, since anybody may set them. For one thread at a time.
 */
public final class RedisPolicy {

    private static final Logger log = LoggerFactory.getLogger(RedisPolicy.class);
    private static final Duration AGAIN = Duration.ofMinutes(5);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(10);
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final KubernetesClient client;
    private final String namespace;
    private final String name;
    private final Supplier<Set<String>> tenants;
    private final Clock clock;
    private Set<String> written = Set.of();
    private Instant next = Instant.MIN;

    /**
     * Writes nothing yet.
     *
     * @param name of the policy in that namespace, which the chart makes
     * @param tenants the namespaces that have pools, as the informer knows them
     */
    public RedisPolicy(
            KubernetesClient client, String namespace, String name, Supplier<Set<String>> tenants, Clock clock) {
        this.client = client;
        this.namespace = namespace;
        this.name = name;
        this.tenants = tenants;
        this.clock = clock;
    }

    /** Writes the namespaces if they changed, and every five minutes. A failure is logged and tried again. */
    public void ensure() {
        Instant now = clock.instant();
        Set<String> present = new TreeSet<>(tenants.get());
        if (present.equals(written) && now.isBefore(next)) {
            return;
        }
        try {
            client.network()
                    .v1()
                    .networkPolicies()
                    .inNamespace(namespace)
                    .withName(name)
                    .patch(MERGE, client.getKubernetesSerialization().asJson(patch(present)));
            written = present;
            next = now.plus(AGAIN);
        } catch (KubernetesClientException e) {
            if (now.isBefore(next)) {
                return;
            }
            next = now.plus(AFTER_FAILURE);
            log.warn(
                    "NetworkPolicy {} was not written, so Redis may refuse workers of namespaces {}: {}",
                    name,
                    present,
                    ApiRefusal.message(e));
        }
    }

    private static Map<String, Object> patch(Set<String> namespaces) {
        return Map.of("spec", Map.of("ingress", namespaces.isEmpty() ? List.of() : List.of(rule(namespaces))));
    }

    private static Map<String, Object> rule(Set<String> namespaces) {
        Map<String, Object> there = Map.of(
                "matchExpressions",
                List.of(Map.of(
                        "key", "kubernetes.io/metadata.name", "operator", "In", "values", List.copyOf(namespaces))));
        return Map.of(
                "ports",
                List.of(Map.of("protocol", "TCP", "port", "redis")),
                "from",
                List.of(
                        peer(
                                there,
                                Map.of(
                                        Quiver.MANAGED_BY_LABEL,
                                        Quiver.MANAGED_BY,
                                        "app.kubernetes.io/component",
                                        "worker")),
                        peer(there, Map.of("quiver.dev/client", "true"))));
    }

    private static Map<String, Object> peer(Map<String, Object> namespaces, Map<String, String> labels) {
        return Map.of("namespaceSelector", namespaces, "podSelector", Map.of("matchLabels", labels));
    }
}
