package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.crds.v1alpha1.Backoff;
import dev.quiver.crds.v1alpha1.FailurePolicy;
import dev.quiver.crds.v1alpha1.FailureRule;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetSpec;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.ordinals.FailureRules;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;

/** The words of a spec about failures reach Redis, and those of Redis about the end reach people. */
class TaskSetFailuresTest {

    private static TaskSetSpec spec(FailurePolicy policy, Backoff backoff) {
        return Samples.counted(10)
                .maxFailedTasks(4)
                .failurePolicy(policy)
                .backoff(backoff)
                .build();
    }

    @Test
    void aSpecWithoutThemCountsEachFailure() {
        TaskSetSpec spec = spec(null, null);
        assertThat(TaskSetFailures.rules(spec)).isEqualTo(FailureRules.NONE);
        assertThat(TaskSetFailures.most(spec)).isEqualTo(4);
    }

    @Test
    void rulesAndWaitsKeepTheirOrderAndTheirNumbers() {
        TaskSetSpec spec = spec(
                new FailurePolicy(
                        true,
                        List.of(
                                new FailureRule(
                                        FailureRule.Action.Pending,
                                        new FailureRule.ExitCodes(FailureRule.ExitCodes.Operator.In, List.of(5)),
                                        null),
                                new FailureRule(
                                        FailureRule.Action.FailTaskSet,
                                        new FailureRule.ExitCodes(FailureRule.ExitCodes.Operator.NotIn, List.of(1, 2)),
                                        null),
                                new FailureRule(FailureRule.Action.FailTask, null, List.of("TimedOut")))),
                new Backoff(5, 2, 60, 10));
        assertThat(TaskSetFailures.rules(spec))
                .isEqualTo(new FailureRules(
                        List.of(
                                new FailureRules.Rule(
                                        FailureRules.Action.PENDING,
                                        new FailureRules.Failures.ExitCodes(true, Set.of(5))),
                                new FailureRules.Rule(
                                        FailureRules.Action.FAIL_SOURCE,
                                        new FailureRules.Failures.ExitCodes(false, Set.of(1, 2))),
                                new FailureRules.Rule(
                                        FailureRules.Action.FAIL_TASK,
                                        new FailureRules.Failures.Reasons(Set.of("TimedOut")))),
                        new RetryBackoff(Duration.ofSeconds(5), 2, Duration.ofSeconds(60), 10)));
        assertThat(TaskSetFailures.most(spec)).isEqualTo(TaskSetLimits.FAIL_FAST);
    }

    @Test
    void theEndByARuleHasItsWordsAndWhatWasDecided() {
        TaskSetSnapshot run = TaskSetViews.ended(
                TaskSetViews.run(10, 4, 1, 2), TaskSetState.FAILED, TaskSetReason.FailurePolicy.name());
        assertThat(TaskSetOutcome.of(spec(null, null), run))
                .isEqualTo(new TaskSetOutcome(
                        false,
                        TaskSetReason.FailurePolicy,
                        TaskSetReason.FailurePolicy.sentence() + " 5 of 10 tasks were decided: 4 passed, 1 failed."));
    }

    @Test
    void theEndByTheFirstFailedTaskSaysWhy() {
        TaskSetSnapshot run = TaskSetViews.ended(
                TaskSetViews.run(10, 4, 1, 2), TaskSetState.FAILED, TaskSetReason.MaxFailedTasksExceeded.name());
        assertThat(TaskSetOutcome.of(spec(new FailurePolicy(true, null), null), run)
                        .message())
                .isEqualTo("1 of 10 tasks failed. First: task 7, NonZeroExit with exit code 3."
                        + " spec.failurePolicy.failFast is true. 5 of 10 tasks were decided: 4 passed, 1 failed.");
    }
}
