package dev.quiver.controller.taskset;

import java.util.Set;

import dev.quiver.controller.run.Backoffs;
import dev.quiver.crds.v1alpha1.FailureRule;
import dev.quiver.crds.v1alpha1.TaskSetSpec;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.ordinals.FailureRules;
import dev.quiver.lifecycle.taskset.TaskSetLimits;

/** The meaning of failures for a run, in the words of the Redis contract. Pure. */
final class TaskSetFailures {

    private TaskSetFailures() {}

    /** The rules of the run, and how long failed tasks wait. */
    static FailureRules rules(TaskSetSpec spec) {
        return new FailureRules(
                spec.failurePolicyOrNone().rules().stream()
                        .map(TaskSetFailures::rule)
                        .toList(),
                spec.waits().map(Backoffs::of).orElse(RetryBackoff.NONE));
    }

    /** How many tasks may fail before the run ends early, as {@link TaskSetLimits#maxFailedTasks}. */
    static int most(TaskSetSpec spec) {
        return spec.failurePolicyOrNone().failFast() ? TaskSetLimits.FAIL_FAST : spec.maxFailedTasks();
    }

    private static FailureRules.Rule rule(FailureRule rule) {
        FailureRules.Action action = switch (rule.action()) {
            case Count -> FailureRules.Action.COUNT;
            case FailTask -> FailureRules.Action.FAIL_TASK;
            case FailTaskSet -> FailureRules.Action.FAIL_SOURCE;
            case Pending -> FailureRules.Action.PENDING;
        };
        return new FailureRules.Rule(action, failures(rule));
    }

    private static FailureRules.Failures failures(FailureRule rule) {
        FailureRule.ExitCodes codes = rule.onExitCodes();
        return codes == null
                ? new FailureRules.Failures.Reasons(Set.copyOf(rule.onReasons()))
                : new FailureRules.Failures.ExitCodes(
                        codes.operator() == FailureRule.ExitCodes.Operator.In, Set.copyOf(codes.values()));
    }
}
