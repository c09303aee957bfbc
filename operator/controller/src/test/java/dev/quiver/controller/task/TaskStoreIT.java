package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Pod;
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
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;

/** Tasks while Redis, the operator or a pool is away. */
@ExtendWith(ApiServer.class)
class TaskStoreIT {

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

    @Test
    void emptiedRedisFailsATaskUnlessItMayBeginAgain(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task("fails", pair())).create();
        client.resource(Samples.task("again", pair().storeLossPolicy(StoreLossPolicy.Resubmit)))
                .create();
        seen.awaitTask("fails", s -> s.progress() != null);
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            seen.awaitTask("again", s -> s.progress() != null);
            Seen.until(() -> worker.claim(4), held -> held == 2);
            worker.pass("1");
            seen.awaitTask("again", s -> s.progress().equals("1/2"));
        }
        awaitBeats();
        try (RedisStore store = redis.open()) {
            store.ask(c -> c.flushall());
        }
        var lost = seen.awaitTask("fails", ConditionType.Finished, TreeReason.StoreLost);
        assertThat(lost.getStatus()).isEqualTo("True");
        assertThat(seen.task("fails").orElseThrow().progress())
                .as("the last known numbers stay")
                .isEqualTo("1/2");
        TaskStatus anew = seen.awaitTask("again", s -> "0/2".equals(s.progress()));
        assertThat(anew.resubmissions()).isEqualTo(1);
        seen.awaitEvents("again", "StoreLost");
        try (RedisStore store = redis.open()) {
            assertThat(trees(store)).containsExactly(uid(client, "again") + "-r1");
        }
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            for (int i = 0; i < 2; i++) {
                Seen.until(() -> worker.claim(4), held -> held == 1);
                worker.pass("2");
            }
        }
        seen.awaitTask("again", ConditionType.Finished, TaskReason.RootSucceeded);
    }

    @Test
    void outageKeepsTheNumbersAndLosesNothing(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task("kept", pair())).create();
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            Seen.until(() -> worker.claim(4), held -> held == 1);
            worker.pass("1");
            seen.awaitTask("kept", s -> "1/2".equals(s.progress()));
            redis.kill();
            TaskStatus away = seen.awaitTask(
                    "kept",
                    s -> Seen.condition(s.conditions(), ConditionType.StoreReachable)
                            .getStatus()
                            .equals("False"));
            assertThat(away.progress()).isEqualTo("1/2");
            redis.startAgain();
            seen.awaitTask("kept", ConditionType.StoreReachable, StoreReason.Connected);
            Seen.until(() -> worker.claim(4), held -> held == 1);
            worker.pass("2");
        }
        seen.awaitTask("kept", ConditionType.Finished, TaskReason.RootSucceeded);
    }

    @Test
    void creationThatWasCutOffIsDoneAgain(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        seen.awaitPool(POOL, ConditionType.StoreReachable, StoreReason.Connected);
        rig.stop();
        client.resource(Samples.task("cut", pair())).create();
        try (RedisStore store = redis.open()) {
            store.ask(c -> c.hset(keyspace.trees(), uid(client, "cut"), ""));
            store.ask(c -> c.hset(keyspace.prefix() + "task:nodes", uid(client, "cut") + ".1", "half a record"));
        }
        rig.start();
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            for (int i = 0; i < 2; i++) {
                Seen.until(() -> worker.claim(4), held -> held == 1);
                worker.pass("1");
            }
        }
        seen.awaitTask("cut", ConditionType.Finished, TaskReason.RootSucceeded);
    }

    @Test
    void operatorThatWasAwayFindsTheTaskWhereItIs(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task("lonely", pair())).create();
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            Seen.until(() -> worker.claim(4), held -> held == 1);
            rig.stop();
            worker.pass("1");
            assertThat(worker.claim(4)).isEqualTo(1);
            worker.pass("2");
        }
        rig.start();
        seen.awaitTask("lonely", ConditionType.Finished, TaskReason.RootSucceeded);
        assertThat(seen.task("lonely").orElseThrow().result()).hasToString("2");
    }

    @Test
    void poolThatComesBackFindsTheQueueOfItsNodes(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task("orphaned", pair())).create();
        seen.awaitTask("orphaned", s -> s.progress() != null);
        client.resources(WorkerPool.class).withName(POOL).delete();
        Seen.gone(() -> {
            new Kubelet(client).finish(POOL);
            return client.resources(WorkerPool.class).withName(POOL).get();
        });
        assertThat(seen.awaitTask("orphaned", ConditionType.Finished, TreeReason.WorkerPoolNotFound)
                        .getMessage())
                .contains("no WorkerPool shared any more");
        client.resource(Samples.pool(POOL, 1)).create();
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, redis.uri())) {
            for (int i = 0; i < 2; i++) {
                Seen.until(() -> worker.claim(4), held -> held == 1);
                worker.pass("1");
            }
        }
        seen.awaitTask("orphaned", ConditionType.Finished, TaskReason.RootSucceeded);
    }

    @Test
    void taskStaysInItsKeyspaceWhateverBecomesOfItsPool(KubernetesClient client) {
        Seen seen = new Seen(client);
        WorkerPool named = Samples.pool("apart", 0);
        named.setSpec(WorkerPoolSpecBuilder.builder(named.getSpec())
                .keyspace("nightly")
                .build());
        client.resource(named).create();
        client.resource(Samples.task(
                        "stays", Samples.tree("apart", TaskNode.ofChain("all", "a"), TaskNode.ofCommand("a", "true"))))
                .create();
        assertThat(seen.awaitTask("stays", s -> s.progress() != null).keyspace())
                .isEqualTo("nightly");
        client.resources(WorkerPool.class).withName("apart").delete();
        seen.awaitTask("stays", ConditionType.Finished, TreeReason.WorkerPoolNotFound);
        client.resource(Samples.pool("apart", 0)).create();
        assertThat(seen.awaitTask("stays", ConditionType.Finished, TreeReason.WaitingForWorkers)
                        .getMessage())
                .contains("has the keyspace of the namespace now", "keyspace nightly", "or a new Task");
    }

    @Test
    void deletionThatCannotReachRedisEndsAndItsKeysAreSweptLaterThoseOfProgramsNot(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.task("swept", pair())).create();
        seen.awaitTask("swept", s -> s.progress() != null);
        String uid = uid(client, "swept");
        try (RedisStore store = redis.open()) {
            new Lifecycle(store).trees(keyspace).create(TaskTree.of("q1w2e3r4t5z6u7i8", leaf()));
        }
        redis.kill();
        client.resources(Task.class).withName("swept").delete();
        Seen.gone(() -> client.resources(Task.class).withName("swept").get());
        seen.awaitEvents("swept", "KeysLeft");
        redis.startAgain();
        try (RedisStore store = redis.open()) {
            Seen.until(() -> trees(store), trees -> trees.stream().noneMatch(tree -> tree.startsWith(uid)));
            assertThat(trees(store)).containsExactly("q1w2e3r4t5z6u7i8");
        }
    }

    @Test
    void finishedTaskThatARewindBroughtBackIsEndedAgain(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.task("revived", pair())).create();
        seen.awaitTask("revived", s -> s.progress() != null);
        awaitBeats();
        redis.keep();
        Samples.patch(client, Task.class, "revived", "\"cancel\":true");
        seen.awaitTask("revived", ConditionType.Finished, TreeReason.Cancelled);
        awaitBeats();
        redis.rewind();
        try (RedisStore store = redis.open()) {
            var trees = new Lifecycle(store).trees(keyspace);
            Seen.until(
                    () -> trees.find(uid(client, "revived")),
                    tree -> tree.filter(TreeState::over).isPresent());
        }
    }

    private static TaskSpecBuilder pair() {
        return Samples.tree(
                POOL,
                TaskNode.ofChain("all", "a", "b"),
                TaskNode.ofCommand("a", "true"),
                TaskNode.ofCommand("b", "true"));
    }

    private static TreeNode leaf() {
        return new TreeNode.Leaf(
                POOL,
                Optional.empty(),
                1,
                1,
                new TaskBody(
                        "own",
                        Optional.of(new Execution.Command(List.of("true"), List.of(), Optional.empty())),
                        List.of(),
                        Map.of(),
                        Optional.empty(),
                        RetryBackoff.NONE));
    }

    private static String uid(KubernetesClient client, String name) {
        return client.resources(Task.class).withName(name).get().getMetadata().getUid();
    }

    private List<String> trees(RedisStore store) {
        return store.ask(c -> c.hkeys(keyspace.trees()));
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
