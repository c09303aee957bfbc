package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.ResourceQuotaStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetStatus;

/** A TaskSet with a schedule: its runs are TaskSets, and all that a person may change on it reaches them. */
@ExtendWith(ApiServer.class)
class TaskSetScheduleIT {

    /** The run of the first of January 2026. */
    private static final String MINUTE = "29453760";

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private static TaskSetStatus begin(KubernetesClient client, String name) {
        return begin(client, name, TaskSchedule.ofCron("@yearly"));
    }

    private static TaskSetStatus begin(KubernetesClient client, String name, TaskSchedule schedule) {
        client.resource(Samples.set(name, Samples.counted(2).schedule(schedule)))
                .create();
        return new Seen(client)
                .awaitRun(name, s -> s.schedule() != null && s.schedule().nextScheduleTime() != null);
    }

    /** Puts the schedule back to the end of 2025, as if no operator had been there since. */
    private static void fire(KubernetesClient client, String name) {
        client.resources(TaskSet.class)
                .withName(name)
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), """
                        {"status": {"schedule": {"settledTime": "2025-12-31T23:00:00Z",
                        "nextScheduleTime": "2026-01-01T00:00:00Z"}}}""");
        touch(client, name);
    }

    /** A change of the spec that changes nothing: it reconciles. */
    private static void touch(KubernetesClient client, String name) {
        int limit = Optional.ofNullable(client.resources(TaskSet.class)
                        .withName(name)
                        .get()
                        .getSpec()
                        .schedule()
                        .failedRunsHistoryLimit())
                .orElse(1);
        Samples.patch(
                client, TaskSet.class, name, "\"schedule\":{\"failedRunsHistoryLimit\":" + (limit == 5 ? 6 : 5) + "}");
    }

    private static TaskSet awaitSet(KubernetesClient client, String name) {
        return Seen.until(
                        () -> Optional.ofNullable(
                                client.resources(TaskSet.class).withName(name).get()),
                        Optional::isPresent)
                .orElseThrow();
    }

    @Test
    void aRunIsATaskSetWhoseEndStandsInTheSchedule(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        TaskSetStatus waits = begin(client, "yearly");
        assertThat(Seen.condition(waits.conditions(), ConditionType.Finished).getReason())
                .isEqualTo("Scheduled");
        fire(client, "yearly");
        String name = "yearly-" + MINUTE;
        TaskSet run = awaitSet(client, name);
        assertThat(run.getMetadata().getLabels()).containsEntry("quiver.dev/schedule", "yearly");
        Pod pod = seen.awaitPods("tset-" + name, 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            Seen.until(() -> worker.claim(2), held -> held == 2);
            seen.awaitRun("yearly", s -> s.running() != null && s.running() == 2);
            worker.pass();
        }
        TaskSetStatus after = seen.awaitRun("yearly", s -> s.schedule().lastSuccessfulTime() != null);
        assertThat(after.progress()).isEqualTo("2/2");
        assertThat(after.schedule().lastScheduleTime()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(after.schedule().nextScheduleTime()).isEqualTo("2027-01-01T00:00:00Z");
        assertThat(after.schedule().runs()).singleElement().satisfies(row -> {
            assertThat(row.name()).isEqualTo(name);
            assertThat(row.reason()).isEqualTo("AllTasksSucceeded");
            assertThat(row.completionTime()).isNotNull();
        });
        assertThat(Seen.condition(after.conditions(), ConditionType.Finished).getStatus())
                .isEqualTo("False");
        seen.awaitEvents("yearly", "RunBegun");
    }

    @Test
    void replicasSuspendAndCancelReachTheRun(KubernetesClient client) {
        Seen seen = new Seen(client);
        begin(client, "steered");
        fire(client, "steered");
        String name = "steered-" + MINUTE;
        awaitSet(client, name);
        Samples.patch(
                client, TaskSet.class, "steered", "\"replicas\":3,\"activeDeadlineSeconds\":77,\"maxParallelTasks\":5");
        Seen.until(
                () -> awaitSet(client, name).getSpec(),
                spec -> spec.replicas() == 3
                        && Long.valueOf(77).equals(spec.activeDeadlineSeconds())
                        && Integer.valueOf(5).equals(spec.maxParallelTasks()));
        Samples.patch(client, TaskSet.class, name, "\"replicas\":9");
        Seen.until(() -> awaitSet(client, name).getSpec().replicas(), replicas -> replicas == 3);
        Samples.patch(client, TaskSet.class, "steered", "\"suspend\":true");
        Seen.until(() -> awaitSet(client, name).getSpec(), spec -> spec.suspend());
        seen.awaitRun("steered", ConditionType.Finished, TaskSetReason.Suspended);
        Samples.patch(client, TaskSet.class, "steered", "\"suspend\":false");
        Seen.until(() -> awaitSet(client, name).getSpec(), spec -> !spec.suspend());
        Samples.patch(client, TaskSet.class, "steered", "\"cancel\":true");
        seen.awaitRun(name, ConditionType.Finished, TaskSetReason.Cancelled);
        var end = seen.awaitRun("steered", ConditionType.Finished, TaskSetReason.Cancelled);
        Seen.until(
                () -> Seen.condition(seen.run("steered").orElseThrow().conditions(), ConditionType.Finished),
                condition -> condition.getStatus().equals("True"));
        assertThat(end.getReason()).isEqualTo("Cancelled");
    }

    @Test
    void aTimeMakesOneRunEvenIfTheStatusForgetsIt(KubernetesClient client) {
        begin(client, "once");
        fire(client, "once");
        TaskSet first = awaitSet(client, "once-" + MINUTE);
        fire(client, "once");
        new Seen(client)
                .awaitRun(
                        "once", s -> "2027-01-01T00:00:00Z".equals(s.schedule().nextScheduleTime()));
        assertThat(awaitSet(client, "once-" + MINUTE).getMetadata().getUid())
                .isEqualTo(first.getMetadata().getUid());
        assertThat(new Seen(client).run("once").orElseThrow().schedule().missed())
                .isIn(null, 0L);
    }

    @Test
    void aForeignTaskSetOfTheRunsNameIsLeftAlone(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.set("taken-" + MINUTE, Samples.counted(1).suspend(true)))
                .create();
        begin(client, "taken");
        fire(client, "taken");
        TaskSetStatus status = seen.awaitRun(
                "taken", s -> s.schedule().missed() != null && s.schedule().missed() == 1);
        assertThat(status.schedule().runs()).isEmpty();
        seen.awaitEvents("taken", "RunMissed");
        assertThat(awaitSet(client, "taken-" + MINUTE).getSpec().suspend()).isTrue();
    }

    @Test
    void aRunThatAQuotaRefusesStaysDue(KubernetesClient client) {
        Seen seen = new Seen(client);
        begin(client, "refused");
        ResourceQuota quota = new ResourceQuotaBuilder()
                .withNewMetadata()
                .withName("no-sets")
                .endMetadata()
                .withNewSpec()
                .withHard(Map.of("count/tasksets.quiver.dev", new Quantity("0")))
                .endSpec()
                .build();
        quota = client.resource(quota).create();
        quota.setStatus(new ResourceQuotaStatusBuilder()
                .withHard(quota.getSpec().getHard())
                .withUsed(Map.of("count/tasksets.quiver.dev", new Quantity("0")))
                .build());
        client.resource(quota).updateStatus();
        fire(client, "refused");
        var waits = seen.awaitRun("refused", ConditionType.Finished, TaskSetReason.RunRefused);
        assertThat(waits.getMessage()).contains("refused-" + MINUTE, "quota");
        client.resource(quota).delete();
        Seen.gone(() -> client.resourceQuotas().withName("no-sets").get());
        touch(client, "refused");
        awaitSet(client, "refused-" + MINUTE);
        seen.awaitRun("refused", ConditionType.Finished, TaskSetReason.Scheduled);
    }

    @Test
    void timesThatNeverComeEndIt(KubernetesClient client) {
        client.resource(Samples.set("never", Samples.counted(1).schedule(TaskSchedule.ofCron("0 0 30 2 *"))))
                .create();
        var end = new Seen(client).awaitRun("never", ConditionType.Finished, TaskSetReason.ScheduleInvalid);
        assertThat(end.getMessage()).contains("spec.schedule", "never comes");
        assertThat(end.getStatus()).isEqualTo("True");
        client.resources(TaskSet.class).withName("never").delete();
        Seen.gone(() -> client.resources(TaskSet.class).withName("never").get());
    }

    @Test
    void runsBeyondTheLimitsGo(KubernetesClient client) {
        Seen seen = new Seen(client);
        begin(client, "tidy");
        fire(client, "tidy");
        String name = "tidy-" + MINUTE;
        awaitSet(client, name);
        Samples.patch(client, TaskSet.class, name, "\"cancel\":true");
        seen.awaitRun("tidy", s -> s.schedule().runs().stream().anyMatch(row -> "Cancelled".equals(row.reason())));
        Samples.patch(client, TaskSet.class, "tidy", "\"schedule\":{\"failedRunsHistoryLimit\":0}");
        Seen.gone(() -> client.resources(TaskSet.class).withName(name).get());
        assertThat(List.of(seen.run("tidy").orElseThrow().schedule().lastScheduleTime()))
                .containsExactly("2026-01-01T00:00:00Z");
    }
}
