package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.ordinals.FailureRules;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkerSession;

/** The effect of a set's rules on failed trials, as its numbers and its end show it. */
class FailurePolicyIT {

    private static final FailureRules RULES = new FailureRules(
            List.of(
                    new FailureRules.Rule(
                            FailureRules.Action.PENDING, new FailureRules.Failures.ExitCodes(true, Set.of(5))),
                    new FailureRules.Rule(
                            FailureRules.Action.FAIL_SOURCE, new FailureRules.Failures.ExitCodes(true, Set.of(42))),
                    new FailureRules.Rule(
                            FailureRules.Action.FAIL_TASK, new FailureRules.Failures.ExitCodes(true, Set.of(2)))),
            RetryBackoff.NONE);

    /** Leases end only when a test says so. */
    private static final LeaseTimes BY_HAND = new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private RedisStore store;
    private World world;
    private WorkerSession session;

    @BeforeEach
    void open() {
        store = REDIS.open();
        world = new World(new Lifecycle(store, BY_HAND));
        session = world.session("a");
    }

    @AfterEach
    void close() {
        world.close();
        store.close();
    }

    private void open(long tasks, TaskSetLimits limits, FailureRules rules) {
        world.control.open(TaskSetOpening.of("u", "p", World.count(tasks).failing(rules), limits));
    }

    private List<Claim> claim(int tasks) {
        return World.claim(session, "u", tasks);
    }

    private StepCall.Outcome.Done settle(Settlement... settlements) {
        return (StepCall.Outcome.Done)
                World.prepare(session, "u", List.of(settlements), List.of()).run();
    }

    @Test
    void aPendingTaskPassesAndIsCountedByItself() {
        open(2, World.limits(3, 3, 0), RULES);
        List<Claim> claims = claim(2);
        settle(World.exited(claims.get(0), 5), World.passed(claims.get(1)));
        TaskSetSnapshot seen = world.look("u");
        assertThat(seen.status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(List.of(seen.succeeded(), seen.pending(), seen.failed(), seen.trials()))
                .containsExactly(2L, 1L, 0L, 2L);
        assertThat(seen.failures()).isEmpty();
    }

    @Test
    void aTaskThatFailedBeforeEndsPendingInItsLastTrial() {
        open(1, World.limits(2, 3, 0), RULES);
        settle(World.exited(claim(1).getFirst(), 1));
        assertThat(world.look("u").failures()).hasSize(1);
        settle(World.exited(claim(1).getFirst(), 5));
        TaskSetSnapshot seen = world.look("u");
        assertThat(seen.status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(List.of(seen.succeeded(), seen.pending(), seen.trials())).containsExactly(1L, 1L, 2L);
        assertThat(seen.failures()).isEmpty();
    }

    @Test
    void aRuleThatFailsTheTaskLeavesItsTrials() {
        open(2, World.limits(3, 3, 0), RULES);
        settle(World.exited(claim(1).getFirst(), 2));
        TaskSetSnapshot seen = world.look("u");
        assertThat(seen.status()).isEqualTo(TaskSetState.RUNNING);
        assertThat(List.of(seen.failed(), seen.trials())).containsExactly(1L, 1L);
    }

    @Test
    void aRuleEndsTheSetWithItsWordsAndWhatIsHeldElsewhereIsVoid() {
        open(10, World.limits(3, 3, 0), RULES);
        WorkerSession other = world.session("b");
        List<Claim> elsewhere = World.claim(other, "u", 2);
        List<Claim> claims = claim(3);
        StepCall call = World.prepare(
                session,
                "u",
                List.of(World.passed(claims.get(0)), World.exited(claims.get(1), 42), World.exited(claims.get(2), 5)),
                List.of());
        StepCall.Outcome.Done first = (StepCall.Outcome.Done) call.run();
        assertThat(first.verdicts()).containsOnly(StepCall.Verdict.COUNTED);
        assertThat(((StepCall.Outcome.Done) call.run()).verdicts())
                .as("a repeat after a lost reply counts nothing twice")
                .isEqualTo(first.verdicts());
        StepCall.Outcome.Done late = (StepCall.Outcome.Done)
                World.prepare(other, "u", elsewhere.stream().map(World::passed).toList(), List.of())
                        .run();
        assertThat(late.verdicts()).containsOnly(StepCall.Verdict.VOID);
        TaskSetSnapshot seen = world.look("u");
        assertThat(seen.status()).isEqualTo(TaskSetState.FAILED);
        assertThat(seen.reason()).isEqualTo("FailurePolicy");
        assertThat(seen.message())
                .isEqualTo("Rule 2 of spec.failurePolicy.rules ended the run at task t"
                        + claims.get(1).id() + ", exit code 42.");
        assertThat(List.of(seen.succeeded(), seen.pending(), seen.failed(), seen.running(), seen.queued()))
                .containsExactly(2L, 1L, 1L, 0L, 0L);
        assertThat(seen.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.exitCode()).contains(42));
    }

    @Test
    void theWordsOfARuleStayInTheirLine() {
        open(1, TaskSetLimits.DEFAULT, RULES);
        Claim claim = claim(1).getFirst();
        settle(new Settlement.Failed(
                claim,
                Duration.ZERO,
                TrialFailure.of("two\nlines", 1, Optional.of(42), Optional.empty(), "NonZeroExit", "a\nb")));
        TaskSetSnapshot seen = world.look("u");
        assertThat(seen.message()).contains("task two lines, exit code 42");
        assertThat(seen.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.task()).isEqualTo("two\nlines"));
    }

    @Test
    void aRuleHitsOnTheLastTaskOfTheSet() {
        open(1, World.limits(1, 3, 0), RULES);
        settle(World.exited(claim(1).getFirst(), 42));
        assertThat(world.look("u").reason()).isEqualTo("FailurePolicy");
    }

    @Test
    void theFirstFailedTaskEndsASetThatFailsFast() {
        open(10, World.limits(2, 3, TaskSetLimits.FAIL_FAST), FailureRules.NONE);
        settle(World.exited(claim(1).getFirst(), 1));
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.RUNNING);
        settle(World.exited(claim(1).getFirst(), 1));
        TaskSetSnapshot seen = world.look("u");
        assertThat(seen.status()).isEqualTo(TaskSetState.FAILED);
        assertThat(seen.reason()).isEqualTo("MaxFailedTasksExceeded");
        assertThat(seen.failed()).isEqualTo(1);
    }

    @Test
    void aFailedTrialWaitsAndIsNotGivenOutMeanwhile() {
        open(
                2,
                World.limits(3, 3, 0),
                new FailureRules(List.of(), new RetryBackoff(Duration.ofHours(1), 2, Duration.ofHours(2), 0)));
        List<Claim> claims = claim(2);
        StepCall.Outcome.Done done = settle(World.exited(claims.get(0), 1), World.passed(claims.get(1)));
        assertThat(done.claimable()).isZero();
        assertThat(claim(1)).isEmpty();
        assertThat(world.look("u").queued()).isEqualTo(1);
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Nothing());
    }

    private void feed(int maxLost, String... lines) {
        world.control.open(TaskSetOpening.of(
                "u", "p", World.spec(new TaskSource.Lines()).failing(RULES), World.limits(3, maxLost, 0)));
        world.control.feed("u", 0, List.of(lines), true);
    }

    private static String muted(String name) {
        return "{\"name\": \"" + name + "\", \"args\": [\"{\\\"muted\\\"\"], \"muted\": true}";
    }

    @Test
    void aMutedTaskEndsPendingByItsFirstFailureWhateverARuleSays() {
        feed(2, muted("a"), muted("b"), "{\"name\": \"loud\", \"muted\": false}");
        List<Claim> claims = claim(3);
        settle(World.exited(claims.get(0), 1), World.exited(claims.get(1), 42), World.exited(claims.get(2), 1));
        TaskSetSnapshot seen = world.look("u");
        assertThat(List.of(seen.succeeded(), seen.pending(), seen.failed(), seen.trials(), seen.queued()))
                .containsExactly(2L, 2L, 0L, 3L, 1L);
        settle(World.passed(claim(1).getFirst()));
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUCCEEDED);
    }

    @Test
    void aMutedTaskThatLosesItsWorkerTooOftenEndsPending() {
        feed(2, muted("a"), muted("b"));
        List<Claim> claims = claim(2);
        settle(World.lost(claims.get(0)), World.passed(claims.get(1)));
        settle(World.lost(claim(1).getFirst()));
        TaskSetSnapshot seen = world.look("u");
        assertThat(seen.status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(List.of(seen.succeeded(), seen.pending(), seen.failed(), seen.trials(), seen.lost()))
                .containsExactly(2L, 1L, 0L, 1L, 2L);
        assertThat(seen.failures()).isEmpty();
    }

    @Test
    void theReaperEndsAMutedTaskAsPendingAndAnotherOneAsFailed() {
        world.reaper.tick();
        feed(1, muted("a"), "loud");
        assertThat(claim(2)).hasSize(2);
        store.ask(redis -> redis.zadd(world.keyspace.sessions(), 1, session.id()));
        world.reaper.tick();
        TaskSetSnapshot seen = world.look("u");
        assertThat(seen.status()).isEqualTo(TaskSetState.FAILED);
        assertThat(List.of(seen.succeeded(), seen.pending(), seen.failed(), seen.lost()))
                .containsExactly(1L, 1L, 1L, 2L);
    }

    @Test
    void aMutedTaskOfARepeatedRunIsMutedStill() {
        world.control.open(TaskSetOpening.of(
                "u", "p", World.spec(new TaskSource.Picked(new TaskSource.Lines())), World.limits(1, 1, 0)));
        List<String> payloads = List.of(
                TaskSource.Picked.payload(7, Optional.of(muted("a"))),
                TaskSource.Picked.payload(9, Optional.of(muted("b"))));
        world.control.feed("u", 0, payloads, true);
        List<Claim> claims = claim(2);
        settle(World.lost(claims.get(0)), World.exited(claims.get(1), 1));
        TaskSetSnapshot seen = world.look("u");
        assertThat(List.of(seen.succeeded(), seen.pending(), seen.failed())).containsExactly(2L, 2L, 0L);
    }
}
