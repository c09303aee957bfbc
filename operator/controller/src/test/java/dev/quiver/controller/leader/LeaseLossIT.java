package dev.quiver.controller.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/** A process that ends because it lost the Lease says why. */
@ExtendWith(ApiServer.class)
class LeaseLossIT {

    private static final ZonedDateTime RENEWED = ZonedDateTime.of(2030, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    @Test
    void namesTheHolderOrTheLastRenewal(KubernetesClient client) {
        assertThat(loss(client, "me").reason()).isEqualTo("Lease op was deleted");
        client.resource(new LeaseBuilder()
                        .withNewMetadata()
                        .withName("op")
                        .endMetadata()
                        .withNewSpec()
                        .withHolderIdentity("me")
                        .withRenewTime(RENEWED)
                        .endSpec()
                        .build())
                .create();
        assertThat(loss(client, "me").reason())
                .startsWith("Lease op could not be renewed for 24 s: the last renewal was at 2030-01-01T00:00")
                .endsWith("The API server was too slow, or this process stood still");
        assertThat(loss(client, "another").reason()).isEqualTo("Lease op is held by me");
    }

    @Test
    void saysThatTheApiServerRefuses(KubernetesClient client) {
        try (KubernetesClient nobody = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(client.getConfiguration())
                        .withImpersonateUsername("nobody")
                        .build())
                .build()) {
            assertThat(loss(nobody, "me").reason())
                    .startsWith("Lease op could not be renewed for 24 s, and the API server answers:")
                    .contains("forbidden");
        }
    }

    private static LeaseLoss loss(KubernetesClient client, String identity) {
        return new LeaseLoss(client, new LeaseSettings(client.getNamespace(), "op", identity), Duration.ofSeconds(24));
    }
}
