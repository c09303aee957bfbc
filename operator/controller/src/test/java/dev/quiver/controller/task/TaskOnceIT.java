package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskNodeBuilder;
import dev.quiver.crds.v1alpha1.TaskOnce;
import dev.quiver.crds.v1alpha1.TaskOnceUntil;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskRun;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.producer.Submission;
import dev.quiver.lifecycle.task.producer.TaskProducer;

/** Tasks with a name that one of them has at a time. */
@ExtendWith(ApiServer.class)
class TaskOnceIT {

    private static final AtomicInteger POOLS = new AtomicInteger();

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private final String pool = "syncs-" + POOLS.incrementAndGet();
    private final String name = "sync:" + pool;

    private KubernetesClient client;
    private Seen seen;
    private NoopWorker worker;

    @BeforeEach
    void begin(KubernetesClient given) {
        client = given;
        seen = new Seen(client);
        client.resource(Samples.serving(pool, 1)).create();
        Pod pod = seen.awaitPods(pool, 1).getFirst();
        new Kubelet(client).allReady(pool);
        worker = seen.awaitWorker(pod, OPERATOR.redisUri());
        worker.serve("f");
    }

    @AfterEach
    void end() {
        worker.close();
        client.resources(Task.class).delete();
        Seen.until(() -> client.resources(Task.class).list().getItems(), List::isEmpty);
    }

    private TaskSpecBuilder sync(TaskOnceUntil until, boolean replace) {
        TaskNode node = TaskNodeBuilder.builder(TaskNode.ofHandler("sync", "f"))
                .maxTrials(1)
                .once(new TaskOnce(name, until, replace))
                .build();
        return Samples.tree(pool, node);
    }

    private String create(String task, TaskSpecBuilder spec) {
        return client.resource(Samples.task(task, spec)).create().getMetadata().getUid();
    }

    private String accepted(String task, TaskSpecBuilder spec) {
        String uid = create(task, spec);
        seen.awaitTask(task, status -> status.progress() != null);
        return uid;
    }

    private void claim() {
        Seen.until(() -> worker.claim(1), held -> held == 1);
    }

    private Condition ended(String task, TaskReason reason) {
        Condition finished = seen.awaitTask(task, ConditionType.Finished, reason);
        assertThat(finished.getStatus()).isEqualTo("True");
        assertThat(Seen.condition(seen.task(task).orElseThrow().conditions(), ConditionType.Succeeded))
                .returns("False", Condition::getStatus)
                .returns(reason.name(), Condition::getReason);
        return finished;
    }

    @Test
    void secondOneDoesNotRunAndNamesTheFirst() throws InterruptedException {
        String uid = accepted("first", sync(TaskOnceUntil.Start, false));
        create("second", sync(TaskOnceUntil.Start, false));
        assertThat(ended("second", TaskReason.AlreadyQueued).getMessage())
                .isEqualTo("It did not run: Task first (" + uid + ") waits under the name \"" + name + "\".");
        seen.awaitEvents("second", "AlreadyQueued");
        assertThat(seen.columns("second")).contains("False");
        claim();
        accepted("third", sync(TaskOnceUntil.Start, false));
        worker.pass("1");
        claim();
        worker.pass("3");
        seen.awaitTask("first", ConditionType.Finished, TaskReason.RootSucceeded);
        seen.awaitTask("third", ConditionType.Finished, TaskReason.RootSucceeded);
    }

    @Test
    void nameIsKeptToTheEndAndIsFreeOnceItsTaskIsDeleted() {
        accepted("first", sync(null, false));
        claim();
        create("second", sync(null, false));
        assertThat(ended("second", TaskReason.AlreadyQueued).getMessage()).contains("Task first (", ") goes on under");
        client.resources(Task.class).withName("first").delete();
        Seen.gone(() -> client.resources(Task.class).withName("first").get());
        accepted("third", sync(null, false));
        assertThat(seen.task("third").orElseThrow().completionTime()).isNull();
    }

    @Test
    void suspendedOneKeepsNobodyFromWaiting() {
        accepted("first", sync(TaskOnceUntil.Start, false));
        Samples.patch(client, Task.class, "first", "\"suspend\":true");
        seen.awaitTask(
                "first",
                status -> Seen.condition(status.conditions(), ConditionType.Suspended)
                        .getStatus()
                        .equals("True"));
        accepted("second", sync(TaskOnceUntil.Start, false));
        claim();
    }

    @Test
    void newestTakesThePlaceOfAProgramsTaskAndIsReplacedByOne() {
        submit("before");
        String uid = accepted("newer", sync(TaskOnceUntil.Start, true));
        submit("after");
        assertThat(ended("newer", TaskReason.Replaced).getMessage())
                .isEqualTo("It gave way: a newer task of the same name took its place while it waited: task after.");
        seen.awaitEvents("newer", "Replaced");
        try (RedisStore redis = OPERATOR.redis().open()) {
            String key = Keyspace.ofNamespace(client.getNamespace()).prefix() + "task:results";
            String end = redis.ask(c -> c.hget(key, "before"));
            assertThat(end).contains("Replaced", "Task newer (" + uid + ")");
        }
    }

    private void submit(String id) {
        try (RedisStore redis = OPERATOR.redis().open()) {
            TaskBody body = new TaskBody(
                    id,
                    Optional.of(new Execution.Handler("f")),
                    List.of(),
                    Map.of(),
                    Optional.empty(),
                    RetryBackoff.NONE);
            TaskTree tree = new TaskTree(
                    id,
                    new TreeNode.Leaf(pool, Optional.of("f"), 1, 1, body),
                    Optional.empty(),
                    false,
                    Optional.empty(),
                    Duration.ZERO,
                    Optional.of(Duration.ofHours(1)));
            new TaskProducer(redis, Keyspace.ofNamespace(client.getNamespace()), () -> {})
                    .submit(
                            Submission.named(tree, new OnceName(name, OnceName.Only.THE_NEWEST)),
                            Duration.ofSeconds(60));
        }
    }

    @Test
    void runOfAScheduleIsMissedWhileTheLastOneWaits() throws InterruptedException {
        String uid = create("nightly", sync(TaskOnceUntil.Start, false).schedule(TaskSchedule.ofCron("@yearly")));
        seen.awaitTask("nightly", status -> status.schedule() != null);
        fire(uid);
        seen.awaitTask("nightly", status -> status.schedule().runs().size() == 1);
        fire(uid);
        TaskStatus missed =
                seen.awaitTask("nightly", status -> status.schedule().missed() == 1);
        assertThat(missed.schedule().runs()).extracting(TaskRun::run).containsExactly(1L);
        create("beside", sync(TaskOnceUntil.Start, false));
        assertThat(ended("beside", TaskReason.AlreadyQueued).getMessage()).contains("Task nightly (" + uid + "-1)");
        claim();
        fire(uid);
        seen.awaitTask("nightly", status -> status.schedule().runs().size() == 2);
        create("newer", sync(TaskOnceUntil.Start, true));
        TaskStatus replaced = seen.awaitTask(
                "nightly", status -> status.schedule().runs().getFirst().reason() != null);
        assertThat(replaced.schedule().runs().getFirst().reason()).isEqualTo("Replaced");
        worker.pass("1");
    }

    /** Makes it due now, as if it had been accepted long ago. */
    private void fire(String uid) {
        try (RedisStore redis = OPERATOR.redis().open()) {
            String prefix = Keyspace.ofNamespace(client.getNamespace()).prefix();
            String schedule = prefix + "task:schedule:" + uid;
            String before = redis.ask(c -> c.hget(schedule, "next_at"));
            long at = Instant.now().minusSeconds(1).toEpochMilli();
            redis.ask(c -> c.zrem(prefix + "task:commands", "fire\t" + uid + "\t" + before + "\t\t0"));
            redis.ask(c -> c.hset(schedule, "next_at", Long.toString(at)));
            redis.ask(c -> c.zadd(prefix + "task:commands", at, "fire\t" + uid + "\t" + at + "\t\t0"));
            redis.ask(c -> c.zadd(prefix + "delayed", at, "tasks:"));
        }
    }
}
