package dev.quiver.history.persist;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.history.kube.KubernetesApi;
import dev.quiver.history.rig.Cluster;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Records of the operator on a real API server. */
@ExtendWith(ApiServer.class)
class KeyspaceNamesIT {

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.ofEpochSecond(1000));

    @Test
    void readsAllConfigMapsAndKeepsWhatItKnowsWhileTheApiServerIsAway(KubernetesClient client, @TempDir Path folder)
            throws Exception {
        Cluster cluster = new Cluster(client, folder);
        try (KubernetesApi api = cluster.api()) {
            KeyspaceNames names = new KeyspaceNames(
                    api,
                    client.getNamespace(),
                    List.of("quiver-store-beats", "quiver-store-beats.second"),
                    ((InstantSource) now::get).withZone(ZoneOffset.UTC));
            assertThat(names.get()).as("there is no ConfigMap yet").isEmpty();
            map(
                    client,
                    "quiver-store-beats",
                    Map.of(
                            "team-a", "epoch 17",
                            "team-b_nightly", "epoch 17 run more",
                            "left.team-a.pool", "uid",
                            "UPPER", "epoch 17",
                            "a_b_c", "epoch 17",
                            "team-c", "no record"));
            map(client, "quiver-store-beats-7", Map.of("team-d", "epoch 1"));
            map(client, "quiver-store-beats.second", Map.of("team-e", "epoch 1"));
            assertThat(names.get()).as("it looks each ten seconds").isEmpty();
            later();
            assertThat(names.get())
                    .containsExactlyInAnyOrder(
                            Keyspace.ofNamespace("team-a"),
                            Keyspace.of("team-b", "nightly"),
                            Keyspace.ofNamespace("team-d"),
                            Keyspace.ofNamespace("team-e"));
            String token = Files.readString(folder.resolve("token"));
            Files.writeString(folder.resolve("token"), "false");
            later();
            assertThat(names.get()).as("the API server refuses").hasSize(4);
            Files.writeString(folder.resolve("token"), token);
            client.configMaps().withName("quiver-store-beats").delete();
            later();
            assertThat(names.get()).hasSize(2);
        }
    }

    private void later() {
        now.updateAndGet(at -> at.plus(Duration.ofSeconds(10)));
    }

    private static void map(KubernetesClient client, String name, Map<String, String> data) {
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withData(data)
                        .build())
                .create();
    }
}
