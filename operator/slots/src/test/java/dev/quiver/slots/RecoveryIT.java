package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Signals;

/** Somebody dies: the rows of the crash table, with real processes. */
@Execution(ExecutionMode.CONCURRENT)
class RecoveryIT {
    private final String seconds = Signals.unique(); // sleepers that are this test's
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
    void losesARunningTaskWithItsAgentAndGoesOnWithTheNext() {
        long generation = startSleeper(0);
        pod.agent().kill();
        pod.await(SlotEvent.AgentLeft.class);
        assertThat(pod.board().dispatch(1, Assignment.of("t", Command.of("true"))))
                .isEqualTo(new Dispatch.NoAgent());
        pod.startAgent(Map.of());
        // In whatever order: an agent that comes too late finds its tasks given up.
        await().untilAsserted(() -> assertThat(pod.events())
                .contains(new SlotEvent.Lost(0, generation, true))
                .anyMatch(event -> event instanceof SlotEvent.AgentArrived arrived && !arrived.sameExecutors()));
        pod.await(SlotEvent.Ready.class, ready -> ready.slot() == 0);
        assertThat(sleepers()).isZero();
        assertThat(pod.run(Command.of("true")).passed()).isTrue();
    }

    @Test
    void countsNoTrialForATaskThatDiedWithItsAgentBeforeItWasStarted() {
        Signals.send(Signals.child(pod.agent().handle(), "quiver-slot-0"), "STOP");
        long generation = pod.dispatch(0, Assignment.of("t", Command.of("true")));
        pod.agent().kill();
        pod.startAgent(Map.of());
        assertThat(pod.await(SlotEvent.Lost.class)).isEqualTo(new SlotEvent.Lost(0, generation, false));
    }

    @Test
    void keepsAResultThatWasReportedWhenTheAgentDiesAfterIt() {
        SlotResult result = pod.shell("echo kept > $QUIVER_OUTPUT");
        pod.agent().kill();
        pod.await(SlotEvent.AgentLeft.class);
        assertThat(pod.output(result)).isEqualTo("kept\n");
        pod.startAgent(Map.of());
        pod.await(SlotEvent.Ready.class, ready -> ready.slot() == 1);
        assertThat(pod.board().output(result)).isEqualTo(new FileRead.Gone());
        pod.acknowledge(result);
    }

    @Test
    void givesUpWhatAnAbsentAgentHeld() {
        long generation = startSleeper(0);
        pod.agent().kill();
        assertThat(pod.await(SlotEvent.Lost.class)).isEqualTo(new SlotEvent.Lost(0, generation, true));
        pod.startAgent(Map.of());
        pod.await(SlotEvent.Ready.class, ready -> ready.slot() == 0);
    }

    @Test
    void retriesWhatADeadRunnerRanAndClearsItsTree() {
        startSleeper(0);
        Signals.send(Signals.child(pod.agent().handle(), "quiver-slot-0"), "KILL");
        SlotResult result = pod.await(SlotEvent.Finished.class).result();
        assertThat(result.passed()).isFalse();
        assertThat(result.reason()).isEqualTo(Reason.RUNNER_DIED);
        assertThat(result.started()).isTrue();
        assertThat(sleepers()).isZero();
        pod.acknowledge(result);
        assertThat(pod.run(Command.of("true")).passed()).isTrue();
    }

    @Test
    void startsAPendingTaskAgainWhenItsRunnerDies() {
        long runner = Signals.child(pod.agent().handle(), "quiver-slot-0");
        Signals.send(runner, "STOP");
        pod.dispatch(0, Assignment.of("t", Command.of("true")));
        Signals.send(runner, "KILL");
        assertThat(pod.await(SlotEvent.Finished.class).result().passed()).isTrue();
    }

    @Test
    void goesOnAfterTheSupervisorComesBackToItsRegion() {
        long generation = pod.dispatch(0, Assignment.of("t", AgentPod.sh(pod.gate("on") + "; echo through")));
        UUID region = pod.board().regionId();
        pod.board().close();
        pod.events().clear();
        pod.startBoard(BoardConfig.Start.RESUME);
        assertThat(pod.board().regionId()).isEqualTo(region);
        SlotEvent.Found found = pod.await(SlotEvent.Found.class);
        assertThat(found.slot()).isZero();
        assertThat(found.generation()).isEqualTo(generation);
        pod.create("on");
        SlotResult result = pod.await(SlotEvent.Finished.class).result();
        assertThat(result.generation()).isEqualTo(generation);
        assertThat(pod.stdout(result)).isEqualTo("through\n");
        pod.acknowledge(result);
    }

    @Test
    void reportsAgainAResultThatWaitedForTheSupervisor() {
        SlotResult before = pod.shell("echo waited; exit 3");
        pod.board().close();
        pod.events().clear();
        pod.startBoard(BoardConfig.Start.RESUME);
        SlotResult after = pod.await(SlotEvent.Finished.class).result();
        assertThat(after).isEqualTo(before);
        pod.acknowledge(after);
    }

    @Test
    void killsEverythingWhenTheSupervisorComesWithANewRegion() {
        startSleeper(0);
        pod.board().close();
        pod.events().clear();
        pod.startBoard(BoardConfig.Start.FRESH);
        pod.awaitAllReady();
        assertThat(sleepers()).isZero();
        assertThat(pod.run(Command.of("true")).generation()).isEqualTo(1);
    }

    @Test
    void waitsForASupervisorThatIsNotThereYet() {
        try (AgentPod early = AgentPod.bare(new Geometry(1, 4096, 4096))) {
            early.startAgent(Map.of());
            await().until(() -> early.agent().stderr().contains("waiting for the supervisor"));
            early.startBoard(BoardConfig.Start.FRESH);
            early.awaitAllReady();
        }
    }

    @Test
    void keepsASecondAgentOffTheVolume() {
        try (AgentProcess second = pod.startSecondAgent()) {
            assertThat(second.awaitEnd()).isEqualTo(1);
            assertThat(second.stderr()).contains("another agent serves");
        }
        assertThat(pod.run(Command.of("true")).passed()).isTrue();
    }

    /** No supervisor of today does it (DESIGN.md, "Retry"); executors take the pair all the same. */
    @Test
    void beginsATrialThatFollowsARetryAtOnceWithAnEmptyOutput() throws Exception {
        SlotResult first = pod.shell("""
                test -e UP && exec test ! -s $QUIVER_OUTPUT
                touch UP; echo left > $QUIVER_OUTPUT; exit 1""".replace("UP", pod.root().resolve("up").toString()));
        assertThat(first.passed()).isFalse();
        try (FileChannel control =
                FileChannel.open(pod.in().resolve("control"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment words = control.map(FileChannel.MapMode.READ_WRITE, 0, control.size(), Arena.ofAuto());
            words.set(
                    ValueLayout.JAVA_LONG,
                    ControlDescriptor.slot(0) + ControlDescriptor.WORD,
                    Words.of(first.generation() + 1, Op.RUN));
        }
        await().until(() -> pod.board().view(0).equals(new SlotView.Seen(SlotState.COMPLETE)));
    }

    private long startSleeper(int slot) {
        String script = "setsid sleep " + seconds + " & touch " + pod.root() + "/up; sleep " + seconds;
        long generation = pod.dispatch(slot, Assignment.of("t", AgentPod.sh(script)));
        await().until(() -> Files.exists(pod.root().resolve("up")) && sleepers() == 2);
        return generation;
    }

    private long sleepers() {
        return Signals.running("sleep", seconds);
    }
}
