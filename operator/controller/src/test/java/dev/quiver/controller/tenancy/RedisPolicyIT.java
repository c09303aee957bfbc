package dev.quiver.controller.tenancy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/** Which namespaces reach Redis is written where the chart left it out. */
@ExtendWith(ApiServer.class)
class RedisPolicyIT {

    private Set<String> tenants = Set.of();

    @Test
    void namesTheNamespacesWithPoolsAndNoOther(KubernetesClient client) {
        client.resource(new NetworkPolicyBuilder()
                        .withNewMetadata()
                        .withName("redis-tenants")
                        .endMetadata()
                        .withNewSpec()
                        .withNewPodSelector()
                        .withMatchLabels(Map.of("app", "redis"))
                        .endPodSelector()
                        .withPolicyTypes("Ingress")
                        .endSpec()
                        .build())
                .create();
        RedisPolicy policy =
                new RedisPolicy(client, client.getNamespace(), "redis-tenants", () -> tenants, Clock.systemUTC());

        policy.ensure();
        assertThat(present(client).getSpec().getIngress()).isEmpty();

        tenants = Set.of("team-b", "team-a");
        policy.ensure();
        assertThat(present(client).getSpec().getIngress()).singleElement().satisfies(rule -> {
            assertThat(rule.getPorts())
                    .singleElement()
                    .satisfies(port -> assertThat(port.getPort().getStrVal()).isEqualTo("redis"));
            assertThat(rule.getFrom())
                    .hasSize(2)
                    .allSatisfy(from -> assertThat(from.getNamespaceSelector().getMatchExpressions())
                            .singleElement()
                            .satisfies(names -> {
                                assertThat(names.getKey()).isEqualTo("kubernetes.io/metadata.name");
                                assertThat(names.getValues()).containsExactly("team-a", "team-b");
                            }))
                    .extracting(from -> from.getPodSelector().getMatchLabels())
                    .containsExactly(
                            Map.of("app.kubernetes.io/managed-by", "quiver", "app.kubernetes.io/component", "worker"),
                            Map.of("quiver.dev/client", "true"));
        });
        assertThat(present(client).getSpec().getPodSelector().getMatchLabels()).containsEntry("app", "redis");

        tenants = Set.of();
        policy.ensure();
        assertThat(present(client).getSpec().getIngress()).isEmpty();
    }

    /** The pools are served all the same: the policy is no reason to stop. */
    @Test
    void aPolicyThatIsGoneIsNoError(KubernetesClient client) {
        tenants = Set.of("team");
        new RedisPolicy(client, client.getNamespace(), "gone", () -> tenants, Clock.systemUTC()).ensure();
    }

    private static NetworkPolicy present(KubernetesClient client) {
        return client.network().v1().networkPolicies().withName("redis-tenants").require();
    }
}
