package dev.quiver.controller.tenancy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.OperatorOnRedis;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.redis.RedisStore;

/** A namespace's Redis user lives as long as its pools, and goes with them: the usual sweep is five minutes away. */
class TenantUserIT extends OperatorOnRedis {

    private static final int ROUNDS = 5;

    @Test
    void goesWhenAllPoolsAreDeletedAtOnce(KubernetesClient client) {
        for (int round = 0; round < ROUNDS; round++) {
            for (String name : List.of("a", "b", "c")) {
                client.resource(Samples.pool(name, 0)).create();
            }
            awaitUser(client, true);
            awaitPools(client, 3);
            client.resources(WorkerPool.class).delete();
            awaitUser(client, false);
            awaitPools(client, 0);
        }
    }

    @Test
    void staysWhileWorkersDrainThroughIt(KubernetesClient client) {
        client.resource(Samples.pool("idle", 0)).create();
        client.resource(Samples.pool("draining", 1)).create();
        new Kubelet(client).bind(new Seen(client).awaitPods("draining", 1).getFirst());
        client.resources(WorkerPool.class).delete();
        awaitPools(client, 1);
        assertThat(users()).contains(user(client));
        Seen.until(
                () -> {
                    new Kubelet(client).finish("draining");
                    return users();
                },
                users -> !users.contains(user(client)));
        awaitPools(client, 0);
    }

    private void awaitUser(KubernetesClient client, boolean there) {
        Seen.until(
                this::users,
                users -> users.contains(user(client)) == there && users.contains(user(client) + ".client") == there);
    }

    /** Until there are so many, and the operator knows of each. */
    private static void awaitPools(KubernetesClient client, int count) {
        Seen.until(
                () -> client.resources(WorkerPool.class).list().getItems(),
                pools -> pools.size() == count
                        && pools.stream()
                                .noneMatch(p -> p.getMetadata().getFinalizers().isEmpty()));
    }

    private static String user(KubernetesClient client) {
        return "quiver-" + client.getNamespace();
    }

    private List<Object> users() {
        try (RedisStore store = redis.open()) {
            return users(store);
        }
    }
}
