package dev.quiver.controller.pool.podstatus;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;

import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

class LastEndTest {

    private static final Instant NOW = Instant.parse("2026-02-03T10:00:00Z");

    /** A container that ended then and runs again, with a supervisor that ended, too. */
    private static Pod pod(String finishedAt) {
        return new PodBuilder()
                .withNewStatus()
                .addNewInitContainerStatus()
                .withName("quiver-supervisor")
                .withNewLastState()
                .withNewTerminated()
                .withExitCode(3)
                .withFinishedAt("2026-02-03T09:59:59Z")
                .endTerminated()
                .endLastState()
                .endInitContainerStatus()
                .addNewContainerStatus()
                .withName("worker")
                .withNewState()
                .withNewRunning()
                .endRunning()
                .endState()
                .withNewLastState()
                .withNewTerminated()
                .withExitCode(137)
                .withReason("OOMKilled")
                .withFinishedAt(finishedAt)
                .endTerminated()
                .endLastState()
                .endContainerStatus()
                .endStatus()
                .build();
    }

    @Test
    void saysHowAContainerEnded() {
        assertThat(LastEnd.of(pod("2026-02-03T09:59:50Z"), NOW))
                .contains(new LastEnd("2026-02-03T09:59:50Z", "exit code 137 (OOMKilled)"));
    }

    @Test
    void anOldEndHasNothingToSay() {
        assertThat(LastEnd.of(pod("2026-02-03T09:59:00Z"), NOW)).isEmpty();
    }

    @Test
    void seesOneThatIsNotStartedAgainYet() {
        Pod pod = pod("2026-02-03T09:59:50Z");
        var container = pod.getStatus().getContainerStatuses().getFirst();
        container.setState(container.getLastState());
        container.setLastState(null);
        assertThat(LastEnd.of(pod, NOW)).isPresent();
    }

    /** A tenant's container beside the worker ends again and again, and the kubelet names it first. */
    @Test
    void anotherContainerTakesNoTaskAlong() {
        Pod pod = pod("2026-02-03T09:59:50Z");
        var worker = pod.getStatus().getContainerStatuses().getFirst();
        var beside = new ContainerStatusBuilder(worker)
                .withName("proxy")
                .editLastState()
                .editTerminated()
                .withExitCode(1)
                .endTerminated()
                .endLastState()
                .build();
        pod.getStatus().setContainerStatuses(List.of(beside, worker));
        assertThat(LastEnd.of(pod, NOW)).map(LastEnd::words).contains("exit code 137 (OOMKilled)");
        pod.getStatus().setContainerStatuses(List.of(beside));
        assertThat(LastEnd.of(pod, NOW)).isEmpty();
    }

    @Test
    void aPodWithoutAnEndHasNone() {
        assertThat(LastEnd.of(new PodBuilder().build(), NOW)).isEmpty();
        assertThat(LastEnd.of(pod(null), NOW)).isEmpty();
    }
}
