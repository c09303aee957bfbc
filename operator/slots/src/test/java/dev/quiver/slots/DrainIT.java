package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Map;

import org.junit.jupiter.api.Test;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.Patience;
import dev.quiver.slots.rig.Signals;

/** TERM to the worker container. */
class DrainIT {
    private static final Geometry GEOMETRY = new Geometry(2, 8192, 8192);

    @Test
    void endsAtOnceWhenIdle() {
        try (AgentPod pod = AgentPod.running(GEOMETRY, Map.of("QUIVER_DRAIN_SECONDS", Patience.LONG_DRAIN_SECONDS))) {
            pod.agent().terminate();
            assertThat(pod.agent().awaitEnd()).isZero();
            pod.await(SlotEvent.AgentDraining.class);
            pod.await(SlotEvent.AgentLeft.class);
        }
    }

    @Test
    void letsRunningTasksEndAndTakesNoNewOnes() {
        try (AgentPod pod = AgentPod.running(GEOMETRY, Map.of("QUIVER_DRAIN_SECONDS", Patience.LONG_DRAIN_SECONDS))) {
            pod.dispatch(0, Assignment.of("t", AgentPod.sh(pod.gate("on") + "; echo finished")));
            await().until(() -> pod.board().view(0).equals(new SlotView.Seen(SlotState.RUNNING)));
            pod.agent().terminate();
            pod.await(SlotEvent.AgentDraining.class);
            assertThat(pod.board().dispatch(1, Assignment.of("u", Command.of("true"))))
                    .isEqualTo(new Dispatch.NoAgent());
            pod.create("on");
            SlotResult result = pod.await(SlotEvent.Finished.class).result();
            assertThat(result.passed()).isTrue();
            assertThat(pod.stdout(result)).isEqualTo("finished\n");
            pod.board().acknowledge(0, result.generation());
            assertThat(pod.agent().awaitEnd()).isZero();
        }
    }

    @Test
    void givesBackUnstartedWhatWasDispatchedTooLate() {
        try (AgentPod pod = AgentPod.running(GEOMETRY, Map.of("QUIVER_DRAIN_SECONDS", Patience.LONG_DRAIN_SECONDS))) {
            pod.dispatch(0, Assignment.of("t", Command.of("sleep", "1")));
            long late = Signals.child(pod.agent().handle(), "quiver-slot-1");
            Signals.send(late, "STOP");
            long generation = pod.dispatch(1, Assignment.of("u", Command.of("true")));
            pod.agent().terminate();
            pod.await(SlotEvent.AgentDraining.class);
            Signals.send(late, "CONT");
            SlotResult result = pod.await(
                            SlotEvent.Finished.class,
                            finished -> finished.result().slot() == 1)
                    .result();
            assertThat(result.generation()).isEqualTo(generation);
            assertThat(result.reason()).isEqualTo(Reason.DRAINED);
            assertThat(result.started()).isFalse();
        }
    }

    @Test
    void cutsOffWhatStillRunsWhenTheGraceIsOver() {
        try (AgentPod pod = AgentPod.running(GEOMETRY, Map.of("QUIVER_DRAIN_SECONDS", "1"))) {
            pod.dispatch(0, Assignment.of("t", Command.of("sleep", "1008")));
            await().until(() -> pod.board().view(0).equals(new SlotView.Seen(SlotState.RUNNING)));
            pod.agent().terminate();
            SlotResult result = pod.await(SlotEvent.Finished.class).result();
            assertThat(result.reason()).isEqualTo(Reason.DRAINED);
            assertThat(result.started()).isTrue();
            assertThat(pod.agent().awaitEnd()).isZero();
        }
    }
}
