package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.kube.ServerSideApply;
import dev.quiver.controller.rig.Kubelet;
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
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.lifecycle.redis.RedisStore;

/** The way of a run: from apply to finished to deleted. */
@ExtendWith(ApiServer.class)
class OperatorIT {

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    @Test
    void runsFromApplyToFinishedAndLeavesNoKeyWhenDeleted(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        Kubelet kubelet = new Kubelet(client);
        client.resource(Samples.set("specs", Samples.counted(10))).create();
        Pod pod = seen.awaitPods("tset-specs", 1).getFirst();
        kubelet.allReady("tset-specs");
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            Seen.until(() -> worker.claim(4), held -> held == 4);
            worker.fail();
            worker.claim(3);
            TaskSetStatus running = seen.awaitRun(
                    "specs",
                    s -> s.running() != null && s.running() == 3 && s.workers().equals("1/1"));
            assertThat(running.total()).isEqualTo(10);
            assertThat(running.failures()).hasSize(4).allMatch(f -> f.reason().equals("NonZeroExit"));
            worker.pass();
            assertThat(worker.passAll()).isEqualTo(7);
        }

        TaskSetStatus status = seen.awaitRun("specs", s -> reason(s).equals("AllTasksSucceeded"));
        assertThat(status.progress()).isEqualTo("10/10");
        assertThat(status.percent()).isEqualTo(100);
        assertThat(status.trials()).isEqualTo(14);
        assertThat(status.completionTime()).isNotNull();
        assertThat(status.eta()).isNull();
        assertThat(Seen.condition(status.conditions(), ConditionType.Succeeded).getMessage())
                .isEqualTo("All 10 tasks passed, in 14 trials.");
        seen.awaitEvents("specs", "Accepted", "AllTasksSucceeded");
        assertThat(managers(client)).containsOnly(ServerSideApply.FIELD_MANAGER);

        Seen.gone(() -> {
            kubelet.finish("tset-specs");
            return client.resources(WorkerPool.class).withName("tset-specs").get();
        });
        client.resources(TaskSet.class).withName("specs").delete();
        Seen.gone(() -> client.resources(TaskSet.class).withName("specs").get());
        assertThat(keys()).isEmpty();
    }

    @Test
    void tasksThatFailAllTheirTrialsFailTheRun(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.set("bad", Samples.counted(2).maxTrials(2))).create();
        Pod pod = seen.awaitPods("tset-bad", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            Seen.until(() -> worker.claim(2), held -> held == 2);
            do {
                worker.fail();
            } while (worker.claim(2) > 0);
        }
        var finished = seen.awaitRun("bad", ConditionType.Finished, TaskSetReason.TasksFailed);
        assertThat(finished.getStatus()).isEqualTo("True");
        assertThat(finished.getMessage())
                .startsWith("2 of 2 tasks failed. First: task ")
                .contains("NonZeroExit with exit code 3");
        assertThat(Seen.condition(seen.run("bad").orElseThrow().conditions(), ConditionType.Succeeded)
                        .getStatus())
                .isEqualTo("False");
    }

    @Test
    void theResourceStaysSmallHoweverLongTheWordsOfFailuresAre(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.set("wordy", Samples.counted(12).maxTrials(1))).create();
        Pod pod = seen.awaitPods("tset-wordy", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            Seen.until(() -> worker.claim(4), held -> held == 4);
            do {
                worker.fail("<\u0007\">".repeat(128));
            } while (worker.claim(4) > 0);
        }
        TaskSetStatus status = seen.awaitRun("wordy", s -> reason(s).equals("TasksFailed"));
        assertThat(status.failures()).hasSize(8);
        String all = client.raw("/apis/quiver.dev/v1alpha1/namespaces/" + client.getNamespace() + "/tasksets/wordy");
        assertThat(all.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(8 * 1024);
    }

    @Test
    void aQuotaThatRefusesTheRunsPoolIsSaidInWords(KubernetesClient client) {
        Seen seen = new Seen(client);
        String pools = "count/workerpools.quiver.dev";
        client.resource(new ResourceQuotaBuilder()
                        .withNewMetadata()
                        .withName("no-pools")
                        .endMetadata()
                        .withNewSpec()
                        .addToHard(pools, new Quantity("0"))
                        .endSpec()
                        .build())
                .create();
        try {
            // The controller that counts is not here.
            client.resourceQuotas()
                    .withName("no-pools")
                    .editStatus(q -> new ResourceQuotaBuilder(q)
                            .withNewStatus()
                            .addToHard(pools, new Quantity("0"))
                            .addToUsed(pools, new Quantity("0"))
                            .endStatus()
                            .build());
            client.resource(Samples.set("poor", Samples.counted(3))).create();
            var refused = seen.awaitRun("poor", ConditionType.Finished, TaskSetReason.WorkerPoolRefused);
            assertThat(refused.getStatus()).isEqualTo("False");
            assertThat(refused.getMessage()).contains("WorkerPool tset-poor", "exceeded quota");
            Seen.until(() -> seen.events("poor"), e -> e.contains("WorkerPoolRefused"));
        } finally {
            client.resourceQuotas().withName("no-pools").delete();
        }
        Samples.patch(client, TaskSet.class, "poor", "\"replicas\":2");
        seen.awaitPods("tset-poor", 2);
    }

    @Test
    void aRunOfTheSameNameAwaitsThatThePoolOfTheEarlierOneIsGone(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        Kubelet kubelet = new Kubelet(client);
        client.resource(Samples.set("twice", Samples.counted(9))).create();
        seen.awaitPods("tset-twice", 1);
        kubelet.allReady("tset-twice");
        String earlier = poolUid(client, "tset-twice");
        client.resources(TaskSet.class).withName("twice").delete();
        Seen.gone(() -> client.resources(TaskSet.class).withName("twice").get());
        client.resource(Samples.set("twice", Samples.counted(3))).create();
        assertThat(seen.awaitRun("twice", ConditionType.Finished, TaskSetReason.Accepting)
                        .getMessage())
                .contains("WorkerPool tset-twice of an earlier TaskSet is still being removed");
        Seen.until(
                () -> {
                    kubelet.finish("tset-twice");
                    return poolUid(client, "tset-twice");
                },
                uid -> !uid.isEmpty() && !uid.equals(earlier));
        Pod pod = seen.awaitPods("tset-twice", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            Seen.until(worker::passAll, run -> run == 3);
        }
        seen.awaitRun("twice", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
        assertThat(seen.run("twice").orElseThrow().trials()).isEqualTo(3);
        assertThat(seen.events("twice")).doesNotContain("WorkerPoolNameTaken");
    }

    private static String poolUid(KubernetesClient client, String name) {
        WorkerPool pool = client.resources(WorkerPool.class).withName(name).get();
        return pool == null ? "" : pool.getMetadata().getUid();
    }

    @Test
    void scalesOwnWorkersThroughTheScaleSubresource(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.set("scaled", Samples.counted(100))).create();
        seen.awaitPods("tset-scaled", 1);
        client.resources(TaskSet.class).withName("scaled").scale(3);
        seen.awaitPods("tset-scaled", 3);
        TaskSetStatus status = seen.awaitRun("scaled", s -> s.replicas() != null && s.replicas() == 3);
        assertThat(status.selector()).isEqualTo("quiver.dev/pool=tset-scaled");
        client.resources(TaskSet.class).withName("scaled").scale(0);
        seen.awaitPods("tset-scaled", 0);
    }

    @Test
    void runsOnASharedPoolWithAsManyOfItsWorkersAsItSays(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.set(
                        "guest", Samples.counted(9).workerTemplate(null).workerPoolRef(new WorkerPoolRef("shared"))))
                .create();
        assertThat(seen.awaitRun("guest", ConditionType.Finished, TaskSetReason.WorkerPoolNotFound)
                        .getMessage())
                .contains("spec.workerPoolRef.name")
                .contains("shared");
        client.resource(Samples.pool("shared", 2)).create();
        List<Pod> pods = seen.awaitPods("shared", 2);
        try (NoopWorker one = seen.awaitWorker(pods.getFirst(), OPERATOR.redisUri());
                NoopWorker other = seen.awaitWorker(pods.getLast(), OPERATOR.redisUri())) {
            Seen.until(() -> one.claim(2), held -> held == 2);
            assertThat(other.claim(2)).as("replicas is 1: one worker").isZero();
            TaskSetStatus status = seen.awaitRun("guest", s -> s.running() != null && s.running() == 2);
            assertThat(status.workers()).isEqualTo("1/1");
            assertThat(status.selector()).isNull();
            one.pass();
            one.passAll();
        }
        seen.awaitRun("guest", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
        assertThat(client.resources(WorkerPool.class).withName("shared").get().isMarkedForDeletion())
                .isFalse();
    }

    @Test
    void aPoolThatBelongsToSomeoneElseIsNeverAdopted(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("tset-taken", 0)).create();
        client.resource(Samples.set("taken", Samples.counted(1))).create();
        assertThat(seen.awaitRun("taken", ConditionType.Finished, TaskSetReason.WorkerPoolNameTaken)
                        .getMessage())
                .contains("tset-taken");
        assertThat(client.resources(WorkerPool.class)
                        .withName("tset-taken")
                        .get()
                        .getMetadata()
                        .getOwnerReferences())
                .isEmpty();
        client.resources(WorkerPool.class).withName("tset-taken").delete();
        seen.awaitPods("tset-taken", 1);
    }

    private static String reason(TaskSetStatus status) {
        return Seen.condition(status.conditions(), ConditionType.Finished).getReason();
    }

    private static Stream<String> managers(KubernetesClient client) {
        return client.resources(TaskSet.class).withName("specs").get().getMetadata().getManagedFields().stream()
                .filter(f -> "status".equals(f.getSubresource()))
                .map(f -> f.getManager());
    }

    private static List<String> keys() {
        try (RedisStore redis = OPERATOR.redis().open()) {
            return redis.ask(c -> c.keys("*specs*")).stream()
                    .filter(k -> !k.endsWith("tombstone"))
                    .toList();
        }
    }
}
