package dev.quiver.lifecycle.worker;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.Utf8;

/**
 * A session's account of its pod in the pool's registry.
 *
 * @param busySlots slots that run a task
 * @param draining whether it takes no more work
 * @param handlers names that its handler processes serve, at most {@value #MAX_HANDLERS}; further ones are left out
 * @param trouble what is wrong with the pod, in words for people; cut to its first {@link WorkerRecord#MAX_TROUBLE_BYTES}
 * @param speedMilli how fast it runs tasks, 1 to {@value #MOST_SPEED}; 1,000 is the usual speed, and one not known
 */
public record WorkerState(
        int busySlots, boolean draining, List<String> handlers, Optional<String> trouble, int speedMilli) {

    /** The usual speed. */
    public static final int USUAL_SPEED = 1000;

    /** The greatest speed. */
    public static final int MOST_SPEED = 1_000_000;

    /** Names of handlers at most. */
    public static final int MAX_HANDLERS = 64;

    /** Brings names and words into their bounds; a name that cannot be one is an IllegalArgumentException. */
    public WorkerState {
        Objects.requireNonNull(trouble, "trouble");
        handlers = handlers.stream()
                .limit(MAX_HANDLERS)
                .map(Execution.Handler::checkName)
                .toList();
        trouble = trouble.map(words -> Utf8.firstBytes(words, WorkerRecord.MAX_TROUBLE_BYTES));
        speedMilli = Math.clamp(speedMilli, 1, MOST_SPEED);
    }

    /** The state of a pod whose speed is the usual one, or not known. */
    public WorkerState(int busySlots, boolean draining, List<String> handlers, Optional<String> trouble) {
        this(busySlots, draining, handlers, trouble, USUAL_SPEED);
    }

    /** The state of a pod that serves no handler and has no trouble. */
    public static WorkerState of(int busySlots, boolean draining) {
        return new WorkerState(busySlots, draining, List.of(), Optional.empty());
    }
}
