package dev.quiver.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;

class ApiRefusalTest {

    @Test
    void aNamespaceThatGoesIsToldFromAQuota() {
        assertThat(ApiRefusal.namespaceGoes(refused("NamespaceTerminating"))).isTrue();
        assertThat(ApiRefusal.namespaceGoes(refused("ExceededQuota"))).isFalse();
        assertThat(ApiRefusal.namespaceGoes(new KubernetesClientException("no answer")))
                .isFalse();
    }

    private static KubernetesClientException refused(String cause) {
        return new KubernetesClientException(
                "Failure executing: POST",
                403,
                new StatusBuilder()
                        .withCode(403)
                        .withNewDetails()
                        .addNewCause()
                        .withReason(cause)
                        .endCause()
                        .endDetails()
                        .build());
    }
}
