package dev.quiver.controller.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.OperatorOnRedis;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/** A pool's wish for the record of tasks without a resource is in Redis, and follows its changes. */
class QueueRecordedIT extends OperatorOnRedis {

    private Map<String, String> pool(KubernetesClient client) {
        String key = Keyspace.ofNamespace(client.getNamespace()).pool("shared");
        try (RedisStore store = redis.open()) {
            return store.ask(all -> all.hgetall(key));
        }
    }

    private static void keep(KubernetesClient client, String word) {
        Samples.patch(client, WorkerPool.class, "shared", "\"history\": {\"keep\": \"" + word + "\"}");
    }

    @Test
    void failuresAreKeptUnlessThePoolWantsMoreOrNone(KubernetesClient client) {
        client.resource(Samples.pool("shared", 0)).create();
        Map<String, String> usual = Seen.until(() -> pool(client), now -> now.containsKey("history"));
        assertThat(usual.get("history")).isEqualTo("ffn-");
        assertThat(usual.get("opening"))
                .contains(
                        "shared",
                        client.namespaces()
                                .withName(client.getNamespace())
                                .get()
                                .getMetadata()
                                .getUid());
        keep(client, "All");
        Seen.until(() -> pool(client), now -> "afn-".equals(now.get("history")));
        keep(client, "None");
        Seen.until(() -> pool(client), now -> !now.containsKey("history"));
        assertThat(pool(client)).containsKey("uid").doesNotContainKey("opening");
    }
}
