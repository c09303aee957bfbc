package dev.quiver.controller.tenancy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.lifecycle.redis.RedisServer;

/** A namespace that gets no Secret with the way to Redis: no pod could start, and the pool says so. */
@ExtendWith(ApiServer.class)
class TenantSecretIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private OperatorRig rig;

    @AfterEach
    void end(KubernetesClient client) {
        client.resources(WorkerPool.class).delete();
        Seen.until(() -> client.resources(WorkerPool.class).list().getItems(), java.util.List::isEmpty);
        rig.close();
        client.secrets().withName("quiver-redis").delete();
    }

    @Test
    void aSecretThatTheApiServerRefusesIsSaidInItsWords(KubernetesClient client) {
        Seen seen = new Seen(client);
        rig = OperatorRig.of(
                        client.getConfiguration(),
                        client.getNamespace(),
                        REDIS.process().uri())
                .start();
        forbidSecrets(client);
        try {
            client.resource(Samples.pool("refused", 1)).create();
            assertThat(seen.awaitPool("refused", ConditionType.Ready, WorkerPoolReason.RedisSecretMissing)
                            .getMessage())
                    .contains("Secret quiver-redis")
                    .contains("exceeded quota");
            Seen.until(() -> seen.events("refused"), e -> e.contains("RedisSecretMissing"));
        } finally {
            client.resourceQuotas().withName("no-secrets").delete();
        }
        seen.awaitPods("refused", 1);
    }

    @Test
    void aNamespaceThatNobodyNamedASecretForIsToldWhereTo(KubernetesClient client, @TempDir Path tenants)
            throws IOException {
        Seen seen = new Seen(client);
        rig = OperatorRig.withTenants(
                        client.getConfiguration(),
                        client.getNamespace(),
                        REDIS.process().uri(),
                        tenants)
                .start();
        client.resource(Samples.pool("unnamed", 1)).create();
        assertThat(seen.awaitPool("unnamed", ConditionType.Ready, WorkerPoolReason.RedisSecretMissing)
                        .getMessage())
                .contains("tenancy.secrets")
                .contains(client.getNamespace());
        Path prepared = Files.createDirectory(tenants.resolve(client.getNamespace()));
        Files.writeString(prepared.resolve("uri"), REDIS.process().uri());
        seen.awaitPods("unnamed", 1);
    }

    /** No controller computes the status of a quota here, so the test does. */
    private static void forbidSecrets(KubernetesClient client) {
        client.resource(new ResourceQuotaBuilder()
                        .withNewMetadata()
                        .withName("no-secrets")
                        .endMetadata()
                        .withNewSpec()
                        .addToHard("secrets", new Quantity("0"))
                        .endSpec()
                        .build())
                .create();
        client.resourceQuotas()
                .withName("no-secrets")
                .editStatus(q -> new ResourceQuotaBuilder(q)
                        .withNewStatus()
                        .addToHard("secrets", new Quantity("0"))
                        .addToUsed("secrets", new Quantity("0"))
                        .endStatus()
                        .build());
    }
}
