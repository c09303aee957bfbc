package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;

/** The ends that a person, or time, gives a run: suspend, resume, cancel, deadline, time to live. */
@ExtendWith(ApiServer.class)
class RunEndsIT {

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    @Test
    void cancelEndsTheRunAndItsWorkers(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.set("cancelled", Samples.counted(10))).create();
        var pod = seen.awaitPods("tset-cancelled", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            Seen.until(() -> worker.claim(2), held -> held == 2);
            worker.pass();
            worker.claim(2);
            Samples.patch(client, TaskSet.class, "cancelled", "\"cancel\":true");
            var finished = seen.awaitRun("cancelled", ConditionType.Finished, TaskSetReason.Cancelled);
            assertThat(finished.getStatus()).isEqualTo("True");
            assertThat(finished.getMessage()).contains("2 of 10 tasks were decided");
            worker.pass();
        }
        TaskSetStatus status = seen.run("cancelled").orElseThrow();
        assertThat(status.succeeded()).as("what came late does not count").isEqualTo(2);
        assertThat(status.running()).isZero();
        Seen.gone(() ->
                client.resources(WorkerPool.class).withName("tset-cancelled").get());
    }

    @Test
    void cancelBeforeAnythingBeganEndsItToo(KubernetesClient client) {
        client.resource(Samples.set("stillborn", Samples.counted(3).cancel(true)))
                .create();
        assertThat(new Seen(client)
                        .awaitRun("stillborn", ConditionType.Finished, TaskSetReason.Cancelled)
                        .getMessage())
                .contains("before any task was started");
    }

    @Test
    void whatIsSaidOfAFinishedRunIsSaidOfAChangedSpecToo(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.set("changed", Samples.counted(3).cancel(true))).create();
        seen.awaitRun("changed", ConditionType.Finished, TaskSetReason.Cancelled);
        Samples.patch(client, TaskSet.class, "changed", "\"replicas\":5");
        TaskSetStatus status = Seen.until(
                () -> seen.run("changed").orElseThrow(),
                now -> now.conditions().stream().allMatch(condition -> condition.getObservedGeneration() == 2));
        assertThat(status.observedGeneration()).isEqualTo(2);
        assertThat(status.workers()).isEqualTo("0/5");
        assertThat(Seen.condition(status.conditions(), ConditionType.Finished).getReason())
                .isEqualTo("Cancelled");
    }

    @Test
    void cancelWinsOverSuspendInTheSamePatch(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.set("both", Samples.counted(4))).create();
        var pod = seen.awaitPods("tset-both", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            Seen.until(() -> worker.claim(2), held -> held == 2);
            Samples.patch(client, TaskSet.class, "both", "\"suspend\":true,\"cancel\":true");
            var finished = seen.awaitRun("both", ConditionType.Finished, TaskSetReason.Cancelled);
            assertThat(finished.getStatus()).isEqualTo("True");
            worker.pass();
        }
        TaskSetStatus status = seen.run("both").orElseThrow();
        assertThat(status.succeeded()).isZero();
        assertThat(Seen.condition(status.conditions(), ConditionType.Suspended).getStatus())
                .isEqualTo("False");
    }

    @Test
    void suspendReleasesTheWorkersAndResumeGoesOn(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.set("rests", Samples.counted(6))).create();
        var pod = seen.awaitPods("tset-rests", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            Seen.until(() -> worker.claim(2), held -> held == 2);
            worker.pass();
            Samples.patch(client, TaskSet.class, "rests", "\"suspend\":true");
            assertThat(seen.awaitRun("rests", ConditionType.Suspended, TaskSetReason.Suspended)
                            .getStatus())
                    .isEqualTo("True");
            assertThat(worker.claim(2)).isZero();
        }
        seen.awaitPods("tset-rests", 0);
        assertThat(client.resources(TaskSet.class)
                        .withName("rests")
                        .get()
                        .getSpec()
                        .replicas())
                .isEqualTo(1);

        Samples.patch(client, TaskSet.class, "rests", "\"suspend\":false");
        seen.awaitRun("rests", ConditionType.Suspended, TaskSetReason.NotSuspended);
        var again = seen.awaitPods("tset-rests", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(again, OPERATOR.redisUri())) {
            Seen.until(() -> worker.passAll(), run -> run == 4);
        }
        seen.awaitRun("rests", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
        seen.awaitEvents("rests", "Suspended", "Resumed");
    }

    @Test
    void theDeadlineEndsARunThatHasNoWorker(KubernetesClient client) {
        client.resource(Samples.set("late", Samples.counted(3).replicas(0).activeDeadlineSeconds(2L)))
                .create();
        assertThat(new Seen(client)
                        .awaitRun("late", ConditionType.Finished, TaskSetReason.DeadlineExceeded)
                        .getMessage())
                .contains("spec.activeDeadlineSeconds: 2")
                .contains("0 of 3 tasks were decided");
    }

    @Test
    void theDeadlineMayBeSetWhileTheRunGoesOn(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.set("hurried", Samples.counted(3).replicas(0))).create();
        seen.awaitRun("hurried", s -> s.total() != null);
        Samples.patch(client, TaskSet.class, "hurried", "\"activeDeadlineSeconds\":1");
        seen.awaitRun("hurried", ConditionType.Finished, TaskSetReason.DeadlineExceeded);
    }

    @Test
    void withATimeToLiveOfNoughtItGoesAsSoonAsItFinished(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.set("fleeting", Samples.counted(3).ttlSecondsAfterFinished(0L)))
                .create();
        var pod = seen.awaitPods("tset-fleeting", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            Seen.until(worker::passAll, run -> run == 3);
        }
        Seen.gone(() -> client.resources(TaskSet.class).withName("fleeting").get());
        seen.awaitEvents("fleeting", "AllTasksSucceeded");
        Seen.gone(() ->
                client.resources(WorkerPool.class).withName("tset-fleeting").get());
    }

    @Test
    void aFinishedRunGoesWhenItsTimeToLiveIsOver(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.set("brief", Samples.counted(3).cancel(true).ttlSecondsAfterFinished(2L)))
                .create();
        Seen.gone(() -> client.resources(TaskSet.class).withName("brief").get());
        seen.awaitEvents("brief", "Cancelled");
    }
}
