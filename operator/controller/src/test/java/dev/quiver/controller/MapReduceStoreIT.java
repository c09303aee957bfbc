package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
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
import dev.quiver.crds.v1alpha1.MapReduceInput;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.MapReduceJobSpecBuilder;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.MapReducePartBuilder;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;

/** Map-reduce jobs while Redis or the operator is away, and those of a schedule. */
@ExtendWith(ApiServer.class)
class MapReduceStoreIT {

    private static final String POOL = "shared";

    private RedisProcess redis;
    private OperatorRig rig;
    private Keyspace keyspace;

    @BeforeEach
    void start(KubernetesClient client) {
        redis = RedisProcess.start("--appendonly", "yes", "--appendfsync", "always");
        keyspace = Keyspace.ofNamespace(client.getNamespace());
        rig = OperatorRig.of(client.getConfiguration(), client.getNamespace(), redis.uri(), OperatorRig.QUICK)
                .start();
        client.resource(Samples.pool(POOL, 1)).create();
    }

    @AfterEach
    void end(KubernetesClient client) {
        new Seen(client).deleteAll();
        rig.close();
        redis.close();
    }

    /** Two chunks of a command. */
    private static MapReduceJobSpecBuilder pair() throws Exception {
        return MapReduceJobSpecBuilder.builder()
                .workerPoolRef(new WorkerPoolRef(POOL))
                .input(MapReduceInput.ofJson(new JsonMapper().readTree("[1,2]")))
                .process(MapReducePartBuilder.builder().command(List.of("true")).build());
    }

    @Test
    void emptiedRedisFailsAJobUnlessItMayBeginAgain(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("fails", pair())).create();
        client.resource(Samples.job("again", pair().storeLossPolicy(StoreLossPolicy.Resubmit)))
                .create();
        seen.awaitJob("fails", s -> s.progress() != null);
        seen.awaitJob("again", s -> s.progress() != null);
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            Seen.until(() -> worker.claim(1), held -> held == 1);
            worker.pass("1");
            Seen.until(() -> worker.claim(1), held -> held == 1);
            worker.pass("1");
        }
        awaitBeats();
        try (RedisStore store = redis.open()) {
            store.ask(c -> c.flushall());
        }
        assertThat(seen.awaitJob("fails", ConditionType.Finished, TreeReason.StoreLost)
                        .getStatus())
                .isEqualTo("True");
        MapReduceJobStatus anew = seen.awaitJob("again", s -> s.resubmissions() != null && "0/2".equals(s.progress()));
        assertThat(anew.resubmissions()).isEqualTo(1);
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            Seen.until(() -> worker.claim(2), held -> held == 2);
            worker.pass("1");
        }
        seen.awaitJob("again", ConditionType.Succeeded, MapReduceJobReason.JobSucceeded);
    }

    @Test
    void outageKeepsTheNumbersAndTheOperatorTheJob(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("kept", pair())).create();
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            Seen.until(() -> worker.claim(1), held -> held == 1);
            worker.pass("1");
            seen.awaitJob("kept", s -> "1/2".equals(s.progress()));
            redis.kill();
            MapReduceJobStatus away = seen.awaitJob(
                    "kept",
                    s -> Seen.condition(s.conditions(), ConditionType.StoreReachable)
                            .getStatus()
                            .equals("False"));
            assertThat(away.progress()).isEqualTo("1/2");
            redis.startAgain();
            seen.awaitJob("kept", ConditionType.StoreReachable, StoreReason.Connected);
            Seen.until(() -> worker.claim(1), held -> held == 1);
            rig.stop();
            worker.pass("2");
            rig.start();
            seen.awaitJob("kept", ConditionType.Succeeded, MapReduceJobReason.JobSucceeded);
        }
    }

    /** A Task and a job in one keyspace: a sweep takes only what neither has. */
    @Test
    void sweepTakesNeitherKindForAnOrphanOfTheOther(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        String orphan = "00000000-0000-4000-8000-000000000000";
        client.resource(Samples.job("job", pair())).create();
        client.resource(Samples.task("task", Samples.tree(POOL, TaskNode.ofCommand("a", "true"))))
                .create();
        seen.awaitJob("job", s -> s.progress() != null);
        seen.awaitTask("task", s -> s.progress() != null);
        try (RedisStore store = redis.open()) {
            store.ask(c -> c.hset(keyspace.trees(), orphan, ""));
            Seen.until(() -> store.ask(c -> c.hkeys(keyspace.trees())), trees -> !trees.contains(orphan));
            List<String> trees = store.ask(c -> c.hkeys(keyspace.trees()));
            assertThat(trees)
                    .containsExactlyInAnyOrder(
                            client.resources(MapReduceJob.class)
                                    .withName("job")
                                    .get()
                                    .getMetadata()
                                    .getUid(),
                            client.resources(Task.class)
                                    .withName("task")
                                    .get()
                                    .getMetadata()
                                    .getUid());
        }
    }

    @Test
    void scheduleRunsAJobOfItsOwnEachTime(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("nightly", pair().schedule(TaskSchedule.ofCron("@yearly"))))
                .create();
        MapReduceJobStatus begun = seen.awaitJob("nightly", s -> s.schedule() != null);
        assertThat(begun.schedule().nextScheduleTime()).endsWith("-01-01T00:00:00Z");
        assertThat(begun.state()).isNull();
        fire(client, "nightly");
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            Seen.until(() -> worker.claim(2), held -> held == 2);
            worker.pass("1");
        }
        MapReduceJobStatus ran = seen.awaitJob("nightly", s -> s.schedule().lastSuccessfulTime() != null);
        assertThat(ran.schedule().runs().getFirst().reason()).isEqualTo("JobSucceeded");
        MapReduceJobStatus shown = seen.awaitJob("nightly", s -> s.result() != null);
        assertThat(shown.result()).hasToString("[1,1]");
        Samples.patch(client, MapReduceJob.class, "nightly", "\"cancel\":true");
        seen.awaitJob("nightly", ConditionType.Finished, TreeReason.Cancelled);
    }

    /** Makes it due now, as if it had been accepted long ago. */
    private void fire(KubernetesClient client, String name) {
        String uid = client.resources(MapReduceJob.class)
                .withName(name)
                .get()
                .getMetadata()
                .getUid();
        try (RedisStore store = redis.open()) {
            String schedule = keyspace.prefix() + "task:schedule:" + uid;
            String before = store.ask(c -> c.hget(schedule, "next_at"));
            long at = Instant.now().minusSeconds(1).toEpochMilli();
            String commands = keyspace.prefix() + "task:commands";
            store.ask(c -> c.zrem(commands, "fire\t" + uid + "\t" + before + "\t\t0"));
            store.ask(c -> c.hset(schedule, "next_at", Long.toString(at)));
            store.ask(c -> c.zadd(commands, at, "fire\t" + uid + "\t" + at + "\t\t0"));
            store.ask(c -> c.zadd(keyspace.prefix() + "delayed", at, "tasks:"));
        }
    }

    /** Until the operator has kept what it saw of the keyspace, nobody can tell what became of it. */
    private void awaitBeats() {
        try (RedisStore store = redis.open()) {
            long now = beat(store);
            Seen.until(() -> beat(store), later -> later >= now + 3);
        }
    }

    private long beat(RedisStore store) {
        return Optional.ofNullable(store.ask(c -> c.hget(keyspace.meta(), "beat")))
                .map(Long::parseLong)
                .orElse(0L);
    }
}
