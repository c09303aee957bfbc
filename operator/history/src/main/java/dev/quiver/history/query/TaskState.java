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
 */
public record TaskState(
        long task, TrialStatus status, int trials, boolean over, long runMillis, Optional<String> reason) {}
