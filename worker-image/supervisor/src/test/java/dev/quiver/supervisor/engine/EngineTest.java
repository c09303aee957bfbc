package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.supervisor.engine.session.BatchSize;
import dev.quiver.supervisor.engine.session.MemorySource;
import dev.quiver.supervisor.engine.store.Counter;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.HandExecutor;
import dev.quiver.supervisor.execution.NoopExecutor;
import dev.quiver.supervisor.execution.TaskExecutor;

@Execution(ExecutionMode.CONCURRENT)
class EngineTest {

    private static final String SET = "set-1";

    private final MemoryWork work = new MemoryWork();
    private final HandExecutor hands = new HandExecutor(4);
    private Engine engine;

    private Engine start(TaskExecutor executor, Duration patience) {
        WorkerIdentity worker = new WorkerIdentity("pool", "p", "pod", "u", "node", executor.slots());
        Reaper reaper = () -> new Reaper.Reaped(0, 0, 0);
        engine = new Engine(work, reaper, executor, new EngineSettings(worker, patience), new StoreTrouble());
        engine.start();
        return engine;
    }

    @AfterEach
    void close() {
        engine.close();
    }

    /** The engine counts when the reply has arrived; what the store did can be seen before. */
    private void awaitCount(Counter counter, long count) {
        await().untilAsserted(() -> assertThat(engine.stats().of(counter)).isEqualTo(count));
    }

    @Test
    void runsEveryTaskOnce() {
        work.add(SET, 1000);
        start(new NoopExecutor(8), Duration.ZERO);
        await().untilAsserted(() -> assertThat(work.passed(SET)).isEqualTo(1000));
        awaitCount(Counter.PASSED, 1000);
        assertThat(engine.stats().of(Counter.CLAIMED))
                .isEqualTo(1000 + engine.stats().of(Counter.RETURNED));
        assertThat(work.held(SET)).isZero();
    }

    @Test
    void neverClaimsMoreThanThereAreSlotsForTasksOfUnknownLength() {
        work.add(SET, 100);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        assertThat(work.held(SET)).isEqualTo(4);
        assertThat(work.mostClaimed(SET)).isEqualTo(4);
    }

    @Test
    void countsEachTaskOnceWhenRepliesAreLost() {
        work.add(SET, 1000);
        work.loseReplies(5);
        start(new NoopExecutor(4), Duration.ZERO);
        await().untilAsserted(() -> assertThat(work.passed(SET)).isEqualTo(1000));
        awaitCount(Counter.PASSED, 1000);
        awaitCount(Counter.RETRIES, 5);
        assertThat(engine.status().storeTrouble()).isEmpty();
    }

    @Test
    void refusesResultsOfAFencedSessionAndGoesOnInANewOne() {
        work.add(SET, 4);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        work.fence();
        hands.passAll();
        await().untilAsserted(() -> assertThat(work.sessions()).isEqualTo(2));
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        assertThat(work.passed(SET)).isZero();
        awaitCount(Counter.REFUSED, 4);
        hands.passAll();
        await().untilAsserted(() -> assertThat(work.passed(SET)).isEqualTo(4));
    }

    @Test
    void stopsTheTasksOfAFencedSession() {
        work.add(SET, 2);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(2));
        work.fence();
        await().untilAsserted(() -> assertThat(hands.cancelled()).isEqualTo(2));
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(2));
        assertThat(work.sessions()).isEqualTo(2);
    }

    @Test
    void stopsTheTasksOfACancelledSet() {
        work.add(SET, 10);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        work.status(SET, SourceStatus.OVER);
        await().untilAsserted(() -> assertThat(hands.cancelled()).isEqualTo(4));
        await().untilAsserted(() -> assertThat(engine.status().busy()).isZero());
        assertThat(work.passed(SET)).isZero();
        assertThat(work.returned(SET)).isZero();
    }

    @Test
    void givesBackTheTasksOfASuspendedSetAndRunsThemAfterTheResume() {
        work.add(SET, 10);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        work.status(SET, SourceStatus.SUSPENDED);
        await().untilAsserted(() -> assertThat(work.returned(SET)).isEqualTo(4));
        assertThat(work.failedTrials(SET)).isZero();
        assertThat(hands.running()).isZero();
        work.status(SET, SourceStatus.RUNNING);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
    }

    @Test
    void drainsWhenRunningTasksHaveEnded() {
        work.add(SET, 10);
        start(hands, Duration.ofMinutes(1));
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        CompletableFuture<Void> drained = engine.drain(DrainCause.PRE_STOP);
        await().untilAsserted(() -> assertThat(engine.status().drain()).isEqualTo(DrainState.DRAINING));
        assertThat(drained).isNotDone();
        hands.passAll();
        await().until(drained::isDone);
        assertThat(work.passed(SET)).isEqualTo(4);
        assertThat(work.queued(SET)).isEqualTo(6);
        assertThat(work.held(SET)).isZero();
    }

    @Test
    void givesBackRunningTasksWhenThePatienceIsOver() {
        work.add(SET, 4);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        CompletableFuture<Void> drained = engine.drain(DrainCause.TERMINATED);
        await().until(drained::isDone);
        assertThat(work.returned(SET)).isEqualTo(4);
        assertThat(work.failedTrials(SET)).isZero();
        assertThat(work.queued(SET)).isEqualTo(4);
    }

    @Test
    void givesBackTasksThatDoNotLeaveTheirSlotsAtTheEndOfADrain() {
        work.add(SET, 4);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        hands.disobey();
        CompletableFuture<Void> drained = engine.drain(DrainCause.TERMINATED);
        await().until(drained::isDone);
        assertThat(work.queued(SET)).isEqualTo(4);
        assertThat(work.held(SET)).isZero();
    }

    @Test
    void servesAgainWhenTheOperatorWithdrawsTheDrain() {
        work.drain(true);
        start(hands, Duration.ofMinutes(1));
        await().untilAsserted(() -> assertThat(engine.status().drain()).isEqualTo(DrainState.DRAINED));
        work.add(SET, 2);
        assertThat(hands.running()).isZero();
        work.drain(false);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(2));
    }

    @Test
    void countsTasksOfADeadAgentAsLostAndRunsThemAgainWhenItIsBack() {
        work.add(SET, 4);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        hands.die();
        awaitCount(Counter.LOST, 4);
        assertThat(work.lost(SET)).isEqualTo(4);
        assertThat(work.lossMessages(SET)).containsExactly(ContainerEnd.UNEXPLAINED);
        assertThat(work.failedTrials(SET)).isZero();
        await().untilAsserted(
                        () -> assertThat(engine.status().executorAbsence()).contains("killed"));
        await().untilAsserted(() -> assertThat(work.queued(SET)).isEqualTo(4));
        hands.arrive();
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
    }

    @Test
    void namesTheSlotOfEveryLongTask() {
        work.add(SET, 12);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        for (int round = 1; round <= 2; round++) {
            int passed = 4 * round;
            // Longer than what is prefetched.
            await().pollDelay(Duration.ofMillis(80)).until(() -> true);
            hands.passAll();
            await().untilAsserted(() -> assertThat(work.passed(SET)).isEqualTo(passed));
            await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
            assertThat(work.holdsForSlots(SET)).isTrue();
        }
    }

    @Test
    void tellsThatATaskFromTheRingRuns() {
        work.add(SET, 10_000);
        hands.passAtOnce(3_000);
        start(hands, Duration.ZERO);
        awaitMove();
        // A task that is told to run keeps its place: telling it frees none for another claim.
        hands.passAtOnce(10_000);
        hands.passAll();
        await().untilAsserted(() -> assertThat(work.passed(SET)).isEqualTo(10_000));
        assertThat(engine.status().fault()).isEmpty();
    }

    /**
     * A busy machine can hold up the last of the quick tasks. The engine takes them all for slow ones then and has none
     * in the queue. Some more are quick from time to time, until there are.
     */
    private void awaitMove() {
        AtomicLong again = new AtomicLong(System.nanoTime());
        await().until(() -> {
            if (work.moved(SET) == 0
                    && System.nanoTime() - again.get() > Duration.ofSeconds(3).toNanos()) {
                again.set(System.nanoTime());
                hands.passAtOnce(100);
                hands.passAll();
            }
            return work.moved(SET) > 0;
        });
    }

    @Test
    void claimsMoreInOneStepWhereTheRoundTripIsLong() {
        work.add(SET, 20_000);
        work.roundTrip(Duration.ofMillis(4));
        start(new NoopExecutor(64), Duration.ZERO);
        await().untilAsserted(() -> assertThat(work.passed(SET)).isEqualTo(20_000));
        assertThat(work.mostClaimed(SET)).isGreaterThan(BatchSize.FEEDING).isLessThanOrEqualTo(StepCall.MAX_CLAIMS);
    }

    @Test
    void givesASlotThatRunsATaskNoOther() {
        work.add(SET, 8);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        hands.freeLate(1);
        hands.announce("square");
        await().untilAsserted(() -> assertThat(work.handlers()).containsExactly("square"));
        assertThat(engine.status().free()).isZero();
        hands.passAll();
        await().untilAsserted(() -> assertThat(work.passed(SET)).isEqualTo(4));
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
    }

    @Test
    void keepsOutOfASlotThatBrokeTheRules() {
        work.add(SET, 8);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        hands.violate(2);
        await().untilAsserted(() -> assertThat(engine.status().violation()).contains("words ran backwards"));
        await().untilAsserted(() -> assertThat(work.trouble()).contains("words ran backwards"));
        await().untilAsserted(() -> assertThat(work.lost(SET)).isEqualTo(1));
        hands.passAll();
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(3));
    }

    /** The engine dies as by a kill -9, and another one begins in its pod. */
    private void startAgain() {
        hands.orphan();
        engine.abort();
        start(hands, Duration.ZERO);
    }

    @Test
    void takesOverWhatTheEngineBeforeHadStarted() {
        work.add(SET, 6);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        startAgain();
        awaitCount(Counter.ADOPTED, 4);
        assertThat(hands.running()).isEqualTo(4);
        assertThat(hands.cancelled()).isZero();
        assertThat(hands.adoptedLimits()).containsExactly(MemorySource.LIMIT);
        assertThat(work.lost(SET)).isZero();
        hands.passAll();
        await().untilAsserted(() -> assertThat(work.passed(SET)).isEqualTo(4));
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(2));
        awaitCount(Counter.PASSED, 4);
    }

    @Test
    void reportsWhatEndedWhileNoEngineLooked() {
        work.add(SET, 4);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        hands.orphan();
        engine.abort();
        hands.passUnseen(1);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(work.passed(SET)).isEqualTo(1));
        await().untilAsserted(() -> assertThat(engine.status().free()).isEqualTo(1));
        assertThat(work.lost(SET)).isZero();
    }

    @Test
    void stopsWhatRedisDoesNotKnowOfAnyMore() {
        work.add(SET, 4);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        hands.orphan();
        engine.abort();
        hands.passUnseen(3);
        work.fence();
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.cancelled()).isEqualTo(3));
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        assertThat(work.passed(SET)).isZero();
        hands.passAll();
        await().untilAsserted(() -> assertThat(work.passed(SET)).isEqualTo(4));
    }

    @Test
    void settlesWhatItTookOverInASlotThatBrokeMeanwhile() {
        work.add(SET, 4);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        hands.orphan();
        engine.abort();
        work.hold();
        start(hands, Duration.ofHours(1));
        await().untilAsserted(() -> assertThat(work.adoptions()).isEqualTo(1));
        hands.violate(1);
        await().untilAsserted(
                        () -> assertThat(engine.stats().of(Counter.VIOLATIONS)).isEqualTo(1));
        work.release();
        await().untilAsserted(() -> assertThat(work.lost(SET)).isEqualTo(1));
        assertThat(work.held(SET)).isEqualTo(3);
        assertThat(hands.running()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1H", "PT0S"})
    void startsNothingThatWasClaimedWhenTheDrainBegan(Duration patience) {
        work.add(SET, 100);
        start(hands, patience);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        work.hold();
        hands.passAll();
        // The first result may have gone alone: the others wait for the answer to its step.
        await().untilAsserted(() -> assertThat(work.passed(SET)).isPositive());
        CompletableFuture<Void> drained = engine.drain(DrainCause.PRE_STOP);
        await().until(() -> drained.isDone() || !patience.isZero());
        await().until(() -> engine.status().drain() != DrainState.SERVING);
        work.release();
        await().untilAsserted(() -> assertThat(work.queued(SET)).isEqualTo(96));
        assertThat(hands.started()).hasSize(4);
        await().until(drained::isDone);
    }

    @Test
    void claimsOnlyCallsOfHandlersThatItsPodServes() {
        work.addCalls("calls", "square", 10);
        work.addCalls("others", "cube", 10);
        work.add(SET, 2);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(work.held(SET)).isEqualTo(2));
        assertThat(work.mostClaimed("calls")).isZero();
        hands.announce("square", "root");
        await().untilAsserted(() -> assertThat(work.held("calls")).isEqualTo(2));
        await().untilAsserted(() -> assertThat(work.handlers()).containsExactly("root", "square"));
        hands.passAll();
        await().untilAsserted(() -> assertThat(work.held("calls")).isEqualTo(4));
        assertThat(work.mostClaimed("others")).isZero();
    }

    @Test
    void tasksOfOneSourceMayNeedDifferentHandlers() {
        work.addMixed("tasks", 12, "square", "cube", "root");
        hands.announceAtStart("square", "root");
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        await().untilAsserted(() -> {
            hands.passAll();
            assertThat(work.passed("tasks")).isEqualTo(8);
        });
        assertThat(work.queued("tasks")).as("those that need cube").isEqualTo(4);
        hands.announce("cube", "root", "square");
        await().untilAsserted(() -> assertThat(hands.ids()).contains("tasks/1", "tasks/4"));
        await().untilAsserted(() -> {
            hands.passAll();
            assertThat(work.passed("tasks")).isEqualTo(12);
        });
    }

    @Test
    void passesTheTokenOnThatItTookForSetsOfOthers() {
        start(hands, Duration.ZERO);
        work.addCalls("others", "cube", 10);
        await().untilAsserted(() -> assertThat(work.passedOn()).isPositive());
        int before = work.passedOn();
        work.addCalls("more", "root", 10);
        await().untilAsserted(() -> assertThat(work.passedOn()).isGreaterThan(before));
        assertThat(work.mostClaimed("others")).isZero();
    }

    @Test
    void claimsNoCallsWhileTheirHandlerIsWithdrawn() {
        work.addCalls("calls", "square", 10);
        hands.announceAtStart("square");
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        hands.announce();
        await().untilAsserted(() -> assertThat(work.handlers()).isEmpty());
        hands.passAll();
        await().untilAsserted(() -> assertThat(work.passed("calls")).isEqualTo(4));
        work.add(SET, 1);
        await().untilAsserted(() -> assertThat(work.held(SET)).isEqualTo(1));
        assertThat(work.held("calls")).isZero();
        hands.announce("square");
        await().untilAsserted(() -> assertThat(work.held("calls")).isEqualTo(3));
    }

    @Test
    void aSmallSetDoesNotWaitForTheEndOfALargeOne() {
        work.add("large", 1_000_000);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        work.add("small", 10);
        await().untilAsserted(() -> {
            hands.passAll();
            assertThat(work.passed("small")).isEqualTo(10);
        });
        int before = work.passed("large");
        await().untilAsserted(() -> {
            hands.passAll();
            assertThat(work.passed("large")).isGreaterThan(before + 10);
        });
    }

    /** Glances are a second apart; a round of the tasks here takes milliseconds. */
    @Test
    void theNextFreeSlotsAreForASetOfAHigherPriority() {
        work.add("low", 1_000_000);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        passRounds("low", 40);
        int before = work.passed("low");
        work.add("high", 8);
        work.rank("high", 5);
        await().untilAsserted(() -> {
            hands.passAll();
            assertThat(work.passed("high")).isEqualTo(8);
        });
        assertThat(work.passed("low")).as("one round and what was claimed").isLessThan(before + 16);
    }

    private void passRounds(String uid, int tasks) {
        int before = work.passed(uid);
        await().untilAsserted(() -> {
            hands.passAll();
            assertThat(work.passed(uid)).isGreaterThan(before + tasks);
        });
    }

    @Test
    void aSetOfAHigherPriorityThatIsForOtherPodsCostsAPickASecond() {
        work.add("low", 1_000_000);
        work.add("other", 1_000_000);
        work.addCalls("high", "square", 5);
        work.rank("high", 5);
        Engine engine = start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        long begun = System.nanoTime();
        long before = engine.stats().of(Counter.PICKS);
        passRounds("low", 400);
        long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
        assertThat(engine.stats().of(Counter.PICKS) - before).isLessThan(10 + 4 * seconds);
    }

    @Test
    void goesOnToTheNextSetWhenOneIsDry() {
        work.add(SET, 2);
        work.add("set-2", 5);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
        assertThat(work.held(SET)).isEqualTo(2);
        assertThat(work.held("set-2")).isEqualTo(2);
        hands.passAll();
        await().untilAsserted(() -> assertThat(work.held("set-2")).isEqualTo(3));
    }

    /** An engine that has run one task of a set and waits for the set's token. */
    private void awaitDry() {
        work.silence();
        work.add(SET, 1);
        start(hands, Duration.ZERO);
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(1));
        hands.passAll();
        awaitCount(Counter.PASSED, 1);
    }

    /** One more task, of which a token tells; returns whether the thread that gave the token prepared the step. */
    private boolean runOneMore() {
        int before = work.passed(SET);
        work.feed(SET);
        while (!work.ring(SET)) {
            LockSupport.parkNanos(100_000); // not by another thread
        }
        boolean here = work.lastPrepared() == Thread.currentThread();
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(1));
        hands.passAll();
        awaitCount(Counter.PASSED, before + 1);
        assertThat(work.passed(SET)).isEqualTo(before + 1);
        return here;
    }

    @Test
    void theThreadThatReadsATokenSendsTheClaim() {
        awaitDry();
        boolean here = false;
        for (int task = 0; task < 50 && !here; task++) {
            here = runOneMore(); // not the first ones, if the claim is not ready yet
        }
        assertThat(here).isTrue();
        assertThat(work.held(SET)).isZero();
        assertThat(work.passedOn()).isZero();
    }

    @Test
    void aClaimThatAnotherThreadSentIsRepeatedWhenItsReplyIsLost() {
        awaitDry();
        for (int task = 0; task < 5; task++) {
            work.loseReplies(1);
            runOneMore();
        }
        assertThat(engine.stats().of(Counter.RETRIES)).isEqualTo(5);
        assertThat(work.held(SET)).isZero();
    }

    @Test
    void aClaimThatWaitsForATokenKeepsNoDrainFromItsEnd() {
        awaitDry();
        assertThat(engine.drain(DrainCause.PRE_STOP)).succeedsWithin(Duration.ofSeconds(2));
        work.feed(SET);
        work.ring(SET);
        await().untilAsserted(() -> assertThat(work.passedOn()).isPositive());
        assertThat(work.queued(SET)).isEqualTo(1);
        assertThat(hands.running()).isZero();
    }
}
