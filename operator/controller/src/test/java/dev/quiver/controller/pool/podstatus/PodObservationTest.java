package dev.quiver.controller.pool.podstatus;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import io.fabric8.kubernetes.api.model.ContainerStateRunning;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodObservationTest {

    private static final Instant SCHEDULED = Instant.parse("2026-01-01T00:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "ImagePullBackOff, IMAGE_FAILED",
        "ErrImagePull, IMAGE_FAILED",
        "InvalidImageName, IMAGE_FAILED",
        "CreateContainerConfigError, CONFIG_INVALID",
        "RunContainerError, CONFIG_INVALID",
        "CrashLoopBackOff, CRASHING",
        "ContainerCreating, STARTING"
    })
    void readsWhatAContainerWaitsFor(String reason, PodStage stage) {
        PodObservation observation = observe(pod(waiting(reason).build()));
        assertThat(observation.stage()).isEqualTo(stage);
        if (stage != PodStage.STARTING) {
            assertThat(observation.message()).contains("container worker");
        }
    }

    @Test
    void tellsHowACrashingContainerEnded() {
        PodObservation observation = observe(pod(waiting("CrashLoopBackOff")
                .editContainerStatus(0)
                .withNewLastState()
                .withNewTerminated()
                .withExitCode(137)
                .withReason("OOMKilled")
                .withFinishedAt("2026-01-01T00:00:00Z")
                .endTerminated()
                .endLastState()
                .endContainerStatus()
                .build()));
        assertThat(observation.message())
                .isEqualTo("container worker ends again and again, last with exit code 137 (OOMKilled)");
        assertThat(observation.since()).contains(Instant.parse("2026-01-01T00:00:00Z"));
    }

    @Test
    void aGateIsWaitingAndNoNodeIsAProblem() {
        assertThat(observe(pod(unscheduled("SchedulingGated"))).stage()).isEqualTo(PodStage.GATED);
        PodObservation observation = observe(pod(unscheduled("Unschedulable")));
        assertThat(observation.stage()).isEqualTo(PodStage.UNSCHEDULABLE);
        assertThat(observation.message())
                .isEqualTo(
                        "no node can take the pod, which asks for 0 CPU and 0 MiB of memory: 0/2 nodes are available");
    }

    @Test
    void anEvictedPodSaysWhy() {
        PodObservation observation = observe(pod(new PodStatusBuilder()
                .withPhase("Failed")
                .withReason("Evicted")
                .withMessage("low on memory")
                .build()));
        assertThat(observation.stage()).isEqualTo(PodStage.ENDED);
        assertThat(observation.message()).isEqualTo("the pod ended: Evicted: low on memory");
    }

    @Test
    void aPodThatIsEndedForItsNodeSaysWhoEndsIt() {
        Pod pod = pod(new PodStatusBuilder()
                .addNewCondition()
                .withType("DisruptionTarget")
                .withStatus("True")
                .withReason("DeletionByTaintManager")
                .withMessage("Taint manager: deleting due to NoExecute taint")
                .endCondition()
                .build());
        pod.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
        assertThat(observe(pod))
                .returns(PodStage.TERMINATING, PodObservation::stage)
                .returns(
                        "the pod was ended: DeletionByTaintManager: Taint manager: deleting due to NoExecute taint",
                        PodObservation::message);
    }

    @Test
    void aPodThatIsBeingDeletedIsNothingElse() {
        Pod pod = new PodBuilder(pod(ready()))
                .editMetadata()
                .withDeletionTimestamp("2026-01-01T00:00:00Z")
                .endMetadata()
                .build();
        assertThat(observe(pod).stage()).isEqualTo(PodStage.TERMINATING);
        assertThat(observe(pod(ready())).stage()).isEqualTo(PodStage.READY);
        assertThat(observe(pod(null)).stage()).isEqualTo(PodStage.STARTING);
    }

    @Test
    void aPodWithoutItsVolumesSaysWhatItNeedsOnceItHasTakenLong() {
        Pod pod = new PodBuilder(pod(waiting("ContainerCreating")
                        .addNewCondition()
                        .withType("PodScheduled")
                        .withStatus("True")
                        .withLastTransitionTime("2026-01-01T00:00:00Z")
                        .endCondition()
                        .addNewCondition()
                        .withType("PodReadyToStartContainers")
                        .withStatus("False")
                        .endCondition()
                        .build()))
                .editSpec()
                .addNewVolume()
                .withName("settings")
                .withNewConfigMap()
                .withName("settings")
                .endConfigMap()
                .endVolume()
                .addNewVolume()
                .withName("maybe")
                .withNewSecret()
                .withSecretName("maybe")
                .withOptional(true)
                .endSecret()
                .endVolume()
                .addNewVolume()
                .withName("data")
                .withNewPersistentVolumeClaim()
                .withClaimName("data")
                .endPersistentVolumeClaim()
                .endVolume()
                .endSpec()
                .build();
        PodObservation observation = observe(pod);
        assertThat(observation.message(SCHEDULED.plusSeconds(19))).isEmpty();
        assertThat(observation.message(SCHEDULED.plusSeconds(20)))
                .isEqualTo("its volumes or its network are not there (it needs ConfigMap settings,"
                        + " PersistentVolumeClaim data); kubectl describe pod shows why");
    }

    @Test
    void aPodThatHasItsVolumesNamesTheContainerThatKeepsItBack() {
        PodStatusBuilder sandbox = new PodStatusBuilder()
                .withPhase("Pending")
                .addNewCondition()
                .withType("PodReadyToStartContainers")
                .withStatus("True")
                .endCondition();
        assertThat(observe(pod(new PodStatusBuilder(sandbox.build())
                                .addToInitContainerStatuses(status("prepare", true, false))
                                .build()))
                        .message())
                .isEqualTo("init container prepare still runs");
        assertThat(observe(pod(new PodStatusBuilder(sandbox.build())
                                .addToInitContainerStatuses(status("quiver-supervisor", true, false))
                                .build()))
                        .message())
                .contains("container quiver-supervisor runs and has not started up");
        assertThat(observe(pod(new PodStatusBuilder(sandbox.build())
                                .addAllToContainerStatuses(
                                        waiting("ContainerCreating").build().getContainerStatuses())
                                .build()))
                        .message())
                .isEqualTo("container worker is being made; its image may still be pulled");
    }

    @Test
    void aPodThatRunsAndIsNotReadySaysWhichContainer() {
        PodObservation observation = observe(pod(new PodStatusBuilder()
                .withPhase("Running")
                .addToInitContainerStatuses(status("quiver-supervisor", true, false))
                .addToContainerStatuses(status("worker", true, false), status("helper", true, true))
                .build()));
        assertThat(observation.stage()).isEqualTo(PodStage.UNREADY);
        assertThat(observation.since()).contains(SCHEDULED);
        assertThat(observation.message())
                .contains("kubectl logs -c quiver-supervisor")
                .contains("container worker runs, but its readiness probe fails")
                .doesNotContain("helper");
    }

    @Test
    void aContainerOfWhichNoStartIsToldDoesNotHideThePod() {
        PodObservation observation = observe(pod(new PodStatusBuilder()
                .withPhase("Running")
                .addNewContainerStatus()
                .withName("worker")
                .withReady(false)
                .withNewState()
                .withNewRunning()
                .endRunning()
                .endState()
                .endContainerStatus()
                .build()));
        assertThat(observation.stage()).isEqualTo(PodStage.UNREADY);
        assertThat(observation.since()).contains(Instant.parse("2025-12-31T23:00:00Z"));
    }

    private static PodObservation observe(Pod pod) {
        return PodObservation.of(pod, SCHEDULED.plusSeconds(60));
    }

    private static ContainerStatus status(String name, boolean runs, boolean ready) {
        return new ContainerStatusBuilder()
                .withName(name)
                .withReady(ready)
                .withStarted(ready)
                .withNewState()
                .withRunning(runs ? new ContainerStateRunning(SCHEDULED.toString()) : null)
                .endState()
                .build();
    }

    private static Pod pod(PodStatus status) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("p")
                .withCreationTimestamp("2025-12-31T23:00:00Z")
                .endMetadata()
                .withNewSpec()
                .withNodeName("node-1")
                .addNewInitContainer()
                .withName("quiver-supervisor")
                .withRestartPolicy("Always")
                .endInitContainer()
                .addNewInitContainer()
                .withName("prepare")
                .endInitContainer()
                .endSpec()
                .withStatus(status)
                .build();
    }

    private static PodStatusBuilder waiting(String reason) {
        return new PodStatusBuilder()
                .withPhase("Pending")
                .addNewContainerStatus()
                .withName("worker")
                .withImage("app:1")
                .withNewState()
                .withNewWaiting()
                .withReason(reason)
                .endWaiting()
                .endState()
                .endContainerStatus();
    }

    private static PodStatus unscheduled(String reason) {
        return new PodStatusBuilder()
                .withPhase("Pending")
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withReason(reason)
                .withMessage("0/2 nodes are available")
                .endCondition()
                .build();
    }

    private static PodStatus ready() {
        return new PodStatusBuilder()
                .withPhase("Running")
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .build();
    }
}
