package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/** The chart's policy on a real API server: what the operator's account may make of Secrets. */
@ExtendWith(ApiServer.class)
class ChartAdmissionIT {

    private static final String ACCOUNT = "system:serviceaccount:quiver-system:quiver-operator";
    private static final String TOKEN = "kubernetes.io/service-account-token";
    private static final Set<String> KINDS = Set.of(
            "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ClusterRole", "ClusterRoleBinding");

    private static KubernetesClient operator;

    @BeforeAll
    static void installsThePolicy(KubernetesClient administrator) {
        administrator
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("quiver-system")
                        .endMetadata()
                        .build())
                .serverSideApply();
        Helm.found().render().objects().stream()
                .filter(object -> KINDS.contains(object.getKind()))
                .forEach(object -> administrator.resource(object).serverSideApply());
        operator = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(administrator.getConfiguration())
                        .withImpersonateUsername(ACCOUNT)
                        .build())
                .build();
        await("the API server reads a new policy within seconds")
                .atMost(Duration.ofMinutes(2))
                .until(() -> {
                    try {
                        administrator
                                .secrets()
                                .withName(operator.resource(secret(TOKEN))
                                        .create()
                                        .getMetadata()
                                        .getName())
                                .delete();
                        return false;
                    } catch (KubernetesClientException e) {
                        return true;
                    }
                });
    }

    @AfterAll
    static void closes() {
        operator.close();
    }

    @Test
    void noCredentialOfAnotherIsMade() {
        assertRefused(TOKEN);
        assertRefused("bootstrap.kubernetes.io/token");
    }

    @Test
    void norByServerSideApply() {
        Secret secret = secret(TOKEN);
        secret.getMetadata().setName("quiver-redis");
        PatchContext apply = new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager("quiver-operator")
                .build();
        assertThatThrownBy(() -> operator.resource(secret).patch(apply))
                .isInstanceOfSatisfying(KubernetesClientException.class, ChartAdmissionIT::isRefusal);
    }

    @Test
    void theOwnSecretsAndThoseOfOtherTypesAreMade() {
        assertThat(operator.resource(secret(null)).create().getType()).isEqualTo("Opaque");
        assertThat(operator.resource(secret("kubernetes.io/basic-auth"))
                        .create()
                        .getType())
                .isEqualTo("kubernetes.io/basic-auth");
    }

    @Test
    void othersAreNotHindered(KubernetesClient administrator) {
        administrator
                .resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName("robot")
                        .endMetadata()
                        .build())
                .create();
        assertThat(administrator.resource(secret(TOKEN)).create().getType()).isEqualTo(TOKEN);
    }

    private static void assertRefused(String type) {
        assertThatThrownBy(() -> operator.resource(secret(type)).create())
                .isInstanceOfSatisfying(KubernetesClientException.class, e -> {
                    isRefusal(e);
                    assertThat(e.getMessage()).contains("may not make a Secret of type " + type);
                });
    }

    private static void isRefusal(KubernetesClientException e) {
        assertThat(e.getCode()).isEqualTo(HttpURLConnection.HTTP_FORBIDDEN);
    }

    private static Secret secret(String type) {
        return new SecretBuilder()
                .withNewMetadata()
                .withName("s-" + UUID.randomUUID())
                .withAnnotations(Map.of("kubernetes.io/service-account.name", "robot"))
                .endMetadata()
                .withType(type)
                .withStringData(Map.of("username", "u", "password", "p"))
                .build();
    }
}
