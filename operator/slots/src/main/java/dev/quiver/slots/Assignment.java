package dev.quiver.slots;

import java.time.Duration;
import java.util.Optional;

/**
 * One attempt of a task for a slot.
 *
 * @param taskId identifies the task; its SHA-256 stands in the slot, so that a snapshot can be matched with it
 * @param name for people: the prefix of the task's lines on the worker's stdout; cut to 128 bytes
 * @param command what to run
 * @param payload bytes at the start of the slot's input, which the command reads from $QUIVER_INPUT; may be empty
 * @param attempt this attempt's number, from 1
 * @param allowed how many attempts the task has in all, 0 if that is not known
 * @param timeLimit run time from the hand-over after which the command is ended as {@link Reason#TIMED_OUT}
 */
public record Assignment(
        String taskId,
        String name,
        Command command,
        byte[] payload,
        int attempt,
        int allowed,
        Optional<Duration> timeLimit) {

    private static final byte[] NO_PAYLOAD = {};

    /** A first attempt without payload and without time limit. */
    public static Assignment of(String taskId, Command command) {
        return new Assignment(taskId, taskId, command, NO_PAYLOAD, 1, 0, Optional.empty());
    }

    /** The same assignment with this payload, which is not copied. */
    public Assignment withPayload(byte[] bytes) {
        return new Assignment(taskId, name, command, bytes, attempt, allowed, timeLimit);
    }

    /** The same assignment with this time limit. */
    public Assignment within(Duration limit) {
        return new Assignment(taskId, name, command, payload, attempt, allowed, Optional.of(limit));
    }
}
