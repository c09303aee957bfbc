package dev.quiver.history.query;

import java.util.Optional;

import dev.quiver.lifecycle.history.TrialStatus;

/**
 * A task as its last trial left it.
 *
 * @param trials number of its last trial
 * @param over whether it ended with that trial
 * @param runMillis of its last trial
 * @param reason of a trial that did not pass
 * @param estimateSeconds that the task was expected to take when it was given out; absent where nobody knew, and of a
 *     task that passed at once
 */
public record TaskState(
        long task,
        TrialStatus status,
        int trials,
        boolean over,
        long runMillis,
        Optional<String> reason,
        Optional<Long> estimateSeconds) {

    /** A task that passed at once. */
    static TaskState passed(long task, long runMillis) {
        return new TaskState(task, TrialStatus.PASSED, 1, true, runMillis, Optional.empty(), Optional.empty());
    }
}
