package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConcurrencyPolicy;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskNodeBuilder;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskRun;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskScheduleBuilder;
import dev.quiver.crds.v1alpha1.TaskSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.lifecycle.redis.RedisStore;

/** A Task with a schedule: its runs, and all that a person may change on it. The time is set by hand in Redis. */
@ExtendWith(ApiServer.class)
class TaskScheduleIT {

    private static final String POOL = "nightly";
    private static final String EMPTY_POOL = "asleep";

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private static NoopWorker worker;

    @BeforeAll
    static void work(KubernetesClient client) {
        client.resource(Samples.serving(POOL, 1)).create();
        client.resource(Samples.serving(EMPTY_POOL, 0)).create();
        Pod pod = new Seen(client).awaitPods(POOL, 1).getFirst();
        new Kubelet(client).allReady(POOL);
        worker = new Seen(client).awaitWorker(pod, OPERATOR.redisUri());
        worker.serve("f", "g");
    }

    @AfterAll
    static void rest() {
        worker.close();
    }

    @AfterEach
    void clear(KubernetesClient client) throws InterruptedException {
        worker.pass();
        client.resources(Task.class).delete();
        Seen.until(() -> client.resources(Task.class).list().getItems(), List::isEmpty);
    }

    private static TaskScheduleBuilder yearly() {
        return TaskScheduleBuilder.builder(TaskSchedule.ofCron("@yearly"));
    }

    private static TaskSpecBuilder work(TaskScheduleBuilder schedule) {
        TaskNode once = TaskNodeBuilder.builder(TaskNode.ofHandler("a", "f"))
                .maxTrials(1)
                .build();
        return Samples.tree(POOL, once).schedule(schedule.build());
    }

    private static TaskStatus begin(KubernetesClient client, String name, TaskSpecBuilder spec) {
        client.resource(Samples.task(name, spec)).create();
        return new Seen(client).awaitTask(name, s -> s.schedule() != null);
    }

    /** Makes it due now, as if it had been accepted long ago. */
    private static void fire(KubernetesClient client, String name) {
        String uid =
                client.resources(Task.class).withName(name).get().getMetadata().getUid();
        try (RedisStore redis = OPERATOR.redis().open()) {
            String schedule = redis.ask(c -> c.keys("*:task:schedule:" + uid)).getFirst();
            String prefix = schedule.substring(0, schedule.indexOf("task:schedule:"));
            String before = redis.ask(c -> c.hget(schedule, "next_at"));
            long at = Instant.now().minusSeconds(1).toEpochMilli();
            redis.ask(c -> c.zrem(prefix + "task:commands", command(uid, before)));
            redis.ask(c -> c.hset(schedule, "next_at", Long.toString(at)));
            redis.ask(c -> c.zadd(prefix + "task:commands", at, command(uid, Long.toString(at))));
            redis.ask(c -> c.zadd(prefix + "delayed", at, "tasks:"));
        }
    }

    private static String command(String uid, String at) {
        return "fire\t" + uid + "\t" + at + "\t\t0";
    }

    private static void claimOne() {
        Seen.until(() -> worker.claim(4), held -> held == 1);
    }

    /** The keys of a Task, and the fields that name it. */
    private static List<String> left(String uid) {
        try (RedisStore redis = OPERATOR.redis().open()) {
            List<String> all = redis.ask(c -> c.keys("*:task:*"));
            return all.stream()
                    .flatMap(key -> key.contains(uid)
                            ? Stream.of(key)
                            : "hash".equals(redis.ask(c -> c.type(key)))
                                    ? redis.ask(c -> c.hkeys(key)).stream().filter(field -> field.startsWith(uid))
                                    : Stream.of())
                    .toList();
        }
    }

    private static Map<String, String> inRedis(String uid) {
        try (RedisStore redis = OPERATOR.redis().open()) {
            List<String> keys = redis.ask(c -> c.keys("*:task:schedule:" + uid));
            return keys.isEmpty() ? Map.of() : redis.ask(c -> c.hgetall(keys.getFirst()));
        }
    }

    @Test
    void limitsOfTheResourceAndTheirChangesReachRedis(KubernetesClient client) {
        begin(
                client,
                "limits",
                work(yearly().startingDeadlineSeconds(17)
                        .successfulRunsHistoryLimit(4)
                        .failedRunsHistoryLimit(6)
                        .concurrencyPolicy(ConcurrencyPolicy.Forbid)
                        .timeZone("Asia/Tokyo")));
        String uid = client.resources(Task.class)
                .withName("limits")
                .get()
                .getMetadata()
                .getUid();
        assertThat(inRedis(uid))
                .containsEntry("deadline", "17000")
                .containsEntry("keep_succeeded", "4")
                .containsEntry("keep_failed", "6")
                .containsEntry("policy", "Forbid")
                .containsEntry("zone", "Asia/Tokyo");
        client.resources(Task.class).withName("limits").edit(task -> {
            task.setSpec(work(yearly().successfulRunsHistoryLimit(0).failedRunsHistoryLimit(2))
                    .build());
            return task;
        });
        Seen.until(() -> inRedis(uid), fields -> "0".equals(fields.get("keep_succeeded")));
        assertThat(inRedis(uid)).containsEntry("keep_failed", "2").containsEntry("deadline", "");
    }

    @Test
    void runsAgainAndAgainUntilItIsDeleted(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        TaskStatus begun = begin(client, "again", work(yearly()));
        assertThat(begun.schedule().nextScheduleTime()).endsWith("-01-01T00:00:00Z");
        assertThat(begun.schedule().runs()).isEmpty();
        assertThat(begun.progress()).isNull();
        assertThat(seen.awaitTask("again", ConditionType.Finished, TreeReason.Scheduled)
                        .getStatus())
                .isEqualTo("False");
        fire(client, "again");
        claimOne();
        TaskStatus running =
                seen.awaitTask("again", s -> s.nodes() != null && s.nodes().locked() == 1);
        TaskRun run = running.schedule().runs().getFirst();
        assertThat(run.run()).isEqualTo(1);
        assertThat(run.state()).isEqualTo(TaskState.LOCKED);
        assertThat(run.scheduledTime()).isEqualTo(running.schedule().lastScheduleTime());
        assertThat(run.completionTime()).isNull();
        worker.pass("{\"pages\":1}");
        TaskStatus first = seen.awaitTask("again", s -> s.schedule().lastSuccessfulTime() != null);
        assertThat(first.result()).hasToString("{\"pages\":1}");
        assertThat(first.state()).isEqualTo(TaskState.FINISHED);
        assertThat(first.completionTime()).isNull();
        assertThat(first.schedule().runs().getFirst().reason()).isEqualTo("RootSucceeded");
        for (int i = 2; i <= 6; i++) {
            fire(client, "again");
            claimOne();
            if (i == 5) {
                worker.fail();
            } else {
                worker.pass("" + i);
            }
        }
        TaskStatus sixth = seen.awaitTask(
                "again",
                s -> s.schedule().runs().getFirst().run() == 6
                        && s.schedule().runs().getFirst().reason() != null);
        assertThat(sixth.schedule().runs()).extracting(TaskRun::run).containsExactly(6L, 5L, 4L, 3L);
        assertThat(sixth.schedule().runs())
                .extracting(TaskRun::reason)
                .element(1)
                .isEqualTo("NodeFailed");
        assertThat(sixth.result()).hasToString("6");
        assertThat(sixth.error()).isNull();
        assertThat(seen.columns("again")).startsWith("again", "finished", "1/1", "100", "Unknown");
        String uid = client.resources(Task.class)
                .withName("again")
                .get()
                .getMetadata()
                .getUid();
        Seen.until(() -> left(uid), keys -> keys.stream().noneMatch(key -> key.equals(uid + "-1")));
        client.resources(Task.class).withName("again").delete();
        Seen.gone(() -> client.resources(Task.class).withName("again").get());
        Seen.until(
                () -> left(uid).stream()
                        .filter(key -> !key.contains("tombstone"))
                        .toList(),
                List::isEmpty);
    }

    @Test
    void operatorFiresForAPoolWithoutWorkers(KubernetesClient client) {
        Seen seen = new Seen(client);
        begin(
                client,
                "asleep",
                Samples.tree(EMPTY_POOL, TaskNode.ofHandler("a", "f")).schedule(yearly().build()));
        fire(client, "asleep");
        TaskStatus fired =
                seen.awaitTask("asleep", s -> s.nodes() != null && s.nodes().startable() == 1);
        assertThat(fired.schedule().runs()).hasSize(1);
        seen.awaitTask(
                "asleep",
                s -> Seen.condition(s.conditions(), ConditionType.Finished)
                        .getMessage()
                        .contains("1 node waits and no worker is ready"));
    }

    @Test
    void suspendWithholdsRunsAndStopsThoseThatGoOn(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        begin(client, "paused", work(yearly()));
        fire(client, "paused");
        seen.awaitTask("paused", s -> s.nodes() != null && s.nodes().startable() == 1);
        Samples.patch(client, Task.class, "paused", "\"suspend\":true");
        seen.awaitTask("paused", ConditionType.Suspended, TreeReason.Suspended);
        assertThat(seen.awaitTask("paused", s -> s.schedule().nextScheduleTime() == null)
                        .schedule()
                        .runs())
                .hasSize(1);
        assertThat(worker.claim(4)).isZero();
        fire(client, "paused");
        seen.awaitTask("paused", s -> s.schedule().missed() == 1);
        Samples.patch(client, Task.class, "paused", "\"suspend\":false");
        claimOne();
        worker.pass("1");
        seen.awaitTask("paused", s -> s.schedule().lastSuccessfulTime() != null);
        Samples.patch(client, Task.class, "paused", "\"schedule\":{\"suspend\":true}");
        seen.awaitTask(
                "paused",
                s -> Seen.condition(s.conditions(), ConditionType.Finished)
                        .getMessage()
                        .contains("spec.schedule.suspend is true"));
        fire(client, "paused");
        seen.awaitTask("paused", s -> s.schedule().missed() == 2);
        assertThat(seen.awaitTask("paused", ConditionType.Suspended, TreeReason.NotSuspended)
                        .getStatus())
                .isEqualTo("False");
    }

    @Test
    void cancelEndsTheScheduleAndItsRuns(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        begin(client, "over", work(yearly()));
        fire(client, "over");
        seen.awaitTask("over", s -> s.schedule().runs().size() == 1);
        fire(client, "over");
        seen.awaitTask("over", s -> s.schedule().runs().size() == 2);
        Seen.until(() -> worker.claim(4), held -> held == 2);
        Samples.patch(client, Task.class, "over", "\"cancel\":true");
        var finished = seen.awaitTask("over", ConditionType.Finished, TreeReason.Cancelled);
        assertThat(finished.getStatus()).isEqualTo("True");
        TaskStatus status = seen.task("over").orElseThrow();
        assertThat(status.completionTime()).isNotNull();
        assertThat(status.schedule().nextScheduleTime()).isNull();
        assertThat(status.schedule().runs())
                .isNotEmpty()
                .allMatch(run -> run.reason().equals("Cancelled"));
        begin(client, "unborn", work(yearly()));
        Samples.patch(client, Task.class, "unborn", "\"cancel\":true");
        seen.awaitTask("unborn", ConditionType.Finished, TreeReason.Cancelled);
    }

    @Test
    void nextRunTakesWhatWasChanged(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        TaskStatus before = begin(client, "edited", work(yearly().concurrencyPolicy(ConcurrencyPolicy.Forbid)));
        fire(client, "edited");
        claimOne();
        Samples.patch(
                client,
                Task.class,
                "edited",
                "\"nodes\":[{\"name\":\"b\",\"handler\":\"g\"}],\"schedule\":{\"cron\":\"0 12 31 12 *\"}");
        TaskStatus after = seen.awaitTask("edited", s -> !s.workHash().equals(before.workHash()));
        assertThat(after.schedule().nextScheduleTime()).endsWith("-12-31T12:00:00Z");
        fire(client, "edited");
        assertThat(seen.awaitTask("edited", s -> s.schedule().missed() == 1)
                        .schedule()
                        .runs())
                .as("overlap is forbidden")
                .hasSize(1);
        worker.pass("1");
        fire(client, "edited");
        claimOne();
        assertThat(worker.names()).containsExactly("b");
    }

    @Test
    void changeThatCannotWorkEndsNothing(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        begin(client, "typo", work(yearly()));
        fire(client, "typo");
        claimOne();
        Samples.patch(client, Task.class, "typo", "\"schedule\":{\"timeZone\":\"Europe/Belrin\"}");
        assertThat(seen.awaitTask("typo", ConditionType.Finished, TreeReason.ScheduleInvalid))
                .returns("False", Condition::getStatus)
                .satisfies(it -> assertThat(it.getMessage()).contains("Europe/Belrin", "as they were before"));
        seen.awaitEvents("typo", "ScheduleInvalid");
        worker.pass("1");
        TaskStatus first = seen.awaitTask("typo", s -> s.schedule().lastSuccessfulTime() != null);
        assertThat(first.schedule().nextScheduleTime()).endsWith("-01-01T00:00:00Z");
        Samples.patch(
                client,
                Task.class,
                "typo",
                "\"nodes\":[{\"name\":\"b\",\"chain\":[\"b\"]}],\"schedule\":{\"timeZone\":\"Etc/UTC\"}");
        seen.awaitTask("typo", ConditionType.Finished, TaskReason.GraphInvalid);
        fire(client, "typo");
        claimOne();
        assertThat(worker.names()).as("the work of before").containsExactly("a");
        worker.pass("2");
        Samples.patch(client, Task.class, "typo", "\"suspend\":true");
        seen.awaitTask("typo", s -> s.schedule().nextScheduleTime() == null);
        fire(client, "typo");
        seen.awaitTask("typo", s -> s.schedule().missed() == 1);
        Samples.patch(client, Task.class, "typo", "\"suspend\":false,\"nodes\":[{\"name\":\"b\",\"handler\":\"g\"}]");
        seen.awaitTask("typo", ConditionType.Finished, TreeReason.Scheduled);
        fire(client, "typo");
        claimOne();
        assertThat(worker.names()).containsExactly("b");
    }

    @Test
    void timesThatCannotBeComputedEndTheTask(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.task("never", work(TaskScheduleBuilder.builder(TaskSchedule.ofCron("0 0 30 2 *")))))
                .create();
        assertThat(seen.awaitTask("never", ConditionType.Finished, TreeReason.ScheduleInvalid)
                        .getMessage())
                .isEqualTo("spec.schedule: cron \"0 0 30 2 *\" never comes: there is no such day.");
        client.resource(Samples.task("nowhere", work(yearly().timeZone("Europe/Atlantis"))))
                .create();
        assertThat(seen.awaitTask("nowhere", ConditionType.Finished, TreeReason.ScheduleInvalid)
                        .getMessage())
                .contains("time zone \"Europe/Atlantis\" is unknown");
    }

    @Test
    void lossOfItsStateEndsItOrBeginsItAnew(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        begin(client, "lost", work(yearly()));
        begin(client, "found", work(yearly()).storeLossPolicy(StoreLossPolicy.Resubmit));
        fire(client, "found");
        claimOne();
        worker.pass("1");
        seen.awaitTask("found", s -> s.schedule().lastSuccessfulTime() != null);
        try (RedisStore redis = OPERATOR.redis().open()) {
            List<String> keys = redis.ask(c -> c.keys("*:task:*"));
            redis.ask(c -> c.del(keys.toArray(String[]::new)));
        }
        Samples.patch(client, Task.class, "lost", "\"ttlSecondsAfterFinished\":1000");
        Samples.patch(client, Task.class, "found", "\"ttlSecondsAfterFinished\":1000");
        seen.awaitTask("lost", ConditionType.Finished, TreeReason.StoreLost);
        seen.awaitEvents("found", "StoreLost");
        seen.awaitTask("found", s -> s.schedule().runs().isEmpty());
        fire(client, "found");
        claimOne();
        worker.pass("2");
        assertThat(seen.awaitTask("found", s -> !s.schedule().runs().isEmpty())
                        .schedule()
                        .runs()
                        .getFirst()
                        .run())
                .isEqualTo(2);
    }
}
