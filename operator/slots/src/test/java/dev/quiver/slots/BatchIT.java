package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.AgentProcess;

/** Several calls in one dispatch, by real handler processes. */
@Execution(ExecutionMode.CONCURRENT)
class BatchIT {
    private static final Geometry GEOMETRY = new Geometry(2, 16384, 8192);

    private AgentPod pod;

    @BeforeEach
    void start() {
        pod = AgentPod.serving(GEOMETRY, Map.of(), AgentProcess.TEST_HANDLER, "watched");
    }

    @AfterEach
    void stop() {
        pod.close();
    }

    private static Assignment call(String task, String handler, String input) {
        return new Assignment(
                task,
                task,
                HandlerCall.of(handler),
                Payload.bytes(input.getBytes(StandardCharsets.UTF_8)),
                1,
                3,
                Optional.empty());
    }

    private static List<Assignment> echoes(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> call("t" + i, "echo", "input " + i))
                .toList();
    }

    private Dispatch.Accepted dispatch(List<Assignment> calls) {
        Dispatch dispatch = pod.board().dispatch(0, calls);
        assertThat(dispatch).isInstanceOf(Dispatch.Accepted.class);
        return (Dispatch.Accepted) dispatch;
    }

    private SlotEvent.Outcomes outcomes() {
        return pod.await(SlotEvent.Outcomes.class);
    }

    private SlotResult finished() {
        return pod.await(SlotEvent.Finished.class).result();
    }

    private void worksOn() {
        SlotResult result = pod.run(call("after", "echo", "again"));
        assertThat(pod.output(result)).isEqualTo("again");
        pod.acknowledge(result);
    }

    private static List<Boolean> passed(SlotEvent.Outcomes outcomes) {
        return outcomes.outcomes().stream().map(Outcome::passed).toList();
    }

    @Test
    void runsEachWithItsOwnInputAndTellsHowEachEnded() {
        await().until(() -> pod.board().takesBatches(0)); // the other slot's process may have announced first
        Dispatch.Accepted dispatched = dispatch(echoes(5));
        assertThat(dispatched.tasks()).isEqualTo(5);
        SlotEvent.Outcomes outcomes = outcomes();
        assertThat(outcomes.generation()).isEqualTo(dispatched.generation());
        assertThat(outcomes.whole()).isFalse();
        assertThat(passed(outcomes)).containsExactly(true, true, true, true, true);
        SlotResult result = finished();
        assertThat(result.passed()).isTrue();
        List<String> outputs = new ArrayList<>();
        for (Outcome outcome : outcomes.outcomes()) {
            assertThat(outcome.ran().isNegative()).isFalse();
            assertThat(outcome.message()).isEmpty();
            outputs.add(output(result, outcome));
        }
        assertThat(outputs).containsExactly("input 0", "input 1", "input 2", "input 3", "input 4");
        pod.acknowledge(result);
        worksOn();
    }

    private String output(SlotResult result, Outcome outcome) {
        FileRead read = pod.board().output(result, outcome);
        assertThat(read).isInstanceOf(FileRead.Content.class);
        return new String(((FileRead.Content) read).bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void aFailureEndsItWithItsOwnWordsAndTheRestIsNotBegun() {
        List<Assignment> calls = new ArrayList<>(echoes(5));
        calls.set(2, call("bad", "raise", "0"));
        dispatch(calls);
        assertThat(passed(outcomes())).containsExactly(true, true);
        SlotResult result = finished();
        assertThat(result.reason()).isEqualTo(Reason.EXCEPTION);
        assertThat(pod.board().lastWords(result, 512)).contains("no such column", "line 7");
        pod.acknowledge(result);
        worksOn();
    }

    @Test
    void theDeathOfItsProcessIsAboutTheTaskUnderWay() {
        List<Assignment> calls = new ArrayList<>(echoes(5));
        calls.set(3, call("poison", "die", "7"));
        dispatch(calls);
        assertThat(passed(outcomes())).containsExactly(true, true, true);
        SlotResult result = finished();
        assertThat(result.reason()).isEqualTo(Reason.HANDLER_DIED);
        assertThat(result.exitCode()).isEqualTo(7);
        assertThat(result.started()).isTrue();
        pod.acknowledge(result);
        worksOn();
    }

    @Test
    void eachHasTheTimeLimitForItself() {
        Duration limit = Duration.ofSeconds(3);
        List<Assignment> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            calls.add(call("sleeper" + i, "print", "x").within(limit)); // each rests for 100 ms
        }
        calls.add(call("late", "obey", "").within(limit));
        dispatch(calls);
        assertThat(passed(outcomes())).containsExactly(true, true, true, true);
        SlotResult result = finished();
        assertThat(result.reason()).isEqualTo(Reason.TIMED_OUT);
        assertThat(result.ran()).isGreaterThan(limit.minusMillis(1));
        pod.acknowledge(result);
        worksOn();
    }

    @Test
    void aCancelStopsTheTaskUnderWayAndKeepsWhatHasEnded() {
        List<Assignment> calls = new ArrayList<>(echoes(2));
        calls.add(call("endless", "obey", ""));
        calls.add(call("behind", "echo", ""));
        long generation = dispatch(calls).generation();
        await().until(() -> pod.board().snapshot(0).orElseThrow().name().equals("endless"));
        assertThat(pod.board().cancel(0, generation)).isTrue();
        assertThat(passed(outcomes())).containsExactly(true, true);
        assertThat(pod.await(SlotEvent.Cancelled.class)).isEqualTo(new SlotEvent.Cancelled(0, generation, true));
        pod.await(SlotEvent.Ready.class);
        worksOn();
    }

    @Test
    void theDeathOfTheAgentIsAboutTheTaskUnderWay() {
        List<Assignment> calls = new ArrayList<>(echoes(2));
        calls.add(call("endless", "obey", ""));
        calls.add(call("behind", "echo", ""));
        long generation = dispatch(calls).generation();
        await().until(() -> pod.board().snapshot(0).orElseThrow().name().equals("endless"));
        pod.agent().kill();
        pod.startAgent(Map.of(), AgentProcess.TEST_HANDLER, "watched");
        assertThat(passed(outcomes())).containsExactly(true, true);
        assertThat(pod.await(SlotEvent.Lost.class)).isEqualTo(new SlotEvent.Lost(0, generation, true));
    }

    @Test
    void aSupervisorThatComesBackFindsAllOfThemInOrder() {
        List<Assignment> calls = new ArrayList<>(echoes(2));
        calls.add(call("endless", "gate", pod.root().resolve("open").toString()));
        calls.add(call("behind", "echo", "last"));
        long generation = dispatch(calls).generation();
        await().until(() -> pod.board().snapshot(0).orElseThrow().name().equals("endless"));
        pod.closeBoard();
        pod.events().clear();
        pod.startBoard(BoardConfig.Start.RESUME);
        assertThat(pod.await(SlotEvent.Found.class)).isEqualTo(new SlotEvent.Found(0, generation, SlotState.RUNNING));
        TaskHash hash = new TaskHash();
        assertThat(pod.board().dispatched(0))
                .extracting(DispatchedTask::taskHash)
                .containsExactly(hash.of("t0"), hash.of("t1"), hash.of("endless"), hash.of("behind"));
        assertThat(pod.board().adopt(0, generation, Optional.empty())).isTrue();
        pod.create("open");
        SlotEvent.Outcomes outcomes = outcomes();
        assertThat(passed(outcomes)).containsExactly(true, true, true, true);
        SlotResult result = finished();
        assertThat(output(result, outcomes.outcomes().getLast())).isEqualTo("last");
        pod.acknowledge(result);
    }

    @Test
    void takesAsManyAsFitIntoTheInput() {
        String large = "x".repeat(6000);
        List<Assignment> calls = List.of(
                call("a", "pid", large), call("b", "pid", large), call("c", "pid", large), call("d", "pid", ""));
        assertThat(dispatch(calls).tasks()).isEqualTo(2);
        assertThat(passed(outcomes())).containsExactly(true, true);
        pod.acknowledge(finished());
    }

    @Test
    void anOutputThatFindsNoRoomBehindTheOthersIsMadeAgain() {
        String large = "x".repeat(5000);
        dispatch(List.of(call("a", "echo", large), call("b", "echo", large)));
        assertThat(passed(outcomes())).containsExactly(true);
        SlotResult result = finished();
        assertThat(result.passed()).isTrue();
        pod.acknowledge(result);
    }

    @Test
    void aHandlerOfAnEarlierReleaseTakesOneAtATime() {
        pod.close();
        pod = AgentPod.serving(GEOMETRY, Map.of(), AgentProcess.TEST_HANDLER, "single");
        assertThat(pod.board().takesBatches(0)).isFalse();
        dispatch(echoes(3));
        SlotResult result = finished();
        assertThat(result.reason()).isEqualTo(Reason.BAD_RECORD);
        assertThat(result.message()).containsAnyOf("takes no batches", "takes one task at a time");
        pod.acknowledge(result);
        worksOn();
    }
}
