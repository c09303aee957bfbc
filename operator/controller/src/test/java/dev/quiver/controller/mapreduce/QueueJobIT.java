package dev.quiver.controller.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ChunkFailurePolicy;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.GrantedPrefix;
import dev.quiver.crds.v1alpha1.HandlerReason;
import dev.quiver.crds.v1alpha1.MapReduceCombine;
import dev.quiver.crds.v1alpha1.MapReduceInput;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.MapReduceJobSpecBuilder;
import dev.quiver.crds.v1alpha1.MapReduceJobState;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.MapReduceWire;
import dev.quiver.crds.v1alpha1.PrefixWire;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;

/** Jobs in the keys of a map-reduce queue: run by the pool's workers or by other programs, shown by the resource. */
@ExtendWith(ApiServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QueueJobIT {

    private static final String POOL = "sums";
    private static final String PREFIX = "queue:";

    private RedisProcess redis;
    private OperatorRig rig;
    private NoopWorker worker;

    @BeforeAll
    void start(KubernetesClient client) {
        redis = RedisProcess.start();
        rig = OperatorRig.withPrefix(client.getConfiguration(), client.getNamespace(), redis.uri(), PREFIX)
                .start();
        WorkerPool pool = Samples.serving(POOL, 1);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .grantedPrefix(new GrantedPrefix(PREFIX, List.of(), PrefixWire.Queue))
                .build());
        client.resource(pool).create();
        Pod pod = new Seen(client).awaitPods(POOL, 1).getFirst();
        new Kubelet(client).allReady(POOL);
        worker = new Seen(client).awaitWorker(pod, redis.uri());
        worker.serve("sum.map", "sum.process", "sum.reduce");
        Seen.until(
                () -> read("quiver:{" + client.getNamespace() + "}:pool:" + POOL + ":queue", "prefix"), PREFIX::equals);
    }

    @AfterAll
    void stop() {
        worker.close();
        rig.close();
        redis.close();
    }

    @AfterEach
    void clear(KubernetesClient client) {
        client.resources(MapReduceJob.class).delete();
        Seen.until(() -> client.resources(MapReduceJob.class).list().getItems(), List::isEmpty);
        assertThat(wire()).as("nothing is left under the prefix").isEmpty();
    }

    private static MapReduceJobSpecBuilder sum(String input) {
        return of("sum", input);
    }

    private static MapReduceJobSpecBuilder of(String type, String input) {
        try {
            return Samples.mapReduce(POOL, type + ".map", type + ".process", type + ".reduce")
                    .wire(MapReduceWire.Queue)
                    .failurePolicy(ChunkFailurePolicy.SkipChunk)
                    .input(MapReduceInput.ofJson(new JsonMapper().readTree(input)));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static String key(KubernetesClient client, String name) {
        return PREFIX + "sum:"
                + client.resources(MapReduceJob.class)
                        .withName(name)
                        .get()
                        .getMetadata()
                        .getUid();
    }

    private List<String> wire() {
        try (RedisStore store = redis.open()) {
            return store.ask(c -> c.keys(PREFIX + "*"));
        }
    }

    private String read(String key, String field) {
        try (RedisStore store = redis.open()) {
            String value = store.ask(c -> c.hget(key, field));
            return value == null ? "" : value;
        }
    }

    private void claim(int tasks) {
        Seen.until(() -> worker.claim(tasks), held -> held == tasks);
    }

    @Test
    void jobHasTheFormOfTheQueueAndKeepsItsResult(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("sum", sum("[1,2,3]"))).create();
        MapReduceJobStatus pending = seen.awaitJob("sum", s -> s.state() == MapReduceJobState.PENDING);
        assertThat(pending.grantedPrefix()).isEqualTo(PREFIX);
        String job = key(client, "sum");
        try (RedisStore store = redis.open()) {
            Map<String, String> hash = store.ask(c -> c.hgetall(job));
            assertThat(hash)
                    .containsEntry("data", "[1,2,3]")
                    .containsEntry("type", "sum")
                    .containsEntry("retries", "0")
                    .containsEntry("state", "pending");
            assertThat(store.<Boolean>ask(c -> c.sismember(PREFIX + "pending", job)))
                    .isTrue();
        }
        claim(1);
        seen.awaitJob("sum", s -> s.state() == MapReduceJobState.MAPPING);
        worker.pass("[1,2,3]");
        claim(3);
        MapReduceJobStatus half =
                seen.awaitJob("sum", s -> s.chunks() != null && s.chunks().active() == 3);
        assertThat(half.state()).isEqualTo(MapReduceJobState.AGGREGATING);
        assertThat(half.progress()).isEqualTo("0/3");
        worker.pass("2");
        claim(1);
        seen.awaitJob("sum", s -> s.state() == MapReduceJobState.REDUCING);
        assertThat(worker.inputs()).containsExactly("[[2,2,2]]");
        worker.pass("{\"sum\":6}");
        var finished = seen.awaitJob("sum", ConditionType.Finished, MapReduceJobReason.JobSucceeded);
        assertThat(finished.getMessage()).isEqualTo("The job succeeded. 3 of 3 chunks were done.");
        MapReduceJobStatus status = seen.job("sum").orElseThrow();
        assertThat(status.result().toString()).isEqualTo("{\"sum\":6}");
        assertThat(status.startTime()).isNotNull();
        assertThat(seen.columns("mapreducejobs", "sum")).startsWith("sum", "finished", "3/3", "100");
        assertThat(wire()).isEmpty();
    }

    /** The other program's worker, by its own commands. */
    @Test
    void jobThatAnotherProgramEndsIsGoneAndItsOutcomeUnknown(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.job("other", of("other", "1"))).create();
        seen.awaitJob("other", s -> s.state() == MapReduceJobState.PENDING);
        String job = key(client, "other").replace(":sum:", ":other:");
        try (RedisStore store = redis.open()) {
            store.ask(c -> c.srem(PREFIX + "pending", job));
            store.ask(c -> c.hset(job, "state", "reducing"));
            store.ask(c -> c.zadd(PREFIX + "reducing", 9e15, job));
            seen.awaitJob("other", s -> s.state() == MapReduceJobState.REDUCING);
            store.ask(c -> c.zrem(PREFIX + "reducing", job));
            store.ask(c -> c.del(job));
        }
        var gone = seen.awaitJob("other", ConditionType.Finished, TreeReason.StoreLost);
        assertThat(gone.getMessage()).contains("gone from the keys of the queue");
    }

    @Test
    void cancelRemovesAJobAlsoAPostponedOne(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("later", sum("1").postponeSeconds(3600))).create();
        seen.awaitJob("later", s -> s.state() == MapReduceJobState.POSTPONED);
        seen.awaitJob("later", ConditionType.Finished, TreeReason.Postponed);
        assertThat(wire()).contains(key(client, "later") + ":postponed");
        Samples.patch(client, MapReduceJob.class, "later", "\"cancel\":true");
        seen.awaitJob("later", ConditionType.Finished, TreeReason.Cancelled);
        assertThat(wire()).isEmpty();

        client.resource(Samples.job("now", sum("1"))).create();
        claim(1);
        worker.pass("[1,2]");
        claim(2);
        Samples.patch(client, MapReduceJob.class, "now", "\"cancel\":true");
        seen.awaitJob("now", ConditionType.Finished, TreeReason.Cancelled);
        worker.pass("2");
        assertThat(wire()).isEmpty();
    }

    @Test
    void deletedJobLeavesNothingPostponedOrNot(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("later", sum("1").postponeSeconds(3600))).create();
        client.resource(Samples.job("now", sum("1"))).create();
        seen.awaitJob("later", s -> s.state() == MapReduceJobState.POSTPONED);
        claim(1);
        worker.pass("[1,2]");
        client.resources(MapReduceJob.class).delete();
        Seen.until(() -> client.resources(MapReduceJob.class).list().getItems(), List::isEmpty);
        assertThat(wire()).isEmpty();
        try (RedisStore store = redis.open()) {
            assertThat(store.<List<String>>ask(c -> c.keys("*:queue:ends"))).isEmpty();
        }
    }

    @Test
    void fieldThatTheKeysDoNotHoldIsNamed(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.job("combines", sum("1").combine(MapReduceCombine.ofHandler("add"))))
                .create();
        var refused = seen.awaitJob("combines", ConditionType.Finished, MapReduceJobReason.SpecInvalid);
        assertThat(refused.getStatus()).isEqualTo("True");
        assertThat(refused.getMessage())
                .isEqualTo("spec.combine cannot be set with wire: Queue, whose keys do not hold it.");
        assertThat(wire()).isEmpty();
    }

    @Test
    void functionThatNobodyServesIsNamed(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.job("lost", of("lost", "1"))).create();
        var condition = seen.awaitJob("lost", ConditionType.HandlerAvailable, HandlerReason.NotServed);
        assertThat(condition.getMessage()).contains("\"lost.map\"");
    }

    @Test
    void jobWaitsForAPoolWithAPrefixOfAQueue(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("plain", 0)).create();
        client.resource(Samples.job(
                        "waits",
                        Samples.mapReduce("plain", "sum.map", "sum.process", "sum.reduce")
                                .wire(MapReduceWire.Queue)
                                .failurePolicy(ChunkFailurePolicy.SkipChunk)))
                .create();
        var waits = seen.awaitJob("waits", ConditionType.Finished, MapReduceJobReason.PrefixNotGranted);
        assertThat(waits.getMessage())
                .isEqualTo("spec.workerPoolRef.name: WorkerPool plain has no spec.grantedPrefix,"
                        + " and wire: Queue needs one.");
        Samples.patch(client, WorkerPool.class, "plain", "\"grantedPrefix\":{\"prefix\":\"queue:\"}");
        Seen.until(
                () -> seen.awaitJob("waits", ConditionType.Finished, MapReduceJobReason.PrefixNotGranted)
                        .getMessage(),
                message -> message.contains("programs of another wire, and wire: Queue needs"));
    }
}
