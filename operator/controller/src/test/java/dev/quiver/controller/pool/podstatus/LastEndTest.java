package dev.quiver.controller.pool.podstatus;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

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
                .withName("main")
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
                .contains(new LastEnd("main 2026-02-03T09:59:50Z", "exit code 137 (OOMKilled)"));
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

    @Test
    void aPodWithoutAnEndHasNone() {
        assertThat(LastEnd.of(new PodBuilder().build(), NOW)).isEmpty();
        assertThat(LastEnd.of(pod(null), NOW)).isEmpty();
    }
}
