package dev.quiver.controller.pool.podstatus;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CrashLoopTest {

    private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");
    private static final Instant ENDED = NOW.minusSeconds(5);

    @Test
    void theSameIsSaidWhetherTheInitContainerWaitsHasEndedOrRunsAgain() {
        ContainerState waits = new ContainerStateBuilder()
                .withNewWaiting()
                .withReason("CrashLoopBackOff")
                .endWaiting()
                .build();
        PodObservation waiting = read(init(waits, failed(3), 1));
        PodObservation ended = read(init(failed(3), failed(3), 1));
        PodObservation runs = read(init(running(NOW.minusSeconds(2)), failed(3), 2));
        for (PodObservation observation : new PodObservation[] {waiting, ended, runs}) {
            assertThat(observation.stage()).isEqualTo(PodStage.CRASHING);
            assertThat(observation.message(NOW))
                    .isEqualTo("container prep ends again and again, last with exit code 3 (Error)");
        }
        assertThat(waiting.since()).contains(ENDED);
        assertThat(ended.since()).contains(ENDED);
        assertThat(runs.since()).as("it may go well this time").isEmpty();
    }

    @Test
    void aContainerThatRunsAgainInAPodThatIsNotReadyIsNamed() {
        ContainerStatus worker = container("worker", running(NOW.minusSeconds(2)), failed(1), 4)
                .withReady(true)
                .build();
        assertThat(read(new PodBuilder(pod())
                                .editStatus()
                                .withPhase("Running")
                                .withContainerStatuses(worker)
                                .endStatus()
                                .build())
                        .message())
                .startsWith("container worker ends again and again, last with exit code 1");
    }

    @Test
    void aReadyPodIsReadyWhateverItsContainersHaveBeenThrough() {
        Pod pod = new PodBuilder(init(running(NOW.minusSeconds(2)), failed(3), 9))
                .editStatus()
                .withPhase("Running")
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
        assertThat(read(pod).stage()).isEqualTo(PodStage.READY);
    }

    @Test
    void oneFailureIsNoLoopAndIsSaidOnceThePodTakesLong() {
        PodObservation ended = read(init(failed(3), new ContainerState(), 0));
        assertThat(ended.stage()).isEqualTo(PodStage.STARTING);
        assertThat(ended.message(NOW)).isEqualTo("container prep ended with exit code 3 (Error) and is started again");
        PodObservation runs = read(init(running(NOW.minusSeconds(2)), failed(3), 1));
        assertThat(runs.stage()).isEqualTo(PodStage.STARTING);
        assertThat(runs.message(NOW))
                .isEqualTo("init container prep still runs; before, it ended with exit code 3 (Error)");
    }

    @ParameterizedTest
    @CsvSource({"599,5,true", "600,5,false", "5,599,true", "5,600,false"})
    void aContainerThatRunsForTenMinutesIsWell(int lastRunSeconds, int thisRunSeconds, boolean loop) {
        Instant start = NOW.minusSeconds(thisRunSeconds);
        ContainerState last = new ContainerStateBuilder()
                .withNewTerminated()
                .withExitCode(1)
                .withStartedAt(start.minusSeconds(lastRunSeconds).toString())
                .withFinishedAt(start.toString())
                .endTerminated()
                .build();
        Optional<CrashLoop> read =
                CrashLoop.of(container("helper", running(start), last, 2).build(), NOW);
        assertThat(read.isPresent()).isEqualTo(loop);
    }

    @Test
    void anInitContainerThatHasDoneItsWorkIsNotBlamed() {
        assertThat(CrashLoop.of(container("prep", failed(0), failed(3), 2).build(), NOW))
                .isEmpty();
    }

    private static PodObservation read(Pod pod) {
        return PodObservation.of(pod, NOW);
    }

    /** The pod as kubelet shows it: the containers behind the init container wait for it. */
    private static Pod init(ContainerState state, ContainerState last, int restarts) {
        return new PodBuilder(pod())
                .editStatus()
                .withInitContainerStatuses(
                        container("prep", state, last, restarts).build())
                .addNewContainerStatus()
                .withName("worker")
                .withNewState()
                .withNewWaiting()
                .withReason("PodInitializing")
                .endWaiting()
                .endState()
                .endContainerStatus()
                .endStatus()
                .build();
    }

    private static Pod pod() {
        return new PodBuilder()
                .withNewMetadata()
                .withName("p")
                .withCreationTimestamp("2026-01-01T00:00:00Z")
                .endMetadata()
                .withNewSpec()
                .withNodeName("node-1")
                .addNewInitContainer()
                .withName("prep")
                .endInitContainer()
                .endSpec()
                .withNewStatus()
                .withPhase("Pending")
                .addNewCondition()
                .withType("PodReadyToStartContainers")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
    }

    private static ContainerStatusBuilder container(
            String name, ContainerState state, ContainerState last, int restarts) {
        return new ContainerStatusBuilder()
                .withName(name)
                .withReady(false)
                .withRestartCount(restarts)
                .withState(state)
                .withLastState(last);
    }

    private static ContainerState running(Instant since) {
        return new ContainerStateBuilder()
                .withNewRunning()
                .withStartedAt(since.toString())
                .endRunning()
                .build();
    }

    private static ContainerState failed(int exitCode) {
        return new ContainerStateBuilder()
                .withNewTerminated()
                .withExitCode(exitCode)
                .withReason(exitCode == 0 ? "Completed" : "Error")
                .withStartedAt(ENDED.minusSeconds(1).toString())
                .withFinishedAt(ENDED.toString())
                .endTerminated()
                .build();
    }
}
