package dev.quiver.controller.tenancy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.redis.RedisServer;

/** A namespace with a pool has an account whose tokens read its record; it has no rights, and a tenant's own stays. */
@ExtendWith(ApiServer.class)
class ReaderAccountIT {

    private static final String NAME = "quiver-reader";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @AfterEach
    void end(KubernetesClient client) {
        client.serviceAccounts().withName(NAME).delete();
    }

    @Test
    void comesWithTheFirstPoolAndStaysWhenTheLastGoes(KubernetesClient client) {
        try (OperatorRig rig = rig(client)) {
            assertThat(client.serviceAccounts().withName(NAME).get()).isNull();
            client.resource(Samples.pool("first", 0)).create();
            ServiceAccount account =
                    Seen.until(() -> client.serviceAccounts().withName(NAME).get(), made -> made != null);
            assertThat(account.getAutomountServiceAccountToken()).isFalse();
            assertThat(account.getMetadata().getLabels()).containsEntry("app.kubernetes.io/managed-by", "quiver");
            new Seen(client).deleteAll();
            assertThat(client.serviceAccounts()
                            .withName(NAME)
                            .get()
                            .getMetadata()
                            .getUid())
                    .isEqualTo(account.getMetadata().getUid());
            assertThat(rig.lost).hasValue(0);
        }
    }

    @Test
    void oneThatIsNotOursIsLeftAsItIs(KubernetesClient client) {
        ServiceAccount theirs = client.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName(NAME)
                        .addToLabels("made-by", "team")
                        .endMetadata()
                        .withAutomountServiceAccountToken(true)
                        .build())
                .create();
        try (OperatorRig rig = rig(client)) {
            client.resource(Samples.pool("second", 1)).create();
            new Seen(client).awaitPods("second", 1);
            client.resources(WorkerPool.class).delete();
            Seen.gone(() -> {
                new Kubelet(client).finish("second");
                return client.resources(WorkerPool.class).withName("second").get();
            });
            ServiceAccount after = client.serviceAccounts().withName(NAME).get();
            assertThat(after.getMetadata().getResourceVersion())
                    .isEqualTo(theirs.getMetadata().getResourceVersion());
            assertThat(after.getMetadata().getLabels()).isEqualTo(Map.of("made-by", "team"));
            assertThat(rig.lost).hasValue(0);
        }
    }

    private static OperatorRig rig(KubernetesClient client) {
        return OperatorRig.of(
                        client.getConfiguration(),
                        client.getNamespace(),
                        REDIS.process().uri())
                .start();
    }
}
