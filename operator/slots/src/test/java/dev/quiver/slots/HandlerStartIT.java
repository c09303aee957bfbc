package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.AgentProcess;

/** Handlers that come up slowly, wrongly or not at all. */
class HandlerStartIT {
    private static final Geometry GEOMETRY = new Geometry(1, 8192, 8192);

    private final AgentPod pod = AgentPod.bare(GEOMETRY);

    private void start(String... words) {
        pod.startBoard(BoardConfig.Start.FRESH);
        pod.startAgent(Map.of(), words);
        pod.awaitAllReady();
    }

    @AfterEach
    void stop() {
        pod.close();
    }

    @Test
    void runsCommandsWhileAHandlerIsStillImporting() {
        start(AgentProcess.TEST_HANDLER, "slow", pod.root().resolve("imported").toString());
        for (int i = 0; i < 5; i++) {
            SlotResult result = pod.run(Command.of("true"));
            assertThat(result.passed()).isTrue();
            pod.acknowledge(result);
        }
        assertThat(pod.events()).noneMatch(event -> event instanceof SlotEvent.HandlersAnnounced);
        pod.create("imported");
        assertThat(pod.run(Assignment.of("t", HandlerCall.of("pid"))).passed()).isTrue();
    }

    @Test
    void callsOffATaskThatWaitsForAHandler() {
        start(AgentProcess.TEST_HANDLER, "mute");
        long generation = pod.dispatch(0, Assignment.of("t", HandlerCall.of("pid")));
        assertThat(pod.board().cancel(0, generation)).isTrue();
        assertThat(pod.await(SlotEvent.Cancelled.class)).isEqualTo(new SlotEvent.Cancelled(0, generation, false));
        pod.await(SlotEvent.Ready.class);
    }

    @Test
    void endsATaskWhoseHandlerIsNotThereBeforeItsDeadline() {
        start(AgentProcess.TEST_HANDLER, "mute");
        SlotResult result = pod.run(Assignment.of("t", HandlerCall.of("pid")).within(Duration.ofMillis(300)));
        assertThat(result.reason()).isEqualTo(Reason.TIMED_OUT);
    }

    @Test
    void givesUpATaskWhoseHandlerDiesThreeTimesAndQuotesIt() {
        start(AgentProcess.TEST_HANDLER, "dies");
        SlotResult result = pod.run(Assignment.of("t", HandlerCall.of("pid")));
        assertThat(result.reason()).isEqualTo(Reason.HANDLER_DIED);
        assertThat(result.message()).contains("exit code 3").contains("3 times");
        assertThat(pod.board().lastWords(result, 512)).contains("ModuleNotFoundError: no module named 'tasks'");
        pod.acknowledge(result);
        assertThat(pod.run(Command.of("true")).passed()).isTrue();
    }

    @Test
    void saysThatTheHandlersCommandWasNotFound() {
        start("no-such-handler");
        SlotResult result = pod.run(Assignment.of("t", HandlerCall.of("pid")));
        assertThat(result.reason()).isEqualTo(Reason.HANDLER_DIED);
        assertThat(result.message()).contains("no-such-handler: not found in PATH");
    }

    @Test
    void refusesHandlersWhereThereAreOnlyCommands() {
        start();
        SlotResult result = pod.run(Assignment.of("t", HandlerCall.of("pid")));
        assertThat(result.reason()).isEqualTo(Reason.HANDLER_NOT_FOUND);
    }
}
