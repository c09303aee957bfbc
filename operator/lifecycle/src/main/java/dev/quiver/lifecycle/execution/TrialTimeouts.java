package dev.quiver.lifecycle.execution;

import java.time.Duration;
import java.util.Optional;

/**
 * Limits of a trial that follow from how long its task usually takes. At the soft limit the trial is asked to end, at the
 * hard one it is killed; it is TimedOut either way.
 *
 * @param least soft limit of a task that runs know, at least; 1 s to {@link #MOST}
 * @param unknown soft limit of a task that no run knows, and of a task's last trial at least; 1 s to {@link #MOST}
 */
public record TrialTimeouts(Duration least, Duration unknown) {

    /** The longest limit: a week. */
    public static final Duration MOST = Duration.ofDays(7);

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final int USUAL_TIMES = 2;

    /** From the soft limit of a task that no run knows to its hard one. */
    private static final Duration UNKNOWN_GRACE = Duration.ofSeconds(30);

    /** The longest time between the limits, which the slots have. */
    private static final Duration MOST_GRACE = Duration.ofHours(1);

    /**
     * Checks the bounds.
     *
     * @throws IllegalArgumentException for a limit beyond them
     */
    public TrialTimeouts {
        check("least", least);
        check("unknown", unknown);
    }

    private static void check(String name, Duration limit) {
        if (limit.compareTo(SHORTEST) < 0 || limit.compareTo(MOST) > 0) {
            throw new IllegalArgumentException("timeouts." + name + " is " + limit + ", must be 1 s to 7 days");
        }
    }

    /**
     * The soft limit of a trial.
     *
     * @param estimate how long the task takes; absent where nothing tells
     * @param last whether no further trial follows a failed one
     */
    public Duration soft(Optional<TaskEstimate> estimate, boolean last) {
        Duration soft = known(estimate)
                .map(its -> longer(its.here().multipliedBy(USUAL_TIMES), least))
                .orElse(unknown);
        return shorter(last ? longer(soft, unknown) : soft, MOST);
    }

    /**
     * The time from the soft limit to the hard one.
     *
     * @param soft limit of the trial
     */
    public Duration grace(Optional<TaskEstimate> estimate, Duration soft) {
        return known(estimate)
                .map(its -> shorter(soft.dividedBy(2), MOST_GRACE))
                .orElse(UNKNOWN_GRACE);
    }

    private static Optional<TaskEstimate> known(Optional<TaskEstimate> estimate) {
        return estimate.filter(TaskEstimate::known);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
