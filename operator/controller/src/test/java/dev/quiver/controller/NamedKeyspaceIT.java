package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.controller.store.KeyspaceRecords;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;

/** Pools that name a keyspace, and what happens to their runs when the pool goes. */
@ExtendWith(ApiServer.class)
class NamedKeyspaceIT {

    private RedisProcess redis;
    private OperatorRig rig;
    private Keyspace nightly;

    @BeforeEach
    void start(KubernetesClient client) {
        redis = RedisProcess.start();
        nightly = Keyspace.of(client.getNamespace(), "nightly");
        rig = OperatorRig.of(client.getConfiguration(), client.getNamespace(), redis.uri(), OperatorRig.QUICK)
                .start();
    }

    @AfterEach
    void end(KubernetesClient client) {
        new Seen(client).deleteAll();
        rig.close();
        redis.close();
    }

    @Test
    void aRunInANamedKeyspaceFinishesAndLeavesNoKeyAnywhere(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(pool()).create();
        client.resource(Samples.set("named", guest())).create();
        assertThat(seen.awaitRun("named", s -> s.total() != null).keyspace()).isEqualTo("nightly");
        var pod = seen.awaitPods("shared", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri(), nightly)) {
            Seen.until(worker::passAll, run -> run == 6);
        }
        seen.awaitRun("named", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
        String uid = uid(client, "named");
        client.resources(TaskSet.class).withName("named").delete();
        Seen.gone(() -> client.resources(TaskSet.class).withName("named").get());
        assertThat(keys("*" + uid + "*")).allMatch(k -> k.endsWith("tombstone"));
        assertThat(keys(Keyspace.ofNamespace(client.getNamespace()).prefix() + "*"))
                .as("nothing was ever looked for in the keyspace of the namespace")
                .isEmpty();
    }

    @Test
    void aRunOutlivesItsPoolAndTheOperator(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(pool()).create();
        client.resource(Samples.set("orphaned", guest())).create();
        var pod = seen.awaitPods("shared", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri(), nightly)) {
            Seen.until(() -> worker.claim(2), held -> held == 2);
            worker.pass();
        }
        seen.awaitRun("orphaned", s -> s.succeeded() != null && s.succeeded() == 2);
        client.resources(WorkerPool.class).withName("shared").delete();
        assertThat(seen.awaitRun("orphaned", ConditionType.Finished, TaskSetReason.WorkerPoolNotFound)
                        .getMessage())
                .contains("spec.workerPoolRef.name", "no WorkerPool shared any more", "4 tasks wait");
        Seen.until(() -> seen.events("orphaned"), e -> e.contains("WorkerPoolNotFound"));

        rig.stop();
        Samples.patch(client, TaskSet.class, "orphaned", "\"replicas\":2");
        rig.start();
        TaskSetStatus after = seen.awaitRun("orphaned", s -> s.workers().equals("0/2"));
        assertThat(Seen.condition(after.conditions(), ConditionType.Finished).getReason())
                .as("looked for in another keyspace it would be lost")
                .isEqualTo("WorkerPoolNotFound");

        client.resource(pool()).create();
        var again = seen.awaitPods("shared", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(again, redis.uri(), nightly)) {
            Seen.until(worker::passAll, run -> run == 4);
        }
        seen.awaitRun("orphaned", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
        TaskSetStatus done = seen.run("orphaned").orElseThrow();
        assertThat(done.succeeded()).isEqualTo(6);
        assertThat(done.trials()).isEqualTo(6);
    }

    @Test
    void aRunOfADeletedPoolLeavesNoKeyEither(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(pool()).create();
        client.resource(Samples.set("swept", guest())).create();
        seen.awaitRun("swept", s -> s.total() != null);
        client.resources(WorkerPool.class).withName("shared").delete();
        seen.awaitRun("swept", ConditionType.Finished, TaskSetReason.WorkerPoolNotFound);
        String uid = uid(client, "swept");
        rig.stop();
        client.resources(TaskSet.class).withName("swept").delete();
        rig.start();
        Seen.gone(() -> client.resources(TaskSet.class).withName("swept").get());
        assertThat(keys("*" + uid + "*")).allMatch(k -> k.endsWith("tombstone"));
    }

    @Test
    void aFinishedRunThatARewindBroughtBackIsEndedAgain(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(pool()).create();
        client.resource(Samples.set("revived", guest())).create();
        seen.awaitRun("revived", s -> s.total() != null);
        awaitBeats();
        redis.keep();
        Samples.patch(client, TaskSet.class, "revived", "\"cancel\":true");
        seen.awaitRun("revived", ConditionType.Finished, TaskSetReason.Cancelled);
        awaitBeats();
        redis.rewind();
        String uid = uid(client, "revived");
        try (RedisStore store = redis.open()) {
            var control = new Lifecycle(store).control(nightly, 0);
            Seen.until(
                    () -> Optional.ofNullable(control.snapshot(List.of(uid)).get(uid)),
                    run -> run.filter(r -> r.status().isFinal()).isPresent());
        }
    }

    @Test
    void aKeyspaceThatIsOneTooManyIsNeitherServedNorWrittenTo(KubernetesClient client) {
        Seen seen = new Seen(client);
        for (int i = 0; i < KeyspaceRecords.NAMESPACE_RECORDS; i++) {
            client.resource(pool("p" + i, "k" + i, 0)).create();
        }
        Seen.until(
                () -> client.configMaps().withName(KeyspaceRecords.CONFIG_MAP).get(),
                map -> map != null
                        && map.getData() != null
                        && map.getData().size() == KeyspaceRecords.NAMESPACE_RECORDS);
        client.resource(pool("more", "more", 1)).create();
        assertThat(seen.awaitPool("more", ConditionType.StoreReachable, StoreReason.Unsupported)
                        .getMessage())
                .contains("64 keyspaces");
        seen.awaitPods("more", 1);
        client.resources(WorkerPool.class).withName("more").delete();
        Seen.gone(() -> {
            new Kubelet(client).finish("more");
            return client.resources(WorkerPool.class).withName("more").get();
        });
        assertThat(keys(Keyspace.of(client.getNamespace(), "more").prefix() + "*"))
                .isEmpty();
        assertThat(keys(Keyspace.of(client.getNamespace(), "k0").prefix() + "*"))
                .isNotEmpty();
    }

    /** Until the operator has kept a beat that is later than any copy made before. */
    private void awaitBeats() {
        try (RedisStore store = redis.open()) {
            long now = beat(store);
            Seen.until(() -> beat(store), later -> later >= now + 3);
        }
    }

    private List<String> keys(String pattern) {
        try (RedisStore store = redis.open()) {
            return store.ask(c -> c.keys(pattern));
        }
    }

    private long beat(RedisStore store) {
        return Optional.ofNullable(store.ask(c -> c.hget(nightly.meta(), "beat")))
                .map(Long::parseLong)
                .orElse(0L);
    }

    private static String uid(KubernetesClient client, String name) {
        return client.resources(TaskSet.class)
                .withName(name)
                .get()
                .getMetadata()
                .getUid();
    }

    private static WorkerPool pool() {
        return pool("shared", "nightly", 1);
    }

    private static WorkerPool pool(String name, String keyspace, int replicas) {
        WorkerPool pool = Samples.pool(name, replicas);
        pool.setSpec(
                WorkerPoolSpecBuilder.builder(pool.getSpec()).keyspace(keyspace).build());
        return pool;
    }

    private static TaskSetSpecBuilder guest() {
        return Samples.counted(6).workerTemplate(null).workerPoolRef(new WorkerPoolRef("shared"));
    }
}
