package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.lifecycle.redis.RedisServer;

/** The Secret of history follows the operator's endpoint, and a mode without users of ours has none for history. */
@ExtendWith(ApiServer.class)
class HistorySecretIT {

    private static final String NAME = "quiver-redis-history";
    private static final String PASSWORD = "0123456789abcdef0123456789abcdef0123456789abcdef";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @AfterEach
    void end(KubernetesClient client) {
        client.secrets().withName(NAME).delete();
    }

    @Test
    void anEndpointThatChangedIsWrittenAndThePasswordStays(KubernetesClient client) {
        client.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName(NAME)
                        .endMetadata()
                        .addToStringData("uri", "redis://quiver.history:" + PASSWORD + "@elsewhere:1/0")
                        .addToStringData("mode", "sentinel")
                        .build())
                .create();
        String uri = REDIS.process().uri();
        try (OperatorRig rig = OperatorRig.of(client.getConfiguration(), client.getNamespace(), uri)
                .start()) {
            Seen.until(() -> value(client, "mode"), "standalone"::equals);
            assertThat(value(client, "uri"))
                    .isEqualTo(uri.replaceFirst("://([^@/]*@)?", "://quiver.history:" + PASSWORD + "@"));
            Seen.until(HistorySecretIT::hasUser, there -> there);
            assertThat(rig.lost).hasValue(0);
        }
    }

    @Test
    void whereAnAdministratorMakesTheUsersItIsTheOperatorsOwnEndpoint(KubernetesClient client, @TempDir Path tenants) {
        String uri = REDIS.process().uri();
        REDIS.store().ask(redis -> redis.aclDeluser("quiver.history"));
        try (OperatorRig rig = OperatorRig.withTenants(client.getConfiguration(), client.getNamespace(), uri, tenants)
                .start()) {
            assertThat(Seen.until(() -> value(client, "uri"), text -> !text.isEmpty()))
                    .isEqualTo(uri);
            assertThat(hasUser()).isFalse();
            assertThat(rig.lost).hasValue(0);
        }
    }

    private static String value(KubernetesClient client, String key) {
        Secret secret = client.secrets().withName(NAME).get();
        return secret == null
                ? ""
                : new String(Base64.getDecoder().decode(secret.getData().get(key)), StandardCharsets.UTF_8);
    }

    private static boolean hasUser() {
        return REDIS.store().ask(redis -> redis.aclUsers()).contains("quiver.history");
    }
}
