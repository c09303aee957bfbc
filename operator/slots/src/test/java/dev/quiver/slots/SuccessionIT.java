package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Signals;

/** A dispatch that acknowledges the pass before it, and who may die meanwhile. */
@Execution(ExecutionMode.CONCURRENT)
class SuccessionIT {
    private static final Geometry GEOMETRY = new Geometry(2, 8192, 8192);
    private AgentPod pod;

    @BeforeEach
    void start() {
        pod = AgentPod.serving(GEOMETRY, Map.of(), AgentProcess.TEST_HANDLER);
    }

    @AfterEach
    void stop() {
        pod.close();
    }

    private static Assignment call(String handler, String input) {
        return Assignment.of("it/" + handler, HandlerCall.of(handler))
                .with(Payload.bytes(input.getBytes(StandardCharsets.UTF_8)));
    }

    private static Assignment command(String script) {
        return Assignment.of("it/command", AgentPod.sh(script));
    }

    /** Its result, the slot's very next event. */
    private SlotResult passes(Assignment assignment) {
        long generation = pod.dispatch(0, assignment);
        SlotEvent next = pod.next();
        assertThat(next).isInstanceOf(SlotEvent.Finished.class);
        SlotResult result = ((SlotEvent.Finished) next).result();
        assertThat(result.generation()).isEqualTo(generation);
        assertThat(result.passed()).as(result.toString()).isTrue();
        assertThat(pod.board().takesNext(0, generation)).isTrue();
        return result;
    }

    private void runnerIs(String signal) {
        Signals.send(Signals.child(pod.agent().handle(), "quiver-slot-0"), signal);
    }

    @Test
    void oneCallFollowsTheOther() {
        for (int i = 0; i < 300; i++) {
            String input = "x".repeat(i % 37) + i;
            SlotResult result = passes(call("echo", input));
            assertThat(pod.output(result)).isEqualTo(input);
            if (i % 7 == 6) {
                pod.acknowledge(result);
            }
        }
    }

    @Test
    void commandsAndCallsFollowEachOtherInACleanSlot() {
        assertThat(pod.output(passes(command("printf first > $QUIVER_OUTPUT; setsid sleep 300 & exit 0"))))
                .isEqualTo("first");
        SlotResult second = passes(command("pgrep -g 0 sleep; cat $QUIVER_OUTPUT; exit 0"));
        assertThat(pod.stdout(second)).isEmpty();
        assertThat(pod.output(passes(call("echo", "third")))).isEqualTo("third");
        assertThat(pod.output(passes(command("cat $QUIVER_OUTPUT")))).isEmpty();
        assertThat(pod.output(passes(call("echo", "fifth")))).isEqualTo("fifth");
    }

    @Test
    void nothingFollowsAFailureOrAResultThatIsHeldOnTo() {
        SlotResult failed = pod.run(call("raise", "0"));
        assertThat(pod.board().takesNext(0, failed.generation())).isFalse();
        assertThat(pod.board().dispatch(0, call("echo", ""))).isInstanceOf(Dispatch.NotFree.class);
        pod.acknowledge(failed);
        SlotResult held = pod.run(call("describe", "")); // does not say that it let go of its input
        assertThat(held.passed()).isTrue();
        assertThat(pod.board().takesNext(0, held.generation())).isFalse();
        assertThat(pod.board().dispatch(0, call("echo", ""))).isInstanceOf(Dispatch.NotFree.class);
        pod.acknowledge(held);
        SlotResult passed = passes(call("echo", "a"));
        assertThat(pod.board().takesNext(0, passed.generation() - 1)).isFalse();
        pod.acknowledge(passed);
        assertThat(pod.board().takesNext(0, passed.generation())).isFalse();
    }

    @Test
    void aProcessThatIsReplacedLeavesTheNextTaskToItsSuccessor() {
        String first = pod.output(passes(call("replace", "")));
        String second = pod.output(passes(call("pid", "")));
        assertThat(second).isNotEqualTo(first).isNotEmpty();
    }

    @Test
    void aFollowerIsCalledOffLikeAnyOther() {
        passes(command("true"));
        runnerIs("STOP");
        long follower = pod.dispatch(0, command("true"));
        assertThat(pod.board().view(0)).isEqualTo(new SlotView.Seen(SlotState.PENDING));
        assertThat(pod.board().cancel(0, follower)).isTrue();
        assertThat(pod.board().view(0)).isEqualTo(new SlotView.Seen(SlotState.CANCELLED));
        runnerIs("CONT");
        assertThat(pod.next()).isEqualTo(new SlotEvent.Cancelled(0, follower, false));
        assertThat(pod.next()).isEqualTo(new SlotEvent.Ready(0));
        pod.acknowledge(pod.run(call("echo", "on")));
    }

    @Test
    void aFollowerOfADeadAgentWasNotStarted() {
        passes(command("true"));
        runnerIs("STOP");
        long follower = pod.dispatch(0, command("true"));
        pod.agent().kill();
        pod.startAgent(Map.of());
        assertThat(pod.await(SlotEvent.Lost.class)).isEqualTo(new SlotEvent.Lost(0, follower, false));
        pod.await(SlotEvent.Ready.class, ready -> ready.slot() == 0);
        pod.acknowledge(pod.run(command("true")));
    }

    @Test
    void aFollowerOutlivesTheSupervisor() {
        passes(command("true"));
        runnerIs("STOP");
        long follower = pod.dispatch(0, command("true"));
        comeBack();
        assertThat(pod.await(SlotEvent.Found.class)).isEqualTo(new SlotEvent.Found(0, follower, SlotState.PENDING));
        assertThat(pod.board().dispatched(0))
                .containsExactly(new DispatchedTask(follower, new TaskHash().of("it/command"), 1));
        assertThat(pod.board().adopt(0, follower, Optional.empty())).isTrue();
        runnerIs("CONT");
        assertThat(pod.finished(0, follower).passed()).isTrue();
    }

    /** It was not dispatched, and what it lies over must not be taken for its result. */
    @Test
    void aFollowerThatWasHalfWrittenIsNobodysResult() throws IOException {
        SlotResult result = passes(call("echo", "a"));
        pod.closeBoard();
        try (RandomAccessFile control =
                new RandomAccessFile(pod.in().resolve("control").toFile(), "rw")) {
            control.seek(ControlDescriptor.slot(0) + ControlDescriptor.FLAGS + 2);
            control.write((int) result.generation() + 1);
        }
        pod.startBoard(BoardConfig.Start.RESUME);
        assertThat(pod.await(SlotEvent.AgentArrived.class).found()).isZero();
        assertThat(pod.board().dispatched(0)).isEmpty();
        pod.await(SlotEvent.Ready.class, ready -> ready.slot() == 0);
        passes(call("echo", "b"));
    }

    private void comeBack() {
        pod.closeBoard();
        pod.startBoard(BoardConfig.Start.RESUME);
        pod.await(SlotEvent.AgentArrived.class);
    }

    @Test
    void aResultThatIsNotFollowedWaits() {
        SlotResult result = passes(call("echo", "a"));
        await().until(() -> pod.board().view(0).equals(new SlotView.Seen(SlotState.COMPLETE)));
        comeBack();
        assertThat(pod.await(SlotEvent.Found.class).state()).isEqualTo(SlotState.COMPLETE);
        assertThat(pod.output(pod.finished(0, result.generation()))).isEqualTo("a");
    }
}
