package dev.quiver.lifecycle.ordinals;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.worker.BackedOff;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.TrialFailure;

/**
 * The meaning of a failed trial for its task and for the source. A trial that was lost or called off is no failed one, and no
 * rule sees it. Immutable and pure.
 *
 * @param rules the first that matches decides, at most {@link #MOST}; a failure without one counts
 * @param backoff how long a task waits after a failed trial that counts
 */
public record FailureRules(List<Rule> rules, RetryBackoff backoff) {

    /** Rules at most. */
    public static final int MOST = 16;

    /** Each failure counts, and the task is tried again at once. */
    public static final FailureRules NONE = new FailureRules(List.of(), RetryBackoff.NONE);

    /** Copies the list; refuses more than {@link #MOST} rules. */
    public FailureRules {
        rules = List.copyOf(rules);
        if (rules.size() > MOST) {
            throw new IllegalArgumentException(
                    "there are " + rules.size() + " rules, at most " + MOST + " are allowed");
        }
    }

    /** The fate of a task after a failure. */
    public enum Action {
        /** It uses a trial. */
        COUNT,
        /** The task fails, whatever trials are left. */
        FAIL_TASK,
        /** The task fails, and the source ends as failed. */
        FAIL_SOURCE,
        /** The task ends pending: it does not count against the source. */
        PENDING
    }

    /**
     * One rule.
     *
     * @param action what becomes of the task
     * @param failures those that it is about
     */
    public record Rule(Action action, Failures failures) {}

    /** A choice of failures. */
    public sealed interface Failures {

        /** Whether this failure is one of them. */
        boolean have(TrialFailure failure);

        /**
         * By the exit code of the process. A process without one, and a process that exited with 0, is none of them.
         *
         * @param in whether the codes are chosen, or all others
         */
        record ExitCodes(boolean in, Set<Integer> codes) implements Failures {
            /** Copies the codes. */
            public ExitCodes {
                codes = Set.copyOf(codes);
            }

            @Override
            public boolean have(TrialFailure failure) {
                return failure.exitCode()
                        .filter(code -> code != 0 && codes.contains(code) == in)
                        .isPresent();
            }
        }

        /** By the reason of the failure. */
        record Reasons(Set<String> reasons) implements Failures {
            /** Copies the reasons. */
            public Reasons {
                reasons = Set.copyOf(reasons);
            }

            @Override
            public boolean have(TrialFailure failure) {
                return reasons.contains(failure.reason());
            }
        }
    }

    /** The settlement as these rules have it. All but a failure stay as they are. */
    public Settlement applied(Settlement settlement) {
        if (!(settlement instanceof Settlement.Failed failed)) {
            return settlement;
        }
        int at = first(failed.failure());
        return switch (at < 0 ? Action.COUNT : rules.get(at).action()) {
            case COUNT -> BackedOff.of(failed, backoff, failed.claim().task().trial());
            case FAIL_TASK -> again(failed, Retry.NEVER);
            case FAIL_SOURCE -> again(failed, new Retry.EndsSource(words(at + 1, failed.failure())));
            case PENDING -> failed.pending();
        };
    }

    private int first(TrialFailure failure) {
        for (int i = 0; i < rules.size(); i++) {
            if (rules.get(i).failures().have(failure)) {
                return i;
            }
        }
        return -1;
    }

    private static Settlement again(Settlement.Failed failed, Retry retry) {
        return new Settlement.Failed(failed.claim(), failed.runTime(), failed.failure(), retry, failed.facts());
    }

    private static String words(int number, TrialFailure failure) {
        Optional<String> code = failure.exitCode().map(it -> "exit code " + it);
        return "Rule " + number + " of spec.failurePolicy.rules ended the run at task " + failure.task() + ", "
                + code.orElse("reason " + failure.reason()) + ".";
    }
}
