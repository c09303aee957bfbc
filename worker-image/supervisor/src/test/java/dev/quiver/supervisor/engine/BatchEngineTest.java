package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.supervisor.engine.store.Counter;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.BatchExecutor;
import dev.quiver.supervisor.execution.TrialResult;

/** The fate of each task when several of them are one dispatch. */
@Execution(ExecutionMode.CONCURRENT)
class BatchEngineTest {

    private static final String SET = "set-1";
    private static final String HANDLER = "resize";
    private static final TrialResult FAILED =
            new TrialResult(TrialResult.Kind.FAILED, -1, 0, "Exception", "no", Duration.ofMillis(1), Retry.AT_ONCE);

    private final MemoryWork work = new MemoryWork();
    private final BatchExecutor slot = new BatchExecutor(1, HANDLER);
    private Engine engine;

    private void start() {
        start(slot);
    }

    private void start(BatchExecutor slot) {
        WorkerIdentity worker = new WorkerIdentity("pool", "p", "pod", "u", "node", slot.slots());
        Reaper reaper = () -> new Reaper.Reaped(0, 0, 0);
        engine = new Engine(work, reaper, slot, new EngineSettings(worker, Duration.ZERO), new StoreTrouble());
        engine.start();
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private static List<String> ids(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> SET + "/" + i).toList();
    }

    /** The dispatch that runs, once it is one of these tasks. */
    private BatchExecutor.Run awaitRun(List<String> ids) {
        await().untilAsserted(() ->
                assertThat(slot.running()).extracting(BatchExecutor.Run::ids).containsExactly(ids));
        return slot.running().getFirst();
    }

    private void awaitPassed(int tasks) {
        await().untilAsserted(() -> assertThat(work.passed(SET)).isEqualTo(tasks));
    }

    @Test
    void dispatchesAsManyAsTheSetWants() {
        work.addBatches(SET, HANDLER, 4, 10);
        start();
        slot.end(awaitRun(ids(0, 4)), 4, Optional.empty());
        while (work.passed(SET) < 10) {
            slot.running().forEach(run -> slot.end(run, run.ids().size(), Optional.empty()));
        }
        assertThat(slot.dispatched()).allSatisfy(run -> assertThat(run).hasSizeBetween(1, 4));
        awaitPassed(10);
        assertThat(work.held(SET)).isZero();
    }

    @Test
    void afterAFailureTheTasksBehindItComeNextAndTheFailedOneRunsAlone() {
        work.addBatches(SET, HANDLER, 4, 4);
        start();
        slot.end(awaitRun(ids(0, 4)), 1, Optional.of(FAILED));
        slot.end(awaitRun(ids(2, 4)), 2, Optional.empty());
        slot.end(awaitRun(ids(1, 2)), 1, Optional.empty());
        awaitPassed(4);
        assertThat(work.failedTrials(SET)).isEqualTo(1);
        assertThat(work.returned(SET)).isZero();
    }

    @Test
    void whatWasCutOffBeforeATaskGoesOnWithIt() {
        work.addBatches(SET, HANDLER, 4, 4);
        start();
        slot.end(awaitRun(ids(0, 4)), 3, Optional.empty());
        slot.end(awaitRun(ids(3, 4)), 1, Optional.empty());
        awaitPassed(4);
        assertThat(work.failedTrials(SET)).isZero();
    }

    @Test
    void aCallOfAllThatFailedIsRepeatedForEachAlone() {
        work.addBatches(SET, HANDLER, 3, 3);
        start();
        slot.failWhole(awaitRun(ids(0, 3)), 0);
        for (int i = 0; i < 3; i++) {
            slot.end(awaitRun(ids(i, i + 1)), 1, Optional.empty());
        }
        awaitPassed(3);
        assertThat(work.failedTrials(SET)).isZero();
    }

    @Test
    void aLossIsThatOfTheTaskUnderWay() {
        work.addBatches(SET, HANDLER, 4, 4);
        start();
        slot.lose(awaitRun(ids(0, 4)), 2);
        slot.end(awaitRun(ids(3, 4)), 1, Optional.empty());
        slot.end(awaitRun(ids(2, 3)), 1, Optional.empty());
        awaitPassed(4);
        assertThat(work.lost(SET)).isEqualTo(1);
    }

    private void endsAll() {
        slot.running().forEach(run -> slot.end(run, run.ids().size(), Optional.empty()));
    }

    @Test
    void goesOnWhenTheAgentIsGoneForGoodAndAnotherOneComes() {
        work.addBatches(SET, HANDLER, 4, 4);
        start();
        slot.loseForGood(awaitRun(ids(0, 4)), 1);
        await().untilAsserted(() -> assertThat(work.lost(SET)).isEqualTo(1));
        slot.comeBack();
        await().until(() -> {
            endsAll();
            return work.passed(SET) == 4;
        });
        assertThat(engine.status().fault()).isEmpty();
    }

    @Test
    void goesOnWhenTheContainerEndsAndAnotherOneComes() {
        work.addBatches(SET, HANDLER, 4, 4);
        start();
        slot.leave(awaitRun(ids(0, 4)), 1);
        awaitPassed(1);
        slot.comeBack();
        await().until(() -> {
            endsAll();
            return work.passed(SET) == 4;
        });
        assertThat(engine.status().fault()).isEmpty();
        assertThat(work.lost(SET)).isZero();
    }

    @Test
    void claimsNothingThatNoSlotCouldTake() {
        BatchExecutor two = new BatchExecutor(2, HANDLER);
        work.addBatches(SET, HANDLER, 4, 1000);
        start(two);
        await().until(() -> two.running().size() == 2);
        AtomicInteger before = new AtomicInteger();
        await("a second without a task that goes back")
                .during(Duration.ofSeconds(1))
                .until(() -> {
                    int now = work.returned(SET);
                    return before.getAndSet(now) == now;
                });
        assertThat(work.held(SET)).isBetween(2, 8);
    }

    @Test
    void ofASuspendedSetWhatHadEndedCountsAndTheRestGoesBack() {
        work.addBatches(SET, HANDLER, 4, 4);
        start();
        awaitRun(ids(0, 4));
        work.status(SET, SourceStatus.SUSPENDED);
        await().untilAsserted(() -> assertThat(work.returned(SET)).isEqualTo(3));
        awaitPassed(1);
        assertThat(work.failedTrials(SET)).isZero();
        assertThat(work.held(SET)).isZero();
    }

    @Test
    void ofASessionThatIsOverNothingIsCountedAndEveryPermitComesBack() {
        work.addBatches(SET, HANDLER, 4, 4);
        start();
        awaitRun(ids(0, 4));
        work.fence();
        await().untilAsserted(() -> assertThat(work.sessions()).isEqualTo(2));
        await().untilAsserted(() -> assertThat(slot.dispatched()).hasSizeGreaterThan(1));
        assertThat(work.passed(SET)).isZero();
        await().until(() -> {
            slot.running().forEach(run -> slot.end(run, run.ids().size(), Optional.empty()));
            return work.passed(SET) == 4;
        });
    }

    @Test
    void anEngineThatComesAfterItTakesAllOfThemOverInOrder() {
        work.addBatches(SET, HANDLER, 4, 4);
        start();
        awaitRun(ids(0, 4));
        slot.orphan();
        engine.abort();
        start();
        await().untilAsserted(
                        () -> assertThat(engine.stats().of(Counter.ADOPTED)).isEqualTo(4));
        slot.end(awaitRun(ids(0, 4)), 2, Optional.of(FAILED));
        slot.end(awaitRun(ids(3, 4)), 1, Optional.empty());
        slot.end(awaitRun(ids(2, 3)), 1, Optional.empty());
        awaitPassed(4);
        assertThat(work.failedTrials(SET)).isEqualTo(1);
        assertThat(work.lost(SET)).isZero();
    }

    @Test
    void withoutAWishTheLengthFollowsTheRunTime() {
        work.addCalls(SET, HANDLER, 400);
        start();
        List<Integer> sizes = new ArrayList<>();
        while (work.passed(SET) < 400) {
            slot.running().forEach(run -> {
                sizes.add(run.ids().size());
                slot.end(run, run.ids().size(), Optional.empty());
            });
        }
        // Each is told to have run for a millisecond.
        assertThat(sizes).containsOnly(1);
    }
}
