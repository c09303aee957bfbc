package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.AgentProcess;

/** Inputs of handlers: what is dispatched, and what is refused before anything is lost. */
class DispatchIT {
    private AgentPod pod;

    @BeforeEach
    void start() {
        pod = AgentPod.bare(new Geometry(1, 8192, 8192));
        pod.startBoard(BoardConfig.Start.FRESH);
        pod.startAgent(Map.of(), AgentProcess.EXAMPLE);
        pod.await(SlotEvent.Ready.class);
    }

    @AfterEach
    void stop() {
        pod.close();
    }

    private Dispatch dispatch(Payload payload) {
        return pod.board()
                .dispatch(0, Assignment.of("t", HandlerCall.of("upper")).with(payload));
    }

    @Test
    void announcesWhatTheHandlersServe() {
        assertThat(pod.await(SlotEvent.HandlersAnnounced.class).names()).containsExactly("upper", "count");
    }

    @Test
    void saysBothSizesOfAnInputThatDoesNotFitAndTakesTheLargestThatDoes() {
        assertThat(dispatch(Payload.bytes(new byte[8192]))).isEqualTo(new Dispatch.TooLarge(8192 + 38, 8192));
        byte[] largest = new byte[8192 - 40];
        java.util.Arrays.fill(largest, (byte) 'a');
        assertThat(dispatch(Payload.bytes(largest))).isInstanceOf(Dispatch.Accepted.class);
        SlotResult result = pod.await(SlotEvent.Finished.class).result();
        assertThat(result.passed()).as(result.toString()).isTrue();
        assertThat(pod.output(result)).isEqualTo("A".repeat(largest.length));
    }

    @Test
    void refusesALocatorThatIsNoneAndTakesOneThatIs() {
        assertThat(dispatch(Payload.locator("x".repeat(1025), DataFormat.ARROW)))
                .isEqualTo(new Dispatch.Invalid("the locator has 1025 bytes: allowed are 1 to 1024"));
        assertThat(dispatch(Payload.locator("s3://b/k", DataFormat.ARROW))).isInstanceOf(Dispatch.Accepted.class);
        assertThat(pod.await(SlotEvent.Finished.class).result().passed()).isTrue();
    }
}
