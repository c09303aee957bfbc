package dev.quiver.lifecycle.ordinals;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.ordinals.FailureRules.Action;
import dev.quiver.lifecycle.ordinals.FailureRules.Failures;
import dev.quiver.lifecycle.ordinals.FailureRules.Rule;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.TrialFailure;

class FailureRulesTest {

    private static final Rule SKIPPED = new Rule(Action.PENDING, new Failures.ExitCodes(true, Set.of(5)));
    private static final Rule BROKEN = new Rule(Action.FAIL_SOURCE, new Failures.ExitCodes(true, Set.of(42, 43)));
    private static final Rule SLOW = new Rule(Action.FAIL_TASK, new Failures.Reasons(Set.of("TimedOut")));
    private static final Rule OTHER = new Rule(Action.FAIL_TASK, new Failures.ExitCodes(false, Set.of(1, 2)));
    private static final FailureRules RULES =
            new FailureRules(List.of(SKIPPED, BROKEN, SLOW, OTHER), RetryBackoff.NONE);

    private static final ExecutionSpec SPEC = new ExecutionSpec(
            "nightly", List.of("true"), List.of(), List.of(), Optional.empty(), new TaskSource.Count(10));

    @Test
    void aSpecSaysWhetherItsTasksReport() {
        assertThat(ExecutionSpecJson.read(ExecutionSpecJson.write(SPEC.reporting(true))))
                .isEqualTo(SPEC.reporting(true));
        assertThat(ExecutionSpecJson.write(SPEC)).doesNotContain("reports");
    }

    private record Numbered(int trial) implements RunnableTask {

        @Override
        public String id() {
            return "u/3";
        }

        @Override
        public String name() {
            return "t3";
        }

        @Override
        public int maxTrials() {
            return 3;
        }

        @Override
        public Optional<Duration> timeLimit() {
            return Optional.empty();
        }

        @Override
        public Optional<String> handler() {
            return Optional.empty();
        }

        @Override
        public TaskInvocation render(SlotFacts facts) {
            throw new UnsupportedOperationException();
        }
    }

    private static Settlement.Failed failed(Integer code, String reason, int trial, Retry retry) {
        Claim claim = new Claim("u", "3", 7, Place.slot(0, 1), new Numbered(trial));
        return new Settlement.Failed(
                claim,
                Duration.ofMillis(20),
                TrialFailure.of("t3", trial, Optional.ofNullable(code), Optional.empty(), reason, "boom"),
                retry);
    }

    private static Settlement.Failed exited(int code) {
        return failed(code, "NonZeroExit", 1, Retry.AT_ONCE);
    }

    @Test
    void withoutRulesAFailureCountsAsBefore() {
        assertThat(FailureRules.NONE.applied(exited(5))).isEqualTo(exited(5));
    }

    @Test
    void theFirstRuleThatMatchesDecides() {
        FailureRules both = new FailureRules(
                List.of(SLOW, new Rule(Action.COUNT, new Failures.ExitCodes(true, Set.of(5))), SKIPPED),
                RetryBackoff.NONE);
        assertThat(both.applied(exited(5))).isEqualTo(exited(5));
    }

    @Test
    void pendingKeepsTheFailureForTheRecord() {
        Settlement.Failed failed = exited(5);
        assertThat(RULES.applied(failed))
                .isEqualTo(new Settlement.Pending(failed.claim(), failed.runTime(), failed.failure(), failed.facts()));
    }

    @Test
    void failTaskSetSaysWhichRuleEndedTheRun() {
        assertThat(((Settlement.Failed) RULES.applied(exited(42))).retry())
                .isEqualTo(new Retry.EndsSource(
                        "Rule 2 of spec.failurePolicy.rules ended the run at task t3, exit code 42."));
        FailureRules slow = new FailureRules(List.of(new Rule(Action.FAIL_SOURCE, SLOW.failures())), RetryBackoff.NONE);
        assertThat(((Settlement.Failed) slow.applied(failed(null, "TimedOut", 1, Retry.AT_ONCE))).retry())
                .isEqualTo(new Retry.EndsSource(
                        "Rule 1 of spec.failurePolicy.rules ended the run at task t3, reason TimedOut."));
    }

    @Test
    void aFailureWithoutAnExitCodeMatchesNoRuleOnExitCodes() {
        Settlement.Failed raised = failed(null, "Exception", 1, Retry.AT_ONCE);
        assertThat(RULES.applied(raised)).isEqualTo(raised);
    }

    @Test
    void notInTakesAllOtherCodesButZero() {
        assertThat(((Settlement.Failed) RULES.applied(exited(3))).retry()).isEqualTo(Retry.NEVER);
        assertThat(RULES.applied(exited(1))).isEqualTo(exited(1));
        Settlement.Failed passedOutside = failed(0, "ResultInvalid", 1, Retry.AT_ONCE);
        assertThat(RULES.applied(passedOutside)).isEqualTo(passedOutside);
    }

    @Test
    void aRuleWinsOverWhatAFunctionAskedFor() {
        Settlement.Failed never = failed(null, "TimedOut", 1, Retry.NEVER);
        FailureRules pending = new FailureRules(List.of(new Rule(Action.PENDING, SLOW.failures())), RetryBackoff.NONE);
        assertThat(pending.applied(never)).isInstanceOf(Settlement.Pending.class);
        assertThat(FailureRules.NONE.applied(never)).isEqualTo(never);
    }

    @Test
    void aLossAndAReturnAreNoFailures() {
        Settlement.Failed failed = exited(5);
        FailureRules all = new FailureRules(
                List.of(new Rule(Action.FAIL_SOURCE, new Failures.Reasons(Set.of("WorkerLost", "NonZeroExit")))),
                RetryBackoff.NONE);
        for (Settlement other : List.of(
                new Settlement.Lost(
                        failed.claim(),
                        TrialFailure.of("t3", 1, Optional.empty(), Optional.empty(), "WorkerLost", "gone")),
                new Settlement.Returned(failed.claim()),
                new Settlement.Passed(failed.claim(), Duration.ofMillis(1)))) {
            assertThat(all.applied(other)).isEqualTo(other);
        }
    }

    @Test
    void aFailureThatCountsWaitsLongerEachTime() {
        FailureRules waits = new FailureRules(
                List.of(SKIPPED), new RetryBackoff(Duration.ofSeconds(10), 3, Duration.ofSeconds(60), 0));
        assertThat(List.of(1, 2, 3))
                .extracting(trial ->
                        ((Settlement.Failed) waits.applied(failed(1, "NonZeroExit", trial, Retry.AT_ONCE))).retry())
                .containsExactly(
                        new Retry.After(Duration.ofSeconds(10)),
                        new Retry.After(Duration.ofSeconds(30)),
                        new Retry.After(Duration.ofSeconds(60)));
        assertThat(waits.applied(failed(1, "DoNotRetry", 1, Retry.NEVER)))
                .isEqualTo(failed(1, "DoNotRetry", 1, Retry.NEVER));
    }

    @Test
    void theStoredSpecificationHasThem() {
        ExecutionSpec spec = SPEC.failing(
                new FailureRules(RULES.rules(), new RetryBackoff(Duration.ofSeconds(1), 2, Duration.ofSeconds(9), 20)));
        assertThat(ExecutionSpecJson.read(ExecutionSpecJson.write(spec)).failures())
                .isEqualTo(spec.failures());
        assertThat(ExecutionSpecJson.write(SPEC)).doesNotContain("failures");
    }

    @Test
    void anActionOfANewerVersionCountsTheFailure() {
        String text = ExecutionSpecJson.write(SPEC.failing(RULES)).replace("\"FailTaskSet\"", "\"Escalate\"");
        assertThat(ExecutionSpecJson.read(text).failures().applied(exited(42))).isEqualTo(exited(42));
    }

    @Test
    void moreRulesThanAResourceHasAreRefused() {
        Assertions.assertThatThrownBy(() -> new FailureRules(Collections.nCopies(17, SKIPPED), RetryBackoff.NONE))
                .hasMessageContaining("17 rules");
    }
}
