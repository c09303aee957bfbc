package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Somebody dies: the rows of the crash table, with real processes. */
class RecoveryIT {
    private WorkerPod pod;

    @BeforeEach
    void start() {
        pod = WorkerPod.running(new Geometry(2, 8192, 8192));
    }

    @AfterEach
    void stop() {
        pod.close();
    }

    @Test
    void losesARunningTaskWithItsAgentAndGoesOnWithTheNext() {
        long generation = startSleeper(0, "1004");
        pod.agent.kill();
        pod.await(SlotEvent.AgentLeft.class);
        assertThat(pod.board.handOver(1, Assignment.of("t", Command.of("true"))))
                .isEqualTo(new HandOver.NoAgent());
        pod.startAgent(Map.of());
        SlotEvent.AgentArrived arrived = pod.await(SlotEvent.AgentArrived.class);
        assertThat(arrived.sameExecutors()).isFalse();
        assertThat(pod.await(SlotEvent.Lost.class)).isEqualTo(new SlotEvent.Lost(0, generation, true));
        pod.await(SlotEvent.Ready.class, ready -> ready.slot() == 0);
        assertThat(sleepers("1004")).isZero();
        assertThat(pod.run(Command.of("true")).passed()).isTrue();
    }

    @Test
    void countsNoTrialForATaskThatDiedWithItsAgentBeforeItWasStarted() {
        Signals.send(Signals.child(pod.agent.handle(), "quiver-slot-0"), "STOP");
        long generation = pod.handOver(0, Assignment.of("t", Command.of("true")));
        pod.agent.kill();
        pod.startAgent(Map.of());
        assertThat(pod.await(SlotEvent.Lost.class)).isEqualTo(new SlotEvent.Lost(0, generation, false));
    }

    @Test
    void keepsAResultThatWasReportedWhenTheAgentDiesAfterIt() {
        SlotResult result = pod.shell("echo kept > $QUIVER_OUTPUT");
        pod.agent.kill();
        pod.await(SlotEvent.AgentLeft.class);
        assertThat(pod.output(result)).isEqualTo("kept\n");
        pod.startAgent(Map.of());
        pod.await(SlotEvent.Ready.class, ready -> ready.slot() == 1);
        assertThat(pod.board.output(result)).isEqualTo(new FileRead.Gone());
        pod.acknowledge(result);
    }

    @Test
    void givesUpWhatAnAbsentAgentHeld() {
        long generation = startSleeper(0, "1005");
        pod.agent.kill();
        assertThat(pod.await(SlotEvent.Lost.class)).isEqualTo(new SlotEvent.Lost(0, generation, true));
        pod.startAgent(Map.of());
        pod.await(SlotEvent.Ready.class, ready -> ready.slot() == 0);
    }

    @Test
    void retriesWhatADeadRunnerRanAndClearsItsTree() {
        startSleeper(0, "1006");
        Signals.send(Signals.child(pod.agent.handle(), "quiver-slot-0"), "KILL");
        SlotResult result = pod.await(SlotEvent.Finished.class).result();
        assertThat(result.passed()).isFalse();
        assertThat(result.reason()).isEqualTo(Reason.RUNNER_DIED);
        assertThat(result.started()).isTrue();
        assertThat(sleepers("1006")).isZero();
        pod.acknowledge(result);
        assertThat(pod.run(Command.of("true")).passed()).isTrue();
    }

    @Test
    void startsAPendingTaskAgainWhenItsRunnerDies() {
        long runner = Signals.child(pod.agent.handle(), "quiver-slot-0");
        Signals.send(runner, "STOP");
        pod.handOver(0, Assignment.of("t", Command.of("true")));
        Signals.send(runner, "KILL");
        assertThat(pod.await(SlotEvent.Finished.class).result().passed()).isTrue();
    }

    @Test
    void goesOnAfterTheSupervisorComesBackToItsRegion() {
        long generation = pod.handOver(0, Assignment.of("t", WorkerPod.sh("sleep 1; echo through")));
        UUID region = pod.board.regionId();
        pod.board.close();
        pod.events.clear();
        pod.startBoard(BoardConfig.Start.RESUME);
        assertThat(pod.board.regionId()).isEqualTo(region);
        SlotEvent.Found found = pod.await(SlotEvent.Found.class);
        assertThat(found.slot()).isZero();
        assertThat(found.generation()).isEqualTo(generation);
        SlotResult result = pod.await(SlotEvent.Finished.class).result();
        assertThat(result.generation()).isEqualTo(generation);
        assertThat(pod.stdout(result)).isEqualTo("through\n");
        pod.acknowledge(result);
    }

    @Test
    void reportsAgainAResultThatWaitedForTheSupervisor() {
        SlotResult before = pod.shell("echo waited; exit 3");
        pod.board.close();
        pod.events.clear();
        pod.startBoard(BoardConfig.Start.RESUME);
        SlotResult after = pod.await(SlotEvent.Finished.class).result();
        assertThat(after).isEqualTo(before);
        pod.acknowledge(after);
    }

    @Test
    void killsEverythingWhenTheSupervisorComesWithANewRegion() {
        startSleeper(0, "1007");
        pod.board.close();
        pod.events.clear();
        pod.startBoard(BoardConfig.Start.FRESH);
        pod.awaitAllReady();
        assertThat(sleepers("1007")).isZero();
        assertThat(pod.run(Command.of("true")).generation()).isEqualTo(1);
    }

    @Test
    void waitsForASupervisorThatIsNotThereYet() {
        try (WorkerPod early = WorkerPod.bare(new Geometry(1, 4096, 4096))) {
            early.startAgent(Map.of());
            await().until(() -> early.agent.stderr().contains("waiting for the supervisor"));
            early.startBoard(BoardConfig.Start.FRESH);
            early.awaitAllReady();
        }
    }

    @Test
    void keepsASecondAgentOffTheVolume() {
        try (AgentProcess second = AgentProcess.start(pod.in, pod.out, pod.root.resolve("logs"), Map.of())) {
            assertThat(second.awaitEnd()).isEqualTo(1);
            assertThat(second.stderr()).contains("another agent serves");
        }
        assertThat(pod.run(Command.of("true")).passed()).isTrue();
    }

    private long startSleeper(int slot, String seconds) {
        String script = "setsid sleep " + seconds + " & touch " + pod.root + "/up; sleep " + seconds;
        long generation = pod.handOver(slot, Assignment.of("t", WorkerPod.sh(script)));
        await().until(() -> Files.exists(pod.root.resolve("up")) && sleepers(seconds) == 2);
        return generation;
    }

    private static long sleepers(String seconds) {
        return Signals.running("sleep", seconds);
    }
}
