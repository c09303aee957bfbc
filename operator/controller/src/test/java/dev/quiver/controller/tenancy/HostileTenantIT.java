package dev.quiver.controller.tenancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.lettuce.core.ScriptOutputType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;

/** One tenant attacks with the credentials of its Secret; the work of another goes on. */
@ExtendWith(ApiServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileTenantIT {

    private RedisProcess redis;
    private OperatorRig rig;
    private KubernetesClient evil;
    private KubernetesClient good;
    private Keyspace keyspace;
    private RedisStore attacker;

    @BeforeAll
    void start(KubernetesClient client) {
        redis = RedisProcess.start();
        String second = client.getNamespace() + "-good";
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(second)
                        .endMetadata()
                        .build())
                .create();
        evil = client;
        good = client.adapt(NamespacedKubernetesClient.class).inNamespace(second);
        keyspace = Keyspace.ofNamespace(client.getNamespace());
        rig = OperatorRig.over(client.getConfiguration(), List.of(client.getNamespace(), second), redis.uri())
                .start();
        evil.resource(Samples.set("evil", Samples.counted(10))).create();
        new Seen(evil).awaitPods("tset-evil", 1);
        attacker = PatientStore.open(RedisEndpoint.standalone(secretUri(evil)), "attacker", Lifecycle.LIBRARY);
    }

    @AfterAll
    void stop() {
        attacker.close();
        rig.close();
        redis.close();
    }

    @Test
    void anEndlessScriptIsNotRun() throws InterruptedException {
        String endless = "redis.call('HSET', KEYS[1], 'a', 1) while true do end";
        assertThatThrownBy(() ->
                        attacker.ask(r -> r.eval(endless, ScriptOutputType.STATUS, new String[] {keyspace.meta()})))
                .hasMessageContaining("NOPERM");
        theOthersWorkIsDone("after-eval");
    }

    @Test
    void aRegistryThatWouldFillTheOperatorsHeapIsItsOwnTrouble() throws InterruptedException {
        String registry = keyspace.poolWorkers("tset-evil");
        String large = "x".repeat(4 << 20);
        for (int i = 0; i < 10; i++) {
            String session = "s" + i;
            attacker.ask(r -> r.hset(registry, session, large));
        }
        String message = new Seen(evil)
                .awaitPool("tset-evil", ConditionType.StoreReachable, StoreReason.Unsupported)
                .getMessage();
        assertThat(message).contains(registry).contains("bytes");
        theOthersWorkIsDone("beside-a-large-registry");
        attacker.ask(r -> r.unlink(registry));
        new Seen(evil).awaitPool("tset-evil", ConditionType.StoreReachable, StoreReason.Connected);
    }

    @Test
    void workForTheReaperThatNeverEndsIsDoneByAndBy() throws Exception {
        String uid = evil.resources(TaskSet.class)
                .withName("evil")
                .require()
                .getMetadata()
                .getUid();
        String due = keyspace.prefix() + "taskset:" + uid + ":delayed";
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong next = new AtomicLong();
        try (ExecutorService hands = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> attack = hands.submit(() -> {
                while (!stop.get()) {
                    Object[] members = Stream.generate(next::getAndIncrement)
                            .limit(5000)
                            .flatMap(i -> Stream.of(1.0, "" + i))
                            .toArray();
                    attacker.ask(r -> r.zadd(due, members));
                    attacker.ask(r -> r.zadd(keyspace.delayed(), 1, uid));
                    attacker.ask(r -> r.unlink(keyspace.prefix() + "taskset:" + uid + ":task_queue"));
                }
            });
            Seen.until(next::get, n -> n > 20_000);
            theOthersWorkIsDone("beside-a-flood");
            stop.set(true);
            attack.get();
        }
        attacker.ask(r -> r.unlink(due));
    }

    @Test
    void aTermThatNobodyCountedToIsItsOwnTrouble() throws InterruptedException {
        theOthersWorkIsDone("before-a-term");
        String others = Keyspace.ofNamespace(good.getNamespace()).meta();
        try (RedisStore store = redis.open()) {
            String before = store.ask(r -> r.hget(others, "term"));
            attacker.ask(r -> r.hset(keyspace.meta(), "term", "1073741824"));
            theOthersWorkIsDone("beside-a-term");
            Seen.until(() -> store.ask(r -> r.hget(keyspace.meta(), "term")), before::equals);
            String after = store.ask(r -> r.hget(others, "term"));
            assertThat(after).isEqualTo(before);
        }
        new Seen(evil).awaitPool("tset-evil", ConditionType.StoreReachable, StoreReason.Connected);
    }

    /** A run in the other namespace, worked at with that namespace's own Secret, from its creation to its status. */
    private void theOthersWorkIsDone(String name) throws InterruptedException {
        Seen seen = new Seen(good);
        good.resource(Samples.set(name, Samples.counted(20))).create();
        var pod = seen.awaitPods("tset-" + name, 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, secretUri(good))) {
            Seen.until(worker::passAll, run -> run == 20);
        }
        seen.awaitRun(name, ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
    }

    private static String secretUri(KubernetesClient client) {
        String encoded = client.secrets()
                .withName(Quiver.REDIS_SECRET)
                .require()
                .getData()
                .get("uri");
        return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    }
}
