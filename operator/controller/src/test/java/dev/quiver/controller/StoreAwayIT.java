package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.controller.store.KeyspaceRecords;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;

/** Redis absent, gone for a while, emptied. */
@ExtendWith(ApiServer.class)
class StoreAwayIT {

    private RedisProcess redis;
    private OperatorRig rig;

    @BeforeEach
    void prepare(KubernetesClient client) {
        redis = RedisProcess.start("--appendonly", "yes", "--appendfsync", "always");
        rig = OperatorRig.of(client.getConfiguration(), client.getNamespace(), redis.uri());
    }

    @AfterEach
    void end(KubernetesClient client) {
        new Seen(client).deleteAll();
        rig.close();
        redis.close();
    }

    @Test
    void redisAbsentAtStartIsSaidAndRecoversWithoutARestart(KubernetesClient client) {
        Seen seen = new Seen(client);
        redis.kill();
        rig.start();
        client.resource(Samples.set("early", Samples.counted(3))).create();
        var away = seen.awaitRun("early", ConditionType.StoreReachable, StoreReason.Unreachable);
        assertThat(away.getStatus()).isEqualTo("False");
        assertThat(away.getMessage()).isNotBlank();
        redis.startAgain();
        seen.awaitRun("early", ConditionType.StoreReachable, StoreReason.Connected);
        seen.awaitPods("tset-early", 1);
    }

    @Test
    void aRedisThatMayEvictIsRefused(KubernetesClient client) {
        try (RedisStore store = redis.open()) {
            store.ask(c -> c.configSet("maxmemory-policy", "allkeys-lru"));
            rig.start();
            client.resource(Samples.set("evicted", Samples.counted(3))).create();
            assertThat(new Seen(client)
                            .awaitRun("evicted", ConditionType.StoreReachable, StoreReason.EvictionAllowed)
                            .getMessage())
                    .contains("allkeys-lru")
                    .contains("noeviction");
            store.ask(c -> c.configSet("maxmemory-policy", "noeviction"));
        }
        new Seen(client).awaitRun("evicted", ConditionType.StoreReachable, StoreReason.Connected);
    }

    @Test
    void aRedisThatIsFullIsSaidWhereTasksAreAccepted(KubernetesClient client) {
        Seen seen = new Seen(client);
        rig.start();
        client.resource(Samples.set("first", Samples.counted(3).replicas(0))).create();
        seen.awaitRun("first", s -> s.total() != null);
        try (RedisStore store = redis.open()) {
            store.ask(c -> c.configSet("maxmemory", "1"));
            client.resource(Samples.set("stuffed", Samples.counted(3).replicas(0)))
                    .create();
            assertThat(Seen.until(
                                    () -> seen.run("stuffed")
                                            .map(s -> Seen.condition(s.conditions(), ConditionType.Finished)
                                                    .getMessage())
                                            .orElse(""),
                                    m -> m.contains("OutOfMemory"))
                            .toString())
                    .contains("OOM");
            store.ask(c -> c.configSet("maxmemory", "0"));
        }
        seen.awaitRun("stuffed", s -> s.total() != null);
    }

    @Test
    void aSourceThatChangedBeforeAResubmissionIsSaid(KubernetesClient client) {
        Seen seen = new Seen(client);
        rig.start();
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("list")
                        .endMetadata()
                        .addToData("tasks", "a\nb\n")
                        .build())
                .create();
        client.resource(Samples.set(
                        "changed",
                        Samples.counted(1)
                                .replicas(0)
                                .source(TaskSource.ofConfigMapKey("list", "tasks"))
                                .storeLossPolicy(StoreLossPolicy.Resubmit)))
                .create();
        seen.awaitRun("changed", s -> s.total() != null && s.total() == 2);
        // Until the operator has kept what it saw of the keyspace, nobody can say that it was emptied.
        Seen.until(
                () -> client.configMaps().withName(KeyspaceRecords.CONFIG_MAP).get(),
                kept -> kept != null
                        && kept.getData() != null
                        && !kept.getData().isEmpty());
        client.configMaps()
                .withName("list")
                .edit(m ->
                        new ConfigMapBuilder(m).addToData("tasks", "a\nb\nc\n").build());
        try (RedisStore store = redis.open()) {
            store.ask(c -> c.flushall());
        }
        seen.awaitRun("changed", s -> s.total() != null && s.total() == 3);
        Seen.until(
                () -> client.v1().events().list().getItems().stream()
                        .filter(e -> "StoreLost".equals(e.getReason()))
                        .map(Event::getMessage)
                        .toList(),
                said -> said.stream().anyMatch(m -> m.contains("it had 2 tasks, now it has 3")));
    }

    @Test
    void aKeyspaceThatANewerVersionHasWrittenIsSaidInItsPools(KubernetesClient client) {
        Seen seen = new Seen(client);
        String meta = Keyspace.ofNamespace(client.getNamespace()).meta();
        try (RedisStore store = redis.open()) {
            store.ask(c -> c.hset(meta, "schema", "99"));
            rig.start();
            client.resource(Samples.pool("newer", 0)).create();
            var refused = seen.awaitPool(
                    "newer",
                    s -> Seen.condition(s.conditions(), ConditionType.StoreReachable)
                            .getStatus()
                            .equals("False"));
            assertThat(Seen.condition(refused.conditions(), ConditionType.StoreReachable)
                            .getMessage())
                    .contains("99");
            store.ask(c -> c.hdel(meta, "schema"));
        }
        seen.awaitPool("newer", ConditionType.StoreReachable, StoreReason.Connected);
        client.resources(WorkerPool.class).withName("newer").delete();
        Seen.gone(() -> client.resources(WorkerPool.class).withName("newer").get());
    }

    @Test
    void aRestartInMidRunLosesNothing(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        rig.start();
        client.resource(Samples.set("kept", Samples.counted(6))).create();
        var pod = seen.awaitPods("tset-kept", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            Seen.until(() -> worker.claim(2), held -> held == 2);
            worker.pass();
            seen.awaitRun("kept", s -> s.succeeded() != null && s.succeeded() == 2);
            redis.kill();
            TaskSetStatus away = seen.awaitRun(
                    "kept",
                    s -> Seen.condition(s.conditions(), ConditionType.StoreReachable)
                            .getStatus()
                            .equals("False"));
            assertThat(away.succeeded()).as("the last known numbers stay").isEqualTo(2);
            redis.startAgain();
            Seen.until(() -> worker.claim(4), held -> held == 4);
            worker.pass();
        }
        seen.awaitRun("kept", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
    }

    @Test
    void anEmptiedRedisFailsTheRunUnlessItMaySubmitAgain(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        rig.start();
        client.resource(Samples.set("fails", Samples.counted(3))).create();
        client.resource(Samples.set("again", Samples.counted(3).storeLossPolicy(StoreLossPolicy.Resubmit)))
                .create();
        seen.awaitRun("fails", s -> s.total() != null);
        seen.awaitRun("again", s -> s.total() != null);
        var pod = seen.awaitPods("tset-again", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            Seen.until(() -> worker.claim(1), held -> held == 1);
            worker.pass();
        }
        seen.awaitRun("again", s -> s.succeeded() != null && s.succeeded() == 1);

        try (RedisStore store = redis.open()) {
            store.ask(c -> c.flushall());
        }

        var lost = seen.awaitRun("fails", ConditionType.Finished, TaskSetReason.StoreLost);
        assertThat(lost.getStatus()).isEqualTo("True");
        assertThat(lost.getMessage()).contains("storeLossPolicy");
        TaskSetStatus anew = seen.awaitRun("again", s -> s.succeeded() != null && s.succeeded() == 0);
        assertThat(anew.total()).isEqualTo(3);
        Seen.until(() -> seen.events("again"), e -> e.contains(TaskSetReason.StoreLost.name()));
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            Seen.until(worker::passAll, run -> run == 3);
        }
        seen.awaitRun("again", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
    }

    @Test
    void aDeletionThatCannotReachRedisEndsAndItsKeysAreSweptLater(KubernetesClient client) {
        Seen seen = new Seen(client);
        rig.start();
        client.resource(Samples.set("orphan", Samples.counted(3).replicas(0))).create();
        client.resource(Samples.pool("orphans", 0)).create();
        seen.awaitPool("orphans", ConditionType.StoreReachable, StoreReason.Connected);
        seen.awaitRun("orphan", s -> s.total() != null);
        String uid = client.resources(TaskSet.class)
                .withName("orphan")
                .get()
                .getMetadata()
                .getUid();
        redis.kill();
        client.resources(WorkerPool.class).withName("orphans").delete();
        client.resources(TaskSet.class).withName("orphan").delete();
        Seen.gone(() -> client.resources(TaskSet.class).withName("orphan").get());
        Seen.gone(() -> client.resources(WorkerPool.class).withName("orphans").get());
        seen.awaitEvents("orphan", "KeysLeft");
        redis.startAgain();
        try (RedisStore store = redis.open()) {
            Seen.until(
                    () -> store.ask(c -> c.keys("*" + uid + "*")),
                    keys -> keys.stream().allMatch(k -> k.endsWith("tombstone")));
            Seen.until(() -> store.ask(c -> c.keys("*pool:orphans*")), List::isEmpty);
        }
    }
}
