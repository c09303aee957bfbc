package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.Patience;
import dev.quiver.slots.rig.Signals;

/** Tasks that are called off, in every state. */
class CancelIT {
    /** Longer than anything here is waited for: who ends nevertheless did not use it up. */
    private static final Duration LONG_GRACE = Patience.LIMIT.multipliedBy(2);

    private AgentPod pod;

    @BeforeEach
    void start() {
        pod = AgentPod.running(new Geometry(2, 8192, 8192));
    }

    @AfterEach
    void stop() {
        pod.close();
    }

    @Test
    void neverStartsWhatWasCalledOffBefore() {
        // The runner is stopped: it cannot look at its word between the two.
        long runner = runner(0);
        Signals.send(runner, "STOP");
        long generation = pod.dispatch(0, Assignment.of("t", AgentPod.sh("touch " + pod.root() + "/ran")));
        assertThat(pod.board().view(0)).isEqualTo(new SlotView.Seen(SlotState.PENDING));
        assertThat(pod.board().cancel(0, generation)).isTrue();
        Signals.send(runner, "CONT");
        assertThat(pod.await(SlotEvent.Cancelled.class)).isEqualTo(new SlotEvent.Cancelled(0, generation, false));
        pod.await(SlotEvent.Ready.class);
        assertThat(pod.root().resolve("ran")).doesNotExist();
    }

    @Test
    void stopsWhatRunsAndLeavesTheNeighbourAlone() {
        long neighbour = pod.dispatch(1, Assignment.of("n", AgentPod.sh(pod.gate("on") + "; echo done")));
        Command sleepers = AgentPod.sh("sleep 1003 & sleep 1003").withGrace(LONG_GRACE);
        long generation = pod.dispatch(0, Assignment.of("t", sleepers));
        awaitState(0, SlotState.RUNNING);
        assertThat(pod.board().cancel(0, generation)).isTrue();
        assertThat(pod.await(SlotEvent.Cancelled.class)).isEqualTo(new SlotEvent.Cancelled(0, generation, true));
        pod.await(SlotEvent.Ready.class);
        pod.create("on");
        SlotResult other = pod.await(SlotEvent.Finished.class).result();
        assertThat(other.generation()).isEqualTo(neighbour);
        assertThat(other.passed()).isTrue();
    }

    @Test
    void killsAfterTheGraceWhatIgnoresTerm() throws Exception {
        String script = "trap '' TERM; echo $$ > " + pod.root() + "/pid; touch " + pod.root()
                + "/up; while :; do sleep 1; done";
        long generation = pod.dispatch(0, Assignment.of("t", AgentPod.sh(script).withGrace(Duration.ofMillis(300))));
        AgentPod.awaitFile(pod.root().resolve("up"));
        pod.board().cancel(0, generation);
        pod.await(SlotEvent.Cancelled.class);
        long pid = Long.parseLong(Files.readString(pod.root().resolve("pid")).strip());
        assertThat(ProcessHandle.of(pid)).isEmpty();
    }

    @Test
    void letsACommandEndInItsOwnWayDuringTheGrace() {
        String script = "trap 'echo tidy > " + pod.root() + "/tidy; exit 0' TERM; touch " + pod.root()
                + "/up; while :; do sleep 0.05; done";
        long generation = pod.dispatch(0, Assignment.of("t", AgentPod.sh(script).withGrace(LONG_GRACE)));
        AgentPod.awaitFile(pod.root().resolve("up"));
        pod.board().cancel(0, generation);
        pod.await(SlotEvent.Cancelled.class);
        assertThat(pod.root().resolve("tidy")).hasContent("tidy");
    }

    @Test
    void discardsAResultThatCrossesTheCancel() {
        pod.cancelAtOnce(Assignment.of("t", Command.of("true")), 200);
    }

    @Test
    void refusesToCallOffAnotherGeneration() {
        SlotResult result = pod.run(Command.of("true"));
        assertThat(pod.board().cancel(0, result.generation() - 1)).isFalse();
        assertThat(pod.board().cancel(0, result.generation())).isFalse();
        pod.acknowledge(result);
        assertThat(pod.board().acknowledge(0, result.generation())).isTrue();
        assertThat(pod.board().acknowledge(0, result.generation() + 1)).isFalse();
    }

    private void awaitState(int slot, SlotState state) {
        await().until(() -> pod.board().view(slot).equals(new SlotView.Seen(state)));
    }

    private long runner(int slot) {
        return Signals.child(pod.agent().handle(), "quiver-slot-" + slot);
    }
}
