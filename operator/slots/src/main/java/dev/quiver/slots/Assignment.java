package dev.quiver.slots;

import java.time.Duration;
import java.util.Optional;

/**
 * One trial of a task for a slot.
 *
 * @param taskId identifies the task; its SHA-256 stands in the slot, so that a snapshot can be matched with it
 * @param name for people: the prefix of the task's lines on the worker's stdout; cut to 128 bytes
 * @param execution what to run: a command, or a function of the slot's handler process
 * @param payload its input, at the start of the slot's input file; a command reads a copy of its exact length from
 *     $QUIVER_INPUT
 * @param trial this trial's number, from 1
 * @param allowed how many trials the task has in all, 0 if that is not known
 * @param timeLimit run time from the dispatch after which it is ended as {@link Reason#TIMED_OUT}. A handler may ask
 *     for more, each time for at most this much from then
 */
public record Assignment(
        String taskId,
        String name,
        SlotProgram execution,
        Payload payload,
        int trial,
        int allowed,
        Optional<Duration> timeLimit) {

    /** A first trial without payload and without time limit. */
    public static Assignment of(String taskId, SlotProgram execution) {
        return new Assignment(taskId, taskId, execution, Payload.none(), 1, 0, Optional.empty());
    }

    /** The same assignment with this input. */
    public Assignment with(Payload input) {
        return new Assignment(taskId, name, execution, input, trial, allowed, timeLimit);
    }

    /** The same assignment with this time limit. */
    public Assignment within(Duration limit) {
        return new Assignment(taskId, name, execution, payload, trial, allowed, Optional.of(limit));
    }
}
