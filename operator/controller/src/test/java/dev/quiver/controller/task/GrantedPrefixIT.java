package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.GrantedPrefix;
import dev.quiver.crds.v1alpha1.GrantedType;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskNodeBuilder;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.Wire;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;

/** The gift of an administrator's grant of a prefix to a namespace, and what happens without it. */
@ExtendWith(ApiServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GrantedPrefixIT {

    private RedisProcess redis;
    private OperatorRig rig;

    @BeforeAll
    void start(KubernetesClient client) {
        redis = RedisProcess.start();
        rig = OperatorRig.withPrefix(client.getConfiguration(), client.getNamespace(), redis.uri(), "idoit:")
                .start();
    }

    @AfterAll
    void stop() {
        rig.close();
        redis.close();
    }

    private static WorkerPool pool(String name, String prefix) {
        WorkerPool pool = Samples.pool(name, 0);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .grantedPrefix(new GrantedPrefix(prefix, List.of()))
                .build());
        return pool;
    }

    @Test
    void aPoolShowsWhetherItWorksUnderItsPrefix(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(pool("default", "idoit:")).create();
        var status = seen.awaitPool("default", s -> s.idoitPoolID() != null);
        assertThat(status.idoitPoolID()).isEqualTo(979_179_195_392_406L);
        var granted = Seen.condition(status.conditions(), ConditionType.PrefixGranted);
        assertThat(granted.getStatus()).isEqualTo("True");
        assertThat(granted.getReason()).isEqualTo(WorkerPoolReason.PrefixGranted.name());

        Samples.patch(client, WorkerPool.class, "default", "\"grantedPrefix\":{\"prefix\":\"idoqueue:\"}");
        status = seen.awaitPool("default", s -> s.idoitPoolID() == null);
        var refused = Seen.condition(status.conditions(), ConditionType.PrefixGranted);
        assertThat(refused.getStatus()).isEqualTo("False");
        assertThat(refused.getReason()).isEqualTo(WorkerPoolReason.NotGranted.name());
        assertThat(refused.getMessage())
                .contains("\"idoqueue:\"", "\"idoit:\"", "operator.grantedPrefixes." + client.getNamespace());
        Seen.until(
                () -> client.v1().events().list().getItems(),
                events -> events.stream()
                        .anyMatch(e -> "NotGranted".equals(e.getReason())
                                && e.getMessage().equals(refused.getMessage())));

        Samples.patch(client, WorkerPool.class, "default", "\"grantedPrefix\":null");
        seen.awaitPool(
                "default",
                s -> s.conditions().stream().noneMatch(c -> c.getType().equals(ConditionType.PrefixGranted.name())));
        client.resources(WorkerPool.class).withName("default").delete();
        Seen.gone(() -> client.resources(WorkerPool.class).withName("default").get());
    }

    @Test
    void theNamespacesWorkersReachItsPrefixAndItsProgramsDoNot(KubernetesClient client) {
        client.resource(Samples.pool("keys", 0)).create();
        String workers = Seen.until(() -> uri(client, "quiver-redis"), text -> !text.isEmpty());
        String programs = Seen.until(() -> uri(client, "quiver-redis-client"), text -> !text.isEmpty());
        Seen.until(() -> added(workers), "added"::equals);
        try (RedisStore worker = PatientStore.open(RedisEndpoint.standalone(workers), "worker", Lifecycle.LIBRARY)) {
            assertThatThrownBy(() -> worker.ask(c -> c.sadd("idoqueue:waiting", "job")))
                    .hasMessageContaining("NOPERM");
        }
        assertThat(added(programs)).contains("NOPERM");
    }

    @Test
    void aPoolChangesBetweenTheProgramsThatShareItsPrefix(KubernetesClient client) {
        client.resource(pool("jobs", "idoit:")).create();
        String tasks = "quiver:{" + client.getNamespace() + "}:pool:jobs:idoit";
        String jobs = "quiver:{" + client.getNamespace() + "}:pool:jobs:queue";
        Seen.until(() -> read(tasks, "prefix"), "idoit:"::equals);
        Samples.patch(client, WorkerPool.class, "jobs", "\"grantedPrefix\":{\"wire\":\"Queue\"}");
        Seen.until(() -> read(jobs, "prefix"), "idoit:"::equals);
        assertThat(read(tasks, "prefix")).isEmpty();
        client.resources(WorkerPool.class).withName("jobs").delete();
        Seen.until(() -> read(jobs, "prefix"), String::isEmpty);
    }

    /** The words of the resource about a type stand where the workers read it. */
    @Test
    void aTypeHasItsBoundsOnEitherWire(KubernetesClient client) {
        WorkerPool pool = pool("typed", "idoit:");
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .grantedPrefix(new GrantedPrefix("idoit:", List.of(new GrantedType("resize", "scale", 5, 7, 9))))
                .build());
        client.resource(pool).create();
        String tasks = "quiver:{" + client.getNamespace() + "}:pool:typed:idoit";
        String jobs = "quiver:{" + client.getNamespace() + "}:pool:typed:queue";
        assertThat(Seen.until(() -> read(tasks, "types"), types -> !types.isEmpty()))
                .contains("resize", "scale", ":5", ":7000", ":9000");
        Samples.patch(client, WorkerPool.class, "typed", "\"grantedPrefix\":{\"wire\":\"Queue\"}");
        assertThat(Seen.until(() -> read(jobs, "types"), types -> !types.isEmpty()))
                .contains("resize", "scale", ":4", ":7000", ":9000");
        client.resources(WorkerPool.class).withName("typed").delete();
        Seen.until(() -> read(jobs, "prefix"), String::isEmpty);
    }

    @Test
    void aTaskWaitsUntilItsPoolHasThePrefix(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("late", 0)).create();
        client.resource(Samples.task(
                        "waits",
                        Samples.tree("late", TaskNode.ofHandler("a", "f")).wire(Wire.Idoit)))
                .create();
        var waits = seen.awaitTask("waits", ConditionType.Finished, TaskReason.PrefixNotGranted);
        assertThat(waits.getStatus()).isEqualTo("False");
        assertThat(waits.getMessage())
                .isEqualTo("spec.workerPoolRef.name: WorkerPool late has no spec.grantedPrefix,"
                        + " and wire: Idoit needs one.");
        Samples.patch(client, WorkerPool.class, "late", "\"grantedPrefix\":{\"prefix\":\"idoqueue:\"}");
        Seen.until(
                () -> seen.awaitTask("waits", ConditionType.Finished, TaskReason.PrefixNotGranted)
                        .getMessage(),
                message -> message.contains("is not granted to namespace " + client.getNamespace()));
        Samples.patch(client, Task.class, "waits", "\"cancel\":true");
        seen.awaitTask("waits", ConditionType.Finished, TreeReason.Cancelled);
        client.resources(Task.class).withName("waits").delete();
        Seen.gone(() -> client.resources(Task.class).withName("waits").get());
    }

    @Test
    void aTreeIsOnTheWireAndGoesWithItsTask(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(pool("mixed", "idoit:")).create();
        String grant = "quiver:{" + client.getNamespace() + "}:pool:mixed:idoit";
        Seen.until(() -> read(grant, "prefix"), "idoit:"::equals);
        client.resource(Samples.task(
                        "wire",
                        Samples.tree(
                                        "mixed",
                                        TaskNode.ofChain("all", "a", "b"),
                                        TaskNodeBuilder.builder(TaskNode.ofHandler("a", "fetch"))
                                                .foreignPool("npm")
                                                .build(),
                                        TaskNode.ofHandler("b", "resize"))
                                .wire(Wire.Idoit)))
                .create();
        var status = seen.awaitTask("wire", s -> s.grantedPrefix() != null && s.progress() != null);
        assertThat(status.progress()).isEqualTo("0/2");
        assertThat(status.tree()).extracting(it -> it.name()).containsExactly("all", "a", "b");
        assertThat(Seen.condition(status.conditions(), ConditionType.Finished).getReason())
                .isEqualTo(TreeReason.WaitingForWorkers.name());
        String uid = client.resources(Task.class)
                .withName("wire")
                .get()
                .getMetadata()
                .getUid();
        assertThat(read("idoit:" + uid, "name")).isEqualTo("\"chain\"");
        assertThat(read("idoit:" + uid, "pool")).isEqualTo("\"mixed\"");
        assertThat(read("idoit:" + uid + ".1", "pool")).isEqualTo("\"npm\"");
        assertThat(read("idoit:" + uid + ".2", "pool")).isEqualTo("\"mixed\"");

        Samples.patch(client, Task.class, "wire", "\"cancel\":true");
        seen.awaitTask("wire", ConditionType.Finished, TreeReason.Cancelled);
        client.resources(Task.class).withName("wire").delete();
        Seen.gone(() -> client.resources(Task.class).withName("wire").get());
        assertThat(read("idoit:" + uid, "name")).isEmpty();

        Samples.patch(client, WorkerPool.class, "mixed", "\"grantedPrefix\":null");
        Seen.until(() -> read(grant, "prefix"), String::isEmpty);
        Samples.patch(client, WorkerPool.class, "mixed", "\"grantedPrefix\":{\"prefix\":\"idoit:\"}");
        Seen.until(() -> read(grant, "prefix"), "idoit:"::equals);
        client.resources(WorkerPool.class).withName("mixed").delete();
        Seen.gone(() -> client.resources(WorkerPool.class).withName("mixed").get());
        assertThat(read(grant, "prefix")).isEmpty();
    }

    private String read(String key, String field) {
        try (RedisStore store = redis.open()) {
            String value = store.ask(c -> c.hget(key, field));
            return value == null ? "" : value;
        }
    }

    private static String added(String uri) {
        try (RedisStore store = RedisStore.open(RedisEndpoint.standalone(uri), "test", Lifecycle.LIBRARY)) {
            store.ask(c -> c.sadd("idoit:waiting", "job"));
            return "added";
        } catch (RuntimeException notYet) {
            return notYet.getMessage();
        }
    }

    private static String uri(KubernetesClient client, String name) {
        var secret = client.secrets().withName(name).get();
        return secret == null
                ? ""
                : new String(Base64.getDecoder().decode(secret.getData().get("uri")), StandardCharsets.UTF_8);
    }
}
