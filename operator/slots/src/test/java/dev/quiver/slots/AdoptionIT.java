package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.RandomAccessFile;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.Signals;

/** A supervisor process is killed, and the next one comes back to the region that it left. */
@Execution(ExecutionMode.CONCURRENT)
class AdoptionIT {
    private static final Geometry GEOMETRY = new Geometry(4, SupervisorMain.BYTES, SupervisorMain.BYTES);
    private final String seconds = Signals.unique(); // sleepers that are this test's
    private AgentPod pod;
    private SupervisorProcess first;
    private String region;
    private String epoch;

    @BeforeEach
    void start() {
        pod = AgentPod.bare(GEOMETRY);
        first = SupervisorProcess.start(pod.in(), pod.out(), GEOMETRY.slots(), BoardConfig.Start.FRESH, List.of());
        region = first.await("open ").split(" ")[1];
        pod.startAgent(Map.of());
        epoch = first.await("arrived ").split(" ")[1];
        for (int slot = 0; slot < GEOMETRY.slots(); slot++) {
            first.await("ready ");
        }
    }

    @AfterEach
    void stop() {
        first.close();
        pod.close();
    }

    private long hand(int slot, String script) {
        first.tell("hand " + slot + " " + script);
        return Long.parseLong(first.await("dispatched " + slot).split(" ")[2]);
    }

    private void comeBack() {
        first.kill();
        pod.startBoard(BoardConfig.Start.RESUME);
    }

    @Test
    void findsEverySlotThatIsInUseInItsStateAndAdoptsIt() {
        Signals.send(Signals.child(pod.agent().handle(), "quiver-slot-3"), "STOP");
        long running = hand(0, "touch " + pod.root() + "/up; " + pod.gate("on"));
        long failed = hand(1, "echo why >&2; exit 3");
        first.await("finished 1");
        long passed = hand(2, "echo out > $QUIVER_OUTPUT");
        first.await("finished 2");
        long pending = hand(3, "echo late");
        AgentPod.awaitFile(pod.root().resolve("up"));
        comeBack();

        assertThat(pod.board().resumed()).isTrue();
        assertThat(pod.board().regionId()).hasToString(region);
        assertThat(pod.next()).isEqualTo(new SlotEvent.AgentArrived(Long.parseLong(epoch), false, 4));
        assertThat(List.of(pod.next(), pod.next(), pod.next(), pod.next()))
                .containsExactly(
                        new SlotEvent.Found(0, running, SlotState.RUNNING),
                        new SlotEvent.Found(1, failed, SlotState.RETRY),
                        new SlotEvent.Found(2, passed, SlotState.COMPLETE),
                        new SlotEvent.Found(3, pending, SlotState.PENDING));
        assertThat(pod.board().dispatched(0)).containsExactly(new DispatchedTask(running, new TaskHash().of("s"), 1));
        assertThat(pod.board().dispatched(2).getFirst().generation()).isEqualTo(passed);
        assertThat(pod.board().adopt(0, running, Optional.of(Duration.ofMinutes(1))))
                .isTrue();
        assertThat(pod.board().adopt(0, running + 1, Optional.empty())).isFalse();

        SlotResult third = pod.finished(1);
        assertThat(third.reason()).isEqualTo(Reason.NON_ZERO_EXIT);
        assertThat(pod.board().lastWords(third, 512)).isEqualTo("why");
        pod.acknowledge(third);
        Signals.send(Signals.child(pod.agent().handle(), "quiver-slot-3"), "CONT");
        pod.create("on");
        assertThat(pod.finished(0).passed()).isTrue();
        assertThat(pod.finished(3).passed()).isTrue();
        pod.dispatch(1, Assignment.of("t", Command.of("true")));
        assertThat(pod.finished(1).generation()).isEqualTo(failed + 1);
    }

    @Test
    void fetchesAResultFromAWorkerThatDrainedWhileNobodyWasThere() {
        long generation = hand(0, "echo o > $QUIVER_OUTPUT");
        first.await("finished 0");
        first.kill();
        pod.agent().terminate();
        await().pollDelay(Duration.ofSeconds(3))
                .untilAsserted(() -> assertThat(pod.agent().handle().isAlive())
                        .as("waits for a supervisor")
                        .isTrue());
        pod.startBoard(BoardConfig.Start.RESUME);
        SlotResult result = pod.finished(0);
        assertThat(result.generation()).isEqualTo(generation);
        assertThat(pod.output(result)).isEqualTo("o\n");
        pod.acknowledge(result);
        assertThat(pod.agent().awaitEnd()).isZero();
    }

    @Test
    void tellsWhatEndedWhileNobodyWasThere() {
        long generation = hand(0, pod.gate("on") + "; echo o > $QUIVER_OUTPUT");
        first.kill();
        pod.create("on");
        pod.startBoard(BoardConfig.Start.RESUME);
        SlotResult result = pod.finished(0);
        assertThat(result.generation()).isEqualTo(generation);
        assertThat(pod.output(result)).isEqualTo("o\n");
    }

    @Test
    void callsOffWhatItDoesNotWantToKeep() {
        long generation = hand(2, "sleep " + seconds + " & sleep " + seconds);
        first.tell("hand 1 true");
        first.await("finished 1");
        comeBack();
        pod.await(SlotEvent.Found.class, found -> found.slot() == 2);
        assertThat(pod.board().cancel(2, generation)).isTrue();
        assertThat(pod.board().adopt(2, generation, Optional.empty())).isFalse();
        assertThat(pod.await(SlotEvent.Cancelled.class)).isEqualTo(new SlotEvent.Cancelled(2, generation, true));
        pod.await(SlotEvent.Ready.class, ready -> ready.slot() == 2);
        assertThat(Signals.running("sleep", seconds)).isZero();
    }

    @Test
    void findsNothingInSlotsThatWait() {
        first.tell("hand 1 true");
        String[] end = first.await("finished 1").split(" ");
        first.tell("ack 1 " + end[2]);
        first.await("ready 1");
        comeBack();
        assertThat(pod.await(SlotEvent.AgentArrived.class).found()).isZero();
        pod.awaitAllReady();
    }

    @Test
    void losesWhatItsAgentTookWithItWhileNobodyWasThere() {
        long generation = hand(0, "sleep " + seconds);
        first.kill();
        pod.agent().kill();
        pod.startBoard(BoardConfig.Start.RESUME);
        pod.startAgent(Map.of());
        // In whatever order: an agent that comes too late finds its tasks given up.
        await().untilAsserted(() -> assertThat(pod.events())
                .contains(new SlotEvent.Lost(0, generation, true))
                .anyMatch(event -> event instanceof SlotEvent.AgentArrived arrived && arrived.found() == 0));
        pod.await(SlotEvent.Ready.class, ready -> ready.slot() == 0);
    }

    @ParameterizedTest
    @CsvSource({"0, 7", "8, 9", "16, 3", "20, 64", "24, 1", "49, 1", "57, 1", "4160, 9", "4160, 0"})
    void takesAFreshRegionWhenAByteOfTheHeaderOrOfAWordIsNotWhatItMustBe(int at, int value) throws Exception {
        hand(0, "sleep " + seconds);
        first.kill();
        try (RandomAccessFile control =
                new RandomAccessFile(pod.in().resolve("control").toFile(), "rw")) {
            control.seek(at);
            control.write(value);
        }
        pod.startBoard(BoardConfig.Start.RESUME);
        assertThat(pod.board().resumed()).isFalse();
        assertThat(pod.board().regionId().toString()).isNotEqualTo(region);
        assertThat(pod.await(SlotEvent.AgentArrived.class).found()).isZero();
        pod.awaitAllReady();
        assertThat(Signals.running("sleep", seconds)).isZero();
    }

    @Test
    void takesAFreshRegionWhenControlIsCutOrOfAnotherGeometry() throws Exception {
        first.kill();
        pod.agent().close(); // it maps the file that is cut now
        try (RandomAccessFile control =
                new RandomAccessFile(pod.in().resolve("control").toFile(), "rw")) {
            control.setLength(4096);
        }
        pod.startBoard(BoardConfig.Start.RESUME);
        assertThat(pod.board().resumed()).isFalse();
        pod.startAgent(Map.of());
        pod.awaitAllReady();
        pod.closeBoard();
        Geometry other = new Geometry(3, SupervisorMain.BYTES, SupervisorMain.BYTES);
        try (SlotBoard board = SlotBoard.open(BoardConfig.resume(pod.in(), pod.out(), other, "w"), event -> {})) {
            assertThat(board.resumed()).isFalse();
        }
    }
}
