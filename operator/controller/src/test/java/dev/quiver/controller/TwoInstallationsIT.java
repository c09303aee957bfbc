package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.redis.RedisProcess;

/** Two installations with a Redis each, and one namespace that both watch. */
@ExtendWith(ApiServer.class)
class TwoInstallationsIT {

    private static final Duration SOON = Duration.ofMinutes(3);

    @Test
    void oneOfThemServesANamespaceAndTheOtherIsNamed(KubernetesClient client) {
        String shared = client.getNamespace();
        String other = shared + "-2";
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(other)
                        .endMetadata()
                        .build())
                .create();
        try (RedisProcess redis = RedisProcess.start();
                RedisProcess second = RedisProcess.start();
                OperatorRig owner = OperatorRig.over(client.getConfiguration(), List.of(shared), redis.uri());
                OperatorRig late = OperatorRig.over(client.getConfiguration(), List.of(other, shared), second.uri())) {
            owner.start();
            client.resource(Samples.pool("p", 1)).create();
            await().atMost(SOON).until(() -> pods(client) == 1);
            late.start();
            client.resource(Samples.pool("q", 1)).create();

            await().atMost(SOON)
                    .until(() -> client.v1().events().list().getItems().stream()
                            .anyMatch(event -> event.getReason().equals("NamespaceOwnedByAnother")
                                    && event.getMessage()
                                            .contains(other + "/quiver-operator watches this namespace as well")
                                    && event.getMessage().contains(shared + "/quiver-operator serves it")));
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(Conditions.find(
                                    client.resources(WorkerPool.class)
                                            .withName("p")
                                            .require()
                                            .getStatus()
                                            .conditions(),
                                    ConditionType.WatchedTwice))
                            .hasValueSatisfying(condition ->
                                    assertThat(condition.getMessage()).contains(other + "/quiver-operator")));
            assertThat(pods(client)).as("one for each pool").isEqualTo(2);

            owner.stop();
            client.resources(WorkerPool.class).withName("p").scale(2);
            await().during(Duration.ofSeconds(5)).atMost(Duration.ofSeconds(30)).until(() -> pods(client) == 2);
        }
    }

    private static int pods(KubernetesClient client) {
        return client.pods().list().getItems().size();
    }
}
