package dev.quiver.lifecycle.worker;

import java.util.Objects;
import java.util.Optional;

import dev.quiver.lifecycle.execution.Utf8;

/**
 * How one run failed. A supervisor gives it with the settlement; a sample of them is kept with the set.
 *
 * @param task the task's name, at most 253 characters (cut at its end): a line of a ConfigMap may be far longer
 * @param trial the run's number, from 1
 * @param exitCode of the process, absent when it never started or was killed by a signal
 * @param signal that ended it
 * @param reason one PascalCase word: NonZeroExit, Signalled, OOMKilled, CommandNotFound, WorkerLost, …
 * @param message the last lines of its stderr or what went wrong, at most 512 bytes of UTF-8 (cut at its start)
 * @param last whether the task ended failed with it; false: it is tried again
 */
public record TrialFailure(
        String task,
        int trial,
        Optional<Integer> exitCode,
        Optional<Integer> signal,
        String reason,
        String message,
        boolean last) {

    /** Bytes of the message at most. */
    public static final int MAX_MESSAGE_BYTES = 512;

    /** Characters (code points) of the task's name at most. */
    public static final int MAX_NAME_CHARS = 253;

    /** Cuts the name to its first {@link #MAX_NAME_CHARS}, the message to its last {@link #MAX_MESSAGE_BYTES}. */
    public TrialFailure {
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(reason, "reason");
        task = firstChars(task);
        message = Utf8.lastBytes(message, MAX_MESSAGE_BYTES);
    }

    /** A run that ended by itself or by its supervisor; whether it was the last is for Redis to say. */
    public static TrialFailure of(
            String task,
            int trial,
            Optional<Integer> exitCode,
            Optional<Integer> signal,
            String reason,
            String message) {
        return new TrialFailure(task, trial, exitCode, signal, reason, message, false);
    }

    private static String firstChars(String name) {
        return name.codePointCount(0, name.length()) <= MAX_NAME_CHARS
                ? name
                : name.substring(0, name.offsetByCodePoints(0, MAX_NAME_CHARS));
    }
}
