package dev.quiver.lifecycle.taskset;

import static dev.quiver.lifecycle.taskset.World.allFailed;
import static dev.quiver.lifecycle.taskset.World.allPassed;
import static dev.quiver.lifecycle.taskset.World.claim;
import static dev.quiver.lifecycle.taskset.World.failed;
import static dev.quiver.lifecycle.taskset.World.limits;
import static dev.quiver.lifecycle.taskset.World.lost;
import static dev.quiver.lifecycle.taskset.World.passed;
import static dev.quiver.lifecycle.taskset.World.places;
import static dev.quiver.lifecycle.taskset.World.spec;
import static dev.quiver.lifecycle.taskset.World.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.ordinals.OrdinalFeed;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSession.HeartbeatOutcome.SetNews;

/** The contract of TaskSets when nothing breaks. Failures of workers and of Redis have tests of their own. */
abstract class TaskSetContract {

    private World world;

    /** The entrance under test, with a lease of 10 s. */
    abstract Lifecycle lifecycle();

    /** Lets the retry time of every delayed task of a set come. */
    abstract void passDelays(World world, String uid);

    @BeforeEach
    void makeWorld() {
        world = new World(lifecycle());
    }

    @AfterEach
    void closeWorld() {
        world.close();
    }

    @Test
    void opensOnceForAUid() {
        TaskSetOpening opening = TaskSetOpening.of("u", "p", World.count(5), TaskSetLimits.DEFAULT);
        assertThat(world.control.open(opening)).isEqualTo(new TaskSetControl.OpenOutcome.Open(true, 5, true));
        assertThat(world.control.open(opening)).isEqualTo(new TaskSetControl.OpenOutcome.Open(false, 5, true));
        assertThat(world.control.present()).containsExactly("u");
        assertThat(world.look("u").queued()).isEqualTo(5);
    }

    @Test
    void runsEveryTaskOnceAndSucceeds() {
        world.open("u", 5);
        WorkerSession session = world.session("a");
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Picked("u"));

        List<Claim> first = claim(session, "u", 3);
        assertThat(first).extracting(World::id).containsExactly(0L, 1L, 2L);
        assertThat(first).extracting(Claim::trial).containsOnly(1);
        assertThat(first).extracting(Claim::place).containsExactlyElementsOf(places(3));
        assertThat(world.look("u").running()).isEqualTo(3);

        StepCall.Outcome.Done second = step(session, "u", allPassed(first), 3);
        assertThat(second.verdicts()).containsOnly(StepCall.Verdict.COUNTED).hasSize(3);
        assertThat(second.claims()).extracting(World::id).containsExactly(3L, 4L);

        StepCall.Outcome.Done last = step(session, "u", allPassed(second.claims()), 3);
        assertThat(last.status()).isEqualTo(SourceStatus.OVER);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(last.member()).isFalse();

        TaskSetSnapshot end = world.look("u");
        assertThat(end.reason()).isEqualTo("AllTasksSucceeded");
        assertThat(end.succeeded()).isEqualTo(5);
        assertThat(end.trials()).isEqualTo(5);
        assertThat(end.runTime()).isEqualTo(Duration.ofMillis(500));
        assertThat(end.passedRunTime()).isEqualTo(Duration.ofMillis(500));
        assertThat(end.finishedAt()).isPresent();
        assertThat(end.workers()).isZero();
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Nothing());
    }

    @Test
    void retriesAtTheFrontUntilTrialsAreSpent() {
        world.open("u", 3, limits(2, 3, 0));
        WorkerSession session = world.session("a");
        List<Claim> first = claim(session, "u", 1);

        StepCall.Outcome.Done again = step(session, "u", allFailed(first), 1);
        assertThat(again.verdicts()).containsExactly(StepCall.Verdict.RETRIED);
        assertThat(again.claims()).extracting(World::id).containsExactly(0L);
        assertThat(again.claims()).extracting(Claim::trial).containsExactly(2);
        assertThat(world.look("u").failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.last()).isFalse());

        StepCall.Outcome.Done spent = step(session, "u", allFailed(again.claims()), 2);
        assertThat(spent.verdicts()).containsExactly(StepCall.Verdict.COUNTED);
        StepCall.Outcome.Done end = step(session, "u", allPassed(spent.claims()), 1);
        assertThat(end.status()).isEqualTo(SourceStatus.OVER);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.FAILED);

        TaskSetSnapshot snapshot = world.look("u");
        assertThat(snapshot.reason()).isEqualTo("TasksFailed");
        assertThat(snapshot.failed()).isEqualTo(1);
        assertThat(snapshot.trials()).isEqualTo(4);
        assertThat(snapshot.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.last()).isTrue();
            assertThat(failure.task()).isEqualTo("t0");
            assertThat(failure.trial()).isEqualTo(2);
            assertThat(failure.exitCode()).contains(1);
            assertThat(failure.message()).isEqualTo("it broke");
        });
    }

    @Test
    void aFinalFailureEndsATaskWhateverTrialsAreLeft() {
        world.open("u", 2, limits(5, 3, 0));
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 2);
        StepCall.Outcome.Done end =
                step(session, "u", List.of(failed(claims.get(0), Retry.NEVER), passed(claims.get(1))), 2);
        assertThat(end.verdicts()).containsOnly(StepCall.Verdict.COUNTED);
        assertThat(end.status()).isEqualTo(SourceStatus.OVER);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.FAILED);
        TaskSetSnapshot snapshot = world.look("u");
        assertThat(snapshot.failed()).isEqualTo(1);
        assertThat(snapshot.trials()).isEqualTo(2);
        assertThat(snapshot.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.last()).isTrue());
    }

    private static Retry after(int millis) {
        return new Retry.After(Duration.ofMillis(millis));
    }

    @Test
    void keepsADelayedTaskBackUntilItsTimeAndThenWakesAWorker() {
        world.open("u", 3);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 2);
        StepCall.Outcome.Done later =
                step(session, "u", List.of(failed(claims.get(0), after(3_600_000)), passed(claims.get(1))), 3);
        assertThat(later.verdicts()).containsExactly(StepCall.Verdict.RETRIED, StepCall.Verdict.COUNTED);
        assertThat(later.claims()).extracting(World::id).containsExactly(2L);
        assertThat(later.claimable()).isZero();
        StepCall.Outcome.Done waits = step(session, "u", allPassed(later.claims()), 3);
        assertThat(waits.status()).isEqualTo(SourceStatus.RUNNING);
        assertThat(waits.claims()).isEmpty();
        assertThat(world.look("u").queued()).isEqualTo(1);
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Nothing());
        while (session.awaitWork(Duration.ofMillis(1)).isPresent()) {
            // Tokens of what was claimed above.
        }
        world.reaper.tick();
        passDelays(world, "u");
        Awaitility.await("a heartbeat asks for a look")
                .until(() -> ((WorkerSession.HeartbeatOutcome.Renewed) World.heartbeat(session, List.of(), 0, false))
                        .reapDue());

        Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> {
            world.reaper.tick();
            return session.awaitWork(Duration.ofMillis(1)).isPresent();
        });
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Picked("u"));
        List<Claim> again = claim(session, "u", 3);
        assertThat(again).extracting(World::id, Claim::trial).containsExactly(tuple(0L, 2));
        assertThat(step(session, "u", allPassed(again), 0).status()).isEqualTo(SourceStatus.OVER);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUCCEEDED);
    }

    @Test
    void aWorkerOfTheSetFindsItsDelayedTasksByItself() {
        world.open("u", 50);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 2);
        step(session, "u", List.of(failed(claims.get(0), after(1)), failed(claims.get(1), after(3_600_000))), 0);
        Awaitility.await().until(() -> {
            List<Claim> next = claim(session, "u", 1);
            List<Settlement> back = List.of(new Settlement.Returned(next.getFirst()));
            step(session, "u", back, 0);
            return World.id(next.getFirst()) == 0;
        });
        assertThat(world.look("u").queued()).isEqualTo(50);
        assertThat(((WorkerSession.HeartbeatOutcome.Renewed) World.heartbeat(session, List.of("u"), 0, false)).sets())
                .containsEntry("u", SetNews.CLAIMABLE);
    }

    @Test
    void aDelayedTaskOutlivesItsWorkerAndEndsWithItsSet() {
        world.open("u", 1);
        WorkerSession session = world.session("a");
        step(session, "u", List.of(failed(claim(session, "u", 1).getFirst(), after(3_600_000))), 0);
        session.close();
        assertThat(world.look("u").queued()).isEqualTo(1);
        assertThat(news(world.session("b"), "u")).isEqualTo(SetNews.RUNNING);
        world.control.changeStatus("u", new StatusChange.Suspend());
        world.control.changeStatus("u", new StatusChange.Resume());
        world.control.adjust("u", 3, 0, Duration.ofHours(1));
        assertThat(World.pick(world.session("c")))
                .as("its time has not come, whatever the operator changed")
                .isEqualTo(new WorkerSession.PickOutcome.Nothing());
        world.control.changeStatus("u", new StatusChange.Cancel());
        assertThat(world.look("u").queued()).isZero();
    }

    @Test
    void forgetsTheFailureOfATaskThatPassesLater() {
        world.open("u", 1);
        WorkerSession session = world.session("a");
        StepCall.Outcome.Done again = step(session, "u", allFailed(claim(session, "u", 1)), 1);
        step(session, "u", allPassed(again.claims()), 0);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(world.look("u").failures()).isEmpty();
    }

    @Test
    void keepsEightFailuresAndPrefersThoseThatEndedATask() {
        world.open("u", 20, limits(2, 3, 0));
        WorkerSession session = world.session("a");
        StepCall.Outcome.Done again = step(session, "u", allFailed(claim(session, "u", 12)), 12);
        assertThat(world.look("u").failures()).hasSize(8);
        step(session, "u", List.of(failed(again.claims().get(11))), 0);
        assertThat(world.look("u").failures())
                .hasSize(8)
                .filteredOn(TrialFailure::last)
                .extracting(TrialFailure::task)
                .containsExactly("t11");
        step(session, "u", allFailed(again.claims().subList(0, 11)), 0);
        assertThat(world.look("u").failures()).hasSize(8).allMatch(TrialFailure::last);
    }

    @Test
    void stopsWhenMoreTasksFailedThanAllowed() {
        world.open("u", 10, limits(1, 3, 1));
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 4);
        assertThat(step(session, "u", List.of(failed(claims.get(0))), 0).status())
                .isEqualTo(SourceStatus.RUNNING);
        StepCall.Outcome.Done over = step(session, "u", List.of(failed(claims.get(1))), 4);
        assertThat(over.status()).isEqualTo(SourceStatus.OVER);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.FAILED);
        assertThat(over.claims()).isEmpty();
        assertThat(world.look("u").reason()).isEqualTo("MaxFailedTasksExceeded");
        assertThat(step(session, "u", List.of(passed(claims.get(2))), 0).verdicts())
                .containsExactly(StepCall.Verdict.VOID);
        assertThat(world.look("u").succeeded()).isZero();
    }

    @Test
    void givesBackToTheFrontWithoutATrial() {
        world.open("u", 4);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 3);
        List<Settlement> back = claims.stream()
                .map(one -> (Settlement) new Settlement.Returned(one))
                .toList();
        assertThat(step(session, "u", back, 0).member()).isFalse();
        assertThat(world.look("u").queued()).isEqualTo(4);

        List<Claim> again = claim(world.session("b"), "u", 4);
        assertThat(again).extracting(World::id).containsExactly(0L, 1L, 2L, 3L);
        assertThat(again).extracting(Claim::trial).containsOnly(1);
        assertThat(world.look("u").trials()).isZero();
    }

    @Test
    void aLostExecutorUsesNoTrialButEndsATaskThatKeepsKillingIt() {
        world.open("u", 1, limits(1, 2, 0));
        WorkerSession session = world.session("a");
        List<Claim> first = claim(session, "u", 1);
        StepCall.Outcome.Done again = step(session, "u", List.of(lost(first.getFirst())), 1);
        assertThat(again.verdicts()).containsExactly(StepCall.Verdict.RETRIED);
        assertThat(again.claims()).extracting(World::id, Claim::trial).containsExactly(tuple(0L, 2));
        assertThat(world.look("u").trials()).isZero();
        assertThat(world.look("u").lost()).isEqualTo(1);

        StepCall.Outcome.Done end =
                step(session, "u", List.of(lost(again.claims().getFirst())), 1);
        assertThat(end.verdicts()).containsExactly(StepCall.Verdict.COUNTED);
        assertThat(end.status()).isEqualTo(SourceStatus.OVER);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.FAILED);
        TaskSetSnapshot snapshot = world.look("u");
        assertThat(snapshot.failed()).isEqualTo(1);
        assertThat(snapshot.trials()).isZero();
        assertThat(snapshot.lost()).isEqualTo(2);
        assertThat(snapshot.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.reason()).isEqualTo("WorkerLost");
            assertThat(failure.message()).isEqualTo("its executor died");
            assertThat(failure.last()).isTrue();
        });
    }

    @Test
    void aTaskThatPassesAfterALossLeavesNoTrace() {
        world.open("u", 1);
        WorkerSession session = world.session("a");
        StepCall.Outcome.Done again =
                step(session, "u", List.of(lost(claim(session, "u", 1).getFirst())), 1);
        assertThat(step(session, "u", allPassed(again.claims()), 0).status()).isEqualTo(SourceStatus.OVER);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(world.look("u").failures()).isEmpty();
        assertThat(world.look("u").trials()).isEqualTo(1);
    }

    @Test
    void recordsAMoveFromTheRingIntoASlot() {
        world.open("u", 1);
        WorkerSession session = world.session("a");
        StepCall.Outcome outcome =
                World.prepare(session, "u", List.of(), List.of(Place.queued(4))).run();
        Claim claim = ((StepCall.Outcome.Done) outcome).claims().getFirst();
        assertThat(claim.place().isQueued()).isTrue();
        assertThat(step(session, "u", List.of(new Settlement.Moved(claim, Place.slot(3, 9))), 0)
                        .verdicts())
                .containsExactly(StepCall.Verdict.COUNTED);
        assertThat(step(session, "u", List.of(passed(claim)), 0).verdicts()).containsExactly(StepCall.Verdict.COUNTED);
    }

    @Test
    void refusesASettlementThatIsNotHeld() {
        world.open("u", 2);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 2);
        step(session, "u", List.of(passed(claims.get(0))), 0);
        Claim other = claims.get(1);
        Claim forged = new Claim("u", other.id(), other.fence() + 7, other.place(), other.task());
        assertThat(step(session, "u", List.of(passed(claims.get(0)), passed(forged)), 0)
                        .verdicts())
                .containsExactly(StepCall.Verdict.ALREADY, StepCall.Verdict.ALREADY);
        assertThat(world.look("u").succeeded()).isEqualTo(1);
        assertThat(world.look("u").running()).isEqualTo(1);
    }

    @Test
    void feedsByOffsetAndFinishesWhenClosed() {
        world.control.open(TaskSetOpening.of("u", "p", spec(new TaskSource.Lines()), TaskSetLimits.DEFAULT));
        WorkerSession session = world.session("a");
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Nothing());
        assertThat(world.control.feed("u", 0, List.of("a", "b"), false)).isEqualTo(new OrdinalFeed.Outcome.Fed(2));
        assertThat(world.control.feed("u", 0, List.of("a", "b"), false)).isEqualTo(new OrdinalFeed.Outcome.Fed(2));
        assertThat(world.control.feed("u", 1, List.of("b", "c"), false)).isEqualTo(new OrdinalFeed.Outcome.Fed(3));
        assertThat(world.control.feed("u", 9, List.of("x"), false)).isEqualTo(new OrdinalFeed.Outcome.Gap(3));

        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Picked("u"));
        List<Claim> claims = claim(session, "u", 8);
        assertThat(claims)
                .extracting(one -> ((TaskSetTask) one.task()).payload().orElseThrow())
                .containsExactly("a", "b", "c");
        assertThat(step(session, "u", allPassed(claims), 0).status()).isEqualTo(SourceStatus.RUNNING);
        assertThat(world.control.feed("u", 3, List.of(), true)).isEqualTo(new OrdinalFeed.Outcome.Fed(3));
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(world.control.feed("u", 3, List.of("d"), true)).isEqualTo(new OrdinalFeed.Outcome.Closed());
        assertThat(world.control.feed("no", 0, List.of("d"), true)).isEqualTo(new OrdinalFeed.Outcome.Gone());
    }

    @Test
    void boundsThePayloadOfAClaim() {
        world.control.open(TaskSetOpening.of("u", "p", spec(new TaskSource.Lines()), TaskSetLimits.DEFAULT));
        String large = "x".repeat(30_000);
        world.control.feed("u", 0, IntStream.range(0, 10).mapToObj(i -> large).toList(), false);
        world.control.feed("u", 10, List.of("y".repeat(TaskSetControl.MAX_PAYLOAD_BYTES)), true);
        WorkerSession session = world.session("a");
        assertThat(claim(session, "u", 8)).extracting(World::id).containsExactly(0L, 1L);
        for (int i = 0; i < 4; i++) {
            assertThat(claim(session, "u", 8)).hasSize(2);
        }
        assertThat(claim(session, "u", 8)).extracting(World::id).containsExactly(10L);
        assertThatThrownBy(() -> world.control.feed("u", 0, List.of("z".repeat(262_145)), false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("262145")
                .hasMessageContaining("262144");
    }

    @Test
    void cancelVoidsWhatRuns() {
        world.open("u", 5);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 2);
        step(session, "u", List.of(passed(claims.get(0))), 0);
        assertThat(world.control.changeStatus("u", new StatusChange.Cancel()))
                .isEqualTo(new StatusChange.Outcome.Now(TaskSetState.CANCELLED, true));
        assertThat(world.control.changeStatus("u", new StatusChange.Cancel()))
                .isEqualTo(new StatusChange.Outcome.Now(TaskSetState.CANCELLED, false));
        assertThat(world.control.changeStatus("u", new StatusChange.Fail("TooLate", "no")))
                .isEqualTo(new StatusChange.Outcome.Now(TaskSetState.CANCELLED, false));
        assertThat(news(session, "u")).isEqualTo(SetNews.ENDED);
        StepCall.Outcome.Done late = step(session, "u", List.of(passed(claims.get(1))), 4);
        assertThat(late.verdicts()).containsExactly(StepCall.Verdict.VOID);
        assertThat(late.claims()).isEmpty();
        assertThat(late.member()).isFalse();
        TaskSetSnapshot end = world.look("u");
        assertThat(end.succeeded()).isEqualTo(1);
        assertThat(end.running()).isZero();
        assertThat(end.queued()).isZero();
        assertThat(end.reason()).isEqualTo("Cancelled");
    }

    private static SetNews news(WorkerSession session, String uid) {
        return ((WorkerSession.HeartbeatOutcome.Renewed) World.heartbeat(session, List.of(uid), 1, false))
                .sets()
                .get(uid);
    }

    @Test
    void failsWithTheOperatorsReason() {
        world.open("u", 5);
        world.control.changeStatus("u", new StatusChange.Fail("StoreLost", "Redis was emptied"));
        TaskSetSnapshot end = world.look("u");
        assertThat(end.status()).isEqualTo(TaskSetState.FAILED);
        assertThat(end.reason()).isEqualTo("StoreLost");
        assertThat(end.message()).isEqualTo("Redis was emptied");
        assertThat(world.control.changeStatus("no", new StatusChange.Cancel()))
                .isEqualTo(new StatusChange.Outcome.Gone());
    }

    @Test
    void suspendedGivesNothingOutButCounts() {
        world.open("u", 4);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 2);
        world.control.changeStatus("u", new StatusChange.Suspend());
        assertThat(news(session, "u")).isEqualTo(SetNews.SUSPENDED);
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Nothing());
        StepCall.Outcome.Done settled =
                step(session, "u", List.of(passed(claims.get(0)), new Settlement.Returned(claims.get(1))), 4);
        assertThat(settled.verdicts()).containsOnly(StepCall.Verdict.COUNTED);
        assertThat(settled.claims()).isEmpty();
        world.control.changeStatus("u", new StatusChange.Resume());
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Picked("u"));
        assertThat(claim(session, "u", 4)).extracting(World::id).containsExactly(1L, 2L, 3L);
    }

    @Test
    void opensSuspendedWithoutAStart() {
        world.control.open(new TaskSetOpening(
                "u", "p", World.count(1), new TaskSetLimits(1, 1, 0, Duration.ofMillis(1)), 0, 0, true));
        assertThat(world.look("u").startedAt()).isEmpty();
        assertThat(world.control.changeStatus("u", new StatusChange.Expire()))
                .isEqualTo(new StatusChange.Outcome.Now(TaskSetState.SUSPENDED, false));
        world.control.adjust("u", 0, 0, Duration.ofHours(1));
        world.control.changeStatus("u", new StatusChange.Resume());
        assertThat(world.look("u").startedAt()).isPresent();
    }

    @Test
    void endsAtItsDeadlineByTheClockOfRedis() {
        world.open("u", 4, new TaskSetLimits(1, 1, 0, Duration.ofHours(1)));
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 1);
        assertThat(world.control.changeStatus("u", new StatusChange.Expire()))
                .isEqualTo(new StatusChange.Outcome.Now(TaskSetState.RUNNING, false));
        world.control.adjust("u", 0, 0, Duration.ofMillis(1));
        Awaitility.await().until(() -> news(session, "u") == SetNews.ENDED);
        StepCall.Outcome.Done late = step(session, "u", allPassed(claims), 1);
        assertThat(late.verdicts()).containsExactly(StepCall.Verdict.VOID);
        assertThat(world.look("u").reason()).isEqualTo("DeadlineExceeded");

        world.open("v", 4, new TaskSetLimits(1, 1, 0, Duration.ofMillis(1)));
        Awaitility.await()
                .until(() -> world.control
                        .changeStatus("v", new StatusChange.Expire())
                        .equals(new StatusChange.Outcome.Now(TaskSetState.FAILED, true)));
    }

    @Test
    void letsNoMoreWorkersInThanAllowed() {
        world.open("u", 10, 1);
        WorkerSession one = world.session("a");
        WorkerSession other = world.session("b");
        List<Claim> claims = claim(one, "u", 2);
        assertThat(World.pick(other)).isEqualTo(new WorkerSession.PickOutcome.Nothing());
        assertThat(claim(other, "u", 2)).isEmpty();

        world.control.adjust("u", 2, 0, Duration.ZERO);
        assertThat(World.pick(other)).isEqualTo(new WorkerSession.PickOutcome.Picked("u"));
        List<Claim> theirs = claim(other, "u", 2);
        assertThat(theirs).hasSize(2);
        assertThat(world.look("u").workers()).isEqualTo(2);

        world.control.adjust("u", 1, 0, Duration.ZERO);
        assertThat(step(other, "u", allPassed(theirs), 2).member()).isFalse();
        assertThat(step(one, "u", allPassed(claims), 2).claims()).hasSize(2);
    }

    @Test
    void marksWhatChangedUntilItIsWritten() {
        world.open("u", 2);
        world.open("v", 2);
        WorkerSession session = world.session("a");
        List<DirtyMark> marks = world.control.dirty(10);
        assertThat(marks).extracting(DirtyMark::uid).containsExactly("u", "v");
        claim(session, "u", 1);
        world.control.clean(marks);
        assertThat(world.control.dirty(10)).extracting(DirtyMark::uid).containsExactly("u");
        world.control.clean(world.control.dirty(10));
        assertThat(world.control.dirty(10)).isEmpty();
        step(session, "v", List.of(), 0);
        assertThat(world.control.dirty(10)).isEmpty();
    }

    @Test
    void refusesALeaderThatWasReplaced() {
        world.open("u", 1);
        TaskSetControl successor = lifecycle().control(world.keyspace, 2);
        successor.changeStatus("u", new StatusChange.Suspend());
        assertThatThrownBy(() -> world.control.changeStatus("u", new StatusChange.Resume()))
                .isInstanceOf(StaleLeaderException.class);
        assertThatThrownBy(() -> world.control.drop("u")).isInstanceOf(StaleLeaderException.class);
        assertThatThrownBy(() -> world.open("v", 1)).isInstanceOf(StaleLeaderException.class);
        assertThatThrownBy(() -> world.control.clean(successor.dirty(10))).isInstanceOf(StaleLeaderException.class);
        assertThat(successor.dirty(10)).extracting(DirtyMark::uid).containsExactly("u");
        assertThat(successor.present()).containsExactly("u");
        assertThat(successor.snapshot(List.of("u")).get("u").status()).isEqualTo(TaskSetState.SUSPENDED);
    }

    @Test
    void tellsWorkersOfADroppedSetAndRefusesItsUid() {
        world.open("u", 5);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 2);
        world.control.drop("u");
        world.control.drop("u");
        assertThat(news(session, "u")).isEqualTo(SetNews.GONE);
        assertThat(World.prepare(session, "u", allPassed(claims), places(1)).run())
                .isEqualTo(new StepCall.Outcome.Gone());
        assertThat(world.control.open(TaskSetOpening.of("u", "p", World.count(5), TaskSetLimits.DEFAULT)))
                .isEqualTo(new TaskSetControl.OpenOutcome.Buried());
        assertThat(world.control.feed("u", 0, List.of("a"), true)).isEqualTo(new OrdinalFeed.Outcome.Gone());
        assertThat(world.control.snapshot(List.of("u"))).isEmpty();
        assertThat(world.control.present()).isEmpty();
        assertThat(world.control.dirty(10)).isEmpty();
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Nothing());
    }

    @Test
    void tellsWhatToExecute() {
        ExecutionSpec spec = World.count(3);
        world.control.open(TaskSetOpening.of("u", "p", spec, limits(7, 3, 0)));
        WorkerSession session = world.session("a");
        assertThat(claim(session, "u", 1).getFirst().task())
                .isEqualTo(new TaskSetTask("u", spec.allowing(7), 0, 1, Optional.empty()));
        assertThat(session.source("no")).isEmpty();
    }

    private static List<Place> queued(int number) {
        return IntStream.range(0, number).mapToObj(Place::queued).toList();
    }

    @Test
    void boundsABatch() {
        world.open("u", 1000, limits(1, 3, 0));
        WorkerSession session = world.session("a");
        assertThatThrownBy(() -> World.prepare(session, "u", List.of(), queued(StepCall.MAX_CLAIMS + 1)))
                .isInstanceOf(IllegalArgumentException.class);
        StepCall.Outcome.Done most =
                (StepCall.Outcome.Done) World.prepare(session, "u", List.of(), queued(StepCall.MAX_CLAIMS))
                        .run();
        assertThat(most.claims()).hasSize(StepCall.MAX_CLAIMS);
        assertThatThrownBy(() -> World.prepare(session, "u", allFailed(most.claims()), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most " + StepCall.MAX_FAILURES);
        StepCall.Outcome.Done passed = (StepCall.Outcome.Done)
                World.prepare(session, "u", allPassed(most.claims()), queued(StepCall.MAX_CLAIMS))
                        .run();
        assertThat(passed.verdicts()).hasSize(StepCall.MAX_SETTLEMENTS).containsOnly(StepCall.Verdict.COUNTED);
        assertThat(step(session, "u", allFailed(passed.claims().subList(0, StepCall.MAX_FAILURES)), 0)
                        .verdicts())
                .hasSize(StepCall.MAX_FAILURES);
        assertThatThrownBy(() -> world.control.feed("u", 0, java.util.Collections.nCopies(201, "x"), false))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
