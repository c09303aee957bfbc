package dev.quiver.lifecycle.ordinals;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonFormat;

import dev.quiver.lifecycle.execution.RetryBackoff;

/**
 * {@link FailureRules} within the stored specification.
 *
 * @param rules in their order
 * @param backoff absent where a task is tried again at once
 */
record FailureRulesDocument(List<Rule> rules, Wait backoff) {

    /** A word that a newer version wrote counts a failure. */
    enum Action {
        @JsonEnumDefaultValue
        Count,
        FailTask,
        FailTaskSet,
        Pending
    }

    /** Exit codes or reasons; {@code not} stands for all exit codes but those. */
    record Rule(
            @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            Action action,

            TreeSet<Integer> exitCodes,
            Boolean not,
            TreeSet<String> reasons) {}

    record Wait(long initialMillis, int factor, long mostMillis, int jitterPercent) {}

    /** Absent where there is nothing to store. */
    static Optional<FailureRulesDocument> of(FailureRules rules) {
        return rules.equals(FailureRules.NONE)
                ? Optional.empty()
                : Optional.of(new FailureRulesDocument(
                        rules.rules().stream().map(FailureRulesDocument::rule).toList(), wait(rules.backoff())));
    }

    FailureRules read() {
        List<Rule> all = rules == null ? List.of() : rules;
        return new FailureRules(
                all.stream().map(FailureRulesDocument::rule).toList(),
                backoff == null
                        ? RetryBackoff.NONE
                        : new RetryBackoff(
                                Duration.ofMillis(backoff.initialMillis()),
                                backoff.factor(),
                                Duration.ofMillis(backoff.mostMillis()),
                                backoff.jitterPercent()));
    }

    private static Rule rule(FailureRules.Rule rule) {
        Action action = switch (rule.action()) {
            case COUNT -> Action.Count;
            case FAIL_TASK -> Action.FailTask;
            case FAIL_SOURCE -> Action.FailTaskSet;
            case PENDING -> Action.Pending;
        };
        return switch (rule.failures()) {
            case FailureRules.Failures.ExitCodes(boolean in, var codes) ->
                new Rule(action, new TreeSet<>(codes), in ? null : true, null);
            case FailureRules.Failures.Reasons(var reasons) -> new Rule(action, null, null, new TreeSet<>(reasons));
        };
    }

    private static FailureRules.Rule rule(Rule rule) {
        FailureRules.Action action = switch (rule.action() == null ? Action.Count : rule.action()) {
            case Count -> FailureRules.Action.COUNT;
            case FailTask -> FailureRules.Action.FAIL_TASK;
            case FailTaskSet -> FailureRules.Action.FAIL_SOURCE;
            case Pending -> FailureRules.Action.PENDING;
        };
        FailureRules.Failures failures = rule.exitCodes() != null
                ? new FailureRules.Failures.ExitCodes(!Boolean.TRUE.equals(rule.not()), rule.exitCodes())
                : new FailureRules.Failures.Reasons(rule.reasons() == null ? new TreeSet<>() : rule.reasons());
        return new FailureRules.Rule(action, failures);
    }

    private static Wait wait(RetryBackoff backoff) {
        return backoff.equals(RetryBackoff.NONE)
                ? null
                : new Wait(
                        backoff.initial().toMillis(),
                        backoff.factor(),
                        backoff.most().toMillis(),
                        backoff.jitterPercent());
    }
}
