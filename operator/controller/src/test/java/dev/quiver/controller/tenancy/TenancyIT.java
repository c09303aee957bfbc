package dev.quiver.controller.tenancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.OperatorOnRedis;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceCalls;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.tree.TaskTrees;

/** Each namespace reaches its own keys, through a Secret that the operator looks after. */
class TenancyIT extends OperatorOnRedis {

    @Test
    void workersRunUnderAUserThatSeesNothingElse(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.set("tenant", Samples.counted(3))).create();
        Pod pod = seen.awaitPods("tset-tenant", 1).getFirst();
        String uri = Seen.until(() -> secretUri(client), text -> text.contains("quiver-" + client.getNamespace()));
        try (NoopWorker worker = seen.awaitWorker(pod, uri)) {
            Seen.until(worker::passAll, run -> run == 3);
        }
        seen.awaitRun("tenant", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);

        try (RedisStore tenant = PatientStore.open(RedisEndpoint.standalone(uri), "tenant", Lifecycle.LIBRARY)) {
            assertThatThrownBy(() -> tenant.ask(c -> c.get("quiver:{other}:meta")))
                    .isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> tenant.ask(c -> c.keys("*"))).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> tenant.ask(c -> c.flushall())).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> tenant.ask(c -> c.configGet("*"))).isInstanceOf(StoreException.class);
        }
    }

    @Test
    void usersComeBackAfterARestartOfRedisAndThePasswordStays(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("stays", 1)).create();
        Pod pod = seen.awaitPods("stays", 1).getFirst();
        String uri = secretUri(client);
        seen.awaitWorker(pod, uri).close();
        redis.restart();
        seen.awaitWorker(pod, uri).close();
        assertThat(secretUri(client)).isEqualTo(uri);
        client.resources(WorkerPool.class).withName("stays").delete();
        Seen.gone(() -> {
            new Kubelet(client).finish("stays");
            return client.resources(WorkerPool.class).withName("stays").get();
        });
    }

    @Test
    void aReplicaKnowsTheUsersBeforeItIsPromoted(KubernetesClient client) {
        try (RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1", Integer.toString(redis.port()))) {
            client.resource(Samples.pool("replicated", 1)).create();
            new Seen(client).awaitPods("replicated", 1);
            try (RedisStore there = PatientStore.open(replica.endpoint(), "test")) {
                Seen.until(() -> users(there), users -> users.contains("quiver-" + client.getNamespace()));
            }
        }
    }

    @Test
    void programsGetAUserThatCreatesTasksAndSettlesNone(KubernetesClient client) {
        client.resource(Samples.pool("programs", 1)).create();
        new Seen(client).awaitPods("programs", 1);
        String user = "quiver-" + client.getNamespace() + ".client";
        String uri = Seen.until(() -> secretUri(client, "quiver-redis-client"), text -> text.contains(user));
        Keyspace keyspace = Keyspace.ofNamespace(client.getNamespace());
        try (RedisStore program = PatientStore.open(RedisEndpoint.standalone(uri), "program", Lifecycle.LIBRARY)) {
            Seen.until(() -> follow(program, keyspace), "followed"::equals);
            TaskTrees trees = new TaskTrees(program, keyspace);
            assertThat(trees.change("none", Trees.Change.CANCEL)).isFalse();
            assertThatThrownBy(() -> trees.ended(List.of("none"))).hasMessageContaining("NOPERM");
            assertThatThrownBy(() -> program.ask(c -> c.zadd(keyspace.sessions(), 1, "s")))
                    .hasMessageContaining("NOPERM");
            assertThatThrownBy(() -> program.ask(c -> c.get("quiver:{other}:meta")))
                    .hasMessageContaining("NOPERM");
        }
    }

    private static String follow(RedisStore program, Keyspace keyspace) {
        try {
            KeyspaceCalls.follow(program, keyspace);
            return "followed";
        } catch (StoreException notYet) {
            return notYet.getMessage();
        }
    }

    private static String secretUri(KubernetesClient client) {
        return secretUri(client, "quiver-redis");
    }

    private static String secretUri(KubernetesClient client, String name) {
        var secret = client.secrets().withName(name).get();
        return secret == null
                ? ""
                : new String(Base64.getDecoder().decode(secret.getData().get("uri")), StandardCharsets.UTF_8);
    }
}
