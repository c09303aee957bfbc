package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetState;

/** Redis comes back with an older state, or holds what nobody owns: with a beat each 200 ms and a sweep each second. */
@ExtendWith(ApiServer.class)
class StoreRewoundIT {

    private RedisProcess redis;
    private OperatorRig rig;
    private Keyspace keyspace;

    @BeforeEach
    void start(KubernetesClient client) {
        redis = RedisProcess.start();
        keyspace = Keyspace.ofNamespace(client.getNamespace());
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
    void whatWasSaidSinceIsSaidAgain(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("shared", 2)).create();
        List<Pod> pods = seen.awaitPods("shared", 2);
        client.resource(guest("widened")).create();
        client.resource(guest("cancelled")).create();
        seen.awaitRun("widened", s -> s.total() != null);
        seen.awaitRun("cancelled", s -> s.total() != null);
        awaitBeats(); // a keyspace of some milliseconds has no epoch yet: without one nobody can say what came back
        redis.keep();

        Samples.patch(client, TaskSet.class, "cancelled", "\"cancel\":true");
        seen.awaitRun("cancelled", ConditionType.Finished, TaskSetReason.Cancelled);
        client.resources(TaskSet.class).withName("widened").scale(2);
        try (NoopWorker one = seen.awaitWorker(pods.getFirst(), redis.uri());
                NoopWorker other = seen.awaitWorker(pods.getLast(), redis.uri())) {
            Seen.until(() -> one.claim(1), held -> held == 1);
            Seen.until(() -> other.claim(1), held -> held == 1);
        }
        awaitBeats();
        redis.rewind();

        Seen.until(() -> seen.events("widened"), e -> e.contains("StoreRewound"));
        Seen.until(() -> inRedis(client, "cancelled"), status -> status.equals(Optional.of(TaskSetState.CANCELLED)));
        try (NoopWorker one = seen.awaitWorker(pods.getFirst(), redis.uri());
                NoopWorker other = seen.awaitWorker(pods.getLast(), redis.uri())) {
            Seen.until(() -> one.claim(1), held -> held == 1);
            Seen.until(() -> other.claim(1), held -> held == 1);
            one.pass();
            other.pass();
            Seen.until(() -> one.passAll() + other.passAll(), ran -> ran == 0);
        }
        seen.awaitRun("widened", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
    }

    @Test
    void keysWithoutAnOwnerGoWithoutAnybodyAsking(KubernetesClient client) {
        client.resource(Samples.set("stays", Samples.counted(6).replicas(0))).create();
        new Seen(client).awaitRun("stays", s -> s.total() != null);
        awaitBeats();
        try (RedisStore store = redis.open()) {
            TaskSetControl control = new Lifecycle(store).control(keyspace, term(client));
            var opened = control.open(TaskSetOpening.of(
                    "left-over",
                    "shared",
                    new ExecutionSpec(
                            "left",
                            List.of("true"),
                            List.of(),
                            List.of(),
                            Optional.empty(),
                            new ExecutionSpec.TaskSource.Count(5)),
                    new TaskSetLimits(1, 1, 0, Duration.ZERO)));
            assertThat(opened)
                    .as("a sweep may come right after it")
                    .isEqualTo(new TaskSetControl.OpenOutcome.Open(true, 5, true));
            Seen.until(control::present, present -> !present.contains("left-over"));
            assertThat(control.present()).hasSize(1);
        }
    }

    @Test
    void aRedisUserWhoseNamespaceHasNoPoolLeftGoesWithoutAnybodyAsking(KubernetesClient client) {
        String namespace = client.getNamespace();
        client.resource(Samples.pool("uninstalled", 0)).create();
        Seen.until(this::users, users -> users.contains("quiver-" + namespace));
        awaitBeats();
        rig.stop();
        ReleaseFinalizers.release(client, WorkerPool.class, List.of(namespace));
        client.resources(WorkerPool.class).withName("uninstalled").delete();
        assertThat(users()).contains("quiver-" + namespace);
        rig.start();
        Seen.until(this::users, users -> !users.contains("quiver-" + namespace));
    }

    @Test
    void theIdentityOfAKeyspaceThatNothingUsesExpires(KubernetesClient client) {
        try (RedisStore store = redis.open()) {
            client.resource(Samples.pool("last", 0)).create();
            awaitBeats();
            client.resources(WorkerPool.class).withName("last").delete();
            Seen.until(() -> store.ask(c -> c.pttl(keyspace.meta())), left -> left > 0);
            String epoch = store.ask(c -> c.hget(keyspace.meta(), "epoch"));

            client.resource(Samples.pool("next", 0)).create();
            Seen.until(() -> store.ask(c -> c.pttl(keyspace.meta())), left -> left == -1);
            String after = store.ask(c -> c.hget(keyspace.meta(), "epoch"));
            assertThat(after).isEqualTo(epoch);
        }
    }

    private List<Object> users() {
        try (RedisStore store = redis.open()) {
            return store.ask(c -> c.dispatch(
                    CommandType.ACL,
                    new ArrayOutput<>(StringCodec.UTF8),
                    new CommandArgs<>(StringCodec.UTF8).add("USERS")));
        }
    }

    /** Until the operator has kept a beat that is later than any copy made before. */
    private void awaitBeats() {
        try (RedisStore store = redis.open()) {
            long now = beat(store);
            Seen.until(() -> beat(store), later -> later >= now + 3);
        }
    }

    private static long term(KubernetesClient client) {
        return client.leases().withName("quiver-operator").get().getSpec().getLeaseTransitions();
    }

    private long beat(RedisStore store) {
        return Optional.ofNullable(store.ask(c -> c.hget(keyspace.meta(), "beat")))
                .map(Long::parseLong)
                .orElse(0L);
    }

    private Optional<TaskSetState> inRedis(KubernetesClient client, String name) {
        String uid = client.resources(TaskSet.class)
                .withName(name)
                .get()
                .getMetadata()
                .getUid();
        try (RedisStore store = redis.open()) {
            return Optional.ofNullable(new Lifecycle(store)
                            .control(keyspace, 0)
                            .snapshot(List.of(uid))
                            .get(uid))
                    .map(s -> s.status());
        }
    }

    private static TaskSet guest(String name) {
        return Samples.set(name, Samples.counted(6).workerTemplate(null).workerPoolRef(new WorkerPoolRef("shared")));
    }
}
