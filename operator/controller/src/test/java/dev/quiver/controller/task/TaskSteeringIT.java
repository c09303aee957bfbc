package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

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
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.lifecycle.redis.RedisStore;

/** The fields that a person may change on a Task while it goes on. */
@ExtendWith(ApiServer.class)
class TaskSteeringIT {

    private static final String POOL = "steered";

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private static NoopWorker worker;

    @BeforeAll
    static void work(KubernetesClient client) {
        client.resource(Samples.serving(POOL, 1)).create();
        Pod pod = new Seen(client).awaitPods(POOL, 1).getFirst();
        new Kubelet(client).allReady(POOL);
        worker = new Seen(client).awaitWorker(pod, OPERATOR.redisUri());
        worker.serve("f");
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

    @Test
    void cancelEndsItAndTheNodeAtTheEndRunsOnce(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "cancelled",
                        Samples.tree(
                                        POOL,
                                        TaskNode.ofGroup("all", "a", "b"),
                                        TaskNode.ofHandler("a", "f"),
                                        TaskNode.ofHandler("b", "f"),
                                        TaskNode.ofHandler("tidy", "f"))
                                .root("all")
                                .cleanup("tidy")))
                .create();
        Seen.until(() -> worker.claim(1), held -> held == 1);
        worker.pass("1");
        worker.claim(1);
        Samples.patch(client, Task.class, "cancelled", "\"cancel\":true,\"suspend\":true");
        seen.awaitTask("cancelled", s -> s.state() == TaskState.FINISHED);
        assertThat(Seen.condition(seen.task("cancelled").orElseThrow().conditions(), ConditionType.Finished)
                        .getStatus())
                .as("the node at the end has still to run")
                .isEqualTo("False");
        worker.pass("2");
        Seen.until(() -> worker.claim(4), held -> held == 1);
        assertThat(worker.names()).containsExactly("tidy");
        worker.pass("3");
        var finished = seen.awaitTask("cancelled", ConditionType.Finished, TreeReason.Cancelled);
        assertThat(finished.getStatus()).isEqualTo("True");
        assertThat(finished.getMessage()).isEqualTo("spec.cancel was set. 1 of 2 units of progress were done.");
        TaskStatus status = seen.task("cancelled").orElseThrow();
        assertThat(status.progress()).as("what came late does not count").isEqualTo("1/2");
        assertThat(status.nodes().locked()).isZero();
        assertThat(status.nodes().failed()).isEqualTo(2);
        assertThat(Seen.condition(status.conditions(), ConditionType.Suspended).getStatus())
                .isEqualTo("False");
        seen.awaitEvents("cancelled", "Cancelled");
    }

    @Test
    void cancelBeforeAnythingBeganEndsItToo(KubernetesClient client) {
        client.resource(Samples.task(
                        "stillborn",
                        Samples.tree(POOL, TaskNode.ofHandler("a", "f")).cancel(true)))
                .create();
        assertThat(new Seen(client)
                        .awaitTask("stillborn", ConditionType.Finished, TreeReason.Cancelled)
                        .getMessage())
                .contains("before anything was started");
    }

    @Test
    void anotherPriorityMovesWhatWaits(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        for (String name : List.of("first", "second")) {
            client.resource(Samples.task(name, Samples.tree(POOL, TaskNode.ofHandler(name, "f"))))
                    .create();
            seen.awaitTask(name, s -> s.state() == TaskState.STARTABLE);
        }
        Samples.patch(client, Task.class, "second", "\"relPriority\":3,\"tags\":[\"view\"]");
        seen.awaitTask("second", s -> s.observedGeneration() == 2);
        Seen.until(() -> worker.claim(1), held -> held == 1);
        assertThat(worker.names()).containsExactly("second");
    }

    @Test
    void deletionWhileItRunsLeavesNothingAndRefusesWhatComesLate(KubernetesClient client) throws InterruptedException {
        client.resource(Samples.task(
                        "deleted",
                        Samples.tree(
                                POOL,
                                TaskNode.ofGroup("all", "a", "b"),
                                TaskNode.ofHandler("a", "f"),
                                TaskNode.ofHandler("b", "f"))))
                .create();
        Seen.until(() -> worker.claim(1), held -> held == 1);
        String uid = client.resources(Task.class)
                .withName("deleted")
                .get()
                .getMetadata()
                .getUid();
        client.resources(Task.class).withName("deleted").delete();
        Seen.gone(() -> client.resources(Task.class).withName("deleted").get());
        worker.pass("1");
        assertThat(worker.claim(4)).isZero();
        try (RedisStore redis = OPERATOR.redis().open()) {
            List<String> fields = redis.ask(c -> c.keys("*:task:*")).stream()
                    .filter(key -> redis.ask(c -> c.type(key)).equals("hash"))
                    .flatMap(key -> redis.ask(c -> c.hkeys(key)).stream())
                    .toList();
            assertThat(fields).noneMatch(field -> field.startsWith(uid));
        }
    }

    @Test
    void suspendWithholdsNodesAndResumeGoesOn(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "rests",
                        Samples.tree(
                                POOL,
                                TaskNode.ofChain("all", "a", "b"),
                                TaskNode.ofHandler("a", "f"),
                                TaskNode.ofHandler("b", "f"))))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        Samples.patch(client, Task.class, "rests", "\"suspend\":true");
        assertThat(seen.awaitTask("rests", ConditionType.Suspended, TreeReason.Suspended)
                        .getStatus())
                .isEqualTo("True");
        seen.awaitTask("rests", ConditionType.Finished, TreeReason.Suspended);
        worker.pass("1");
        assertThat(worker.claim(4)).as("it is suspended").isZero();
        Samples.patch(client, Task.class, "rests", "\"suspend\":false");
        seen.awaitTask("rests", ConditionType.Suspended, TreeReason.NotSuspended);
        Seen.until(() -> worker.claim(4), held -> held == 1);
        assertThat(worker.names()).containsExactly("b");
        worker.pass("2");
        seen.awaitTask("rests", ConditionType.Finished, TaskReason.RootSucceeded);
        seen.awaitEvents("rests", "Suspended", "Resumed");
    }

    @Test
    void suspendedFromTheBeginningItBeginsWhenItIsResumed(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "asleep",
                        Samples.tree(POOL, TaskNode.ofHandler("a", "f")).suspend(true)))
                .create();
        seen.awaitTask("asleep", ConditionType.Finished, TreeReason.Suspended);
        assertThat(worker.claim(4)).isZero();
        Samples.patch(client, Task.class, "asleep", "\"suspend\":false");
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.pass("1");
        seen.awaitTask("asleep", ConditionType.Finished, TaskReason.RootSucceeded);
    }

    @Test
    void deadlineEndsATaskThatNobodyWorksAt(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "late",
                        Samples.tree(POOL, TaskNode.ofHandler("a", "unserved")).activeDeadlineSeconds(2L)))
                .create();
        assertThat(seen.awaitTask("late", ConditionType.Finished, TreeReason.DeadlineExceeded)
                        .getMessage())
                .isEqualTo("It took longer than spec.activeDeadlineSeconds: 2. 0 of 1 units of progress were done.");
    }

    @Test
    void deadlineMayBeChangedWhileItGoesOn(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "hurried",
                        Samples.tree(POOL, TaskNode.ofHandler("a", "f")).activeDeadlineSeconds(3L)))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        Samples.patch(client, Task.class, "hurried", "\"activeDeadlineSeconds\":3600");
        seen.awaitTask("hurried", s -> s.observedGeneration() == 2);
        Instant begun = Instant.parse(seen.task("hurried").orElseThrow().startTime());
        Seen.until(Instant::now, now -> now.isAfter(begun.plusSeconds(6)));
        assertThat(Seen.condition(seen.task("hurried").orElseThrow().conditions(), ConditionType.Finished)
                        .getReason())
                .isEqualTo("Running");
        Samples.patch(client, Task.class, "hurried", "\"activeDeadlineSeconds\":1");
        seen.awaitTask("hurried", ConditionType.Finished, TreeReason.DeadlineExceeded);
    }

    @Test
    void beginsAtItsTime(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        String time =
                Instant.now().plusSeconds(8).truncatedTo(ChronoUnit.SECONDS).toString();
        client.resource(Samples.task(
                        "timed",
                        Samples.tree(POOL, TaskNode.ofHandler("a", "f")).notBefore(time)))
                .create();
        assertThat(seen.awaitTask("timed", ConditionType.Finished, TreeReason.Postponed)
                        .getMessage())
                .isEqualTo("It begins at spec.notBefore: " + time + ".");
        assertThat(worker.claim(4)).isZero();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        assertThat(Instant.now()).isAfterOrEqualTo(Instant.parse(time));
        worker.pass("1");
        seen.awaitTask("timed", ConditionType.Finished, TaskReason.RootSucceeded);
    }

    @Test
    void finishedTaskGoesWhenItsTimeToLiveIsOver(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "brief",
                        Samples.tree(POOL, TaskNode.ofHandler("a", "f")).ttlSecondsAfterFinished(1L)))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.pass("1");
        seen.awaitEvents("brief", "RootSucceeded");
        Seen.gone(() -> client.resources(Task.class).withName("brief").get());
    }

    @Test
    void statusOfAFinishedTaskHasTheGenerationOfAChangedSpec(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "changed",
                        Samples.tree(POOL, TaskNode.ofHandler("a", "f")).cancel(true)))
                .create();
        seen.awaitTask("changed", ConditionType.Finished, TreeReason.Cancelled);
        Samples.patch(client, Task.class, "changed", "\"suspend\":true");
        TaskStatus status = Seen.until(
                () -> seen.task("changed").orElseThrow(),
                now -> now.conditions().stream().allMatch(condition -> condition.getObservedGeneration() == 2));
        assertThat(Seen.condition(status.conditions(), ConditionType.Finished).getReason())
                .isEqualTo("Cancelled");
    }
}
