package dev.quiver.supervisor.execution;

import java.time.Duration;

import dev.quiver.lifecycle.worker.Retry;

/**
 * How a task ended, in the words of the failure sample.
 *
 * @param kind what it means for the task's account
 * @param exitCode 0 … 255, -1 when it did not exit by itself
 * @param signal the signal that ended it, 0 for none
 * @param reason one PascalCase word, empty when it passed
 * @param message the last lines of stderr or the executor's words, at most 512 bytes of UTF-8
 * @param ran from start to the end of its last process
 * @param retry when a failed trial may be followed by another
 * @param output of one that passed
 * @param use for the record
 */
public record AttemptResult(
        Kind kind,
        int exitCode,
        int signal,
        String reason,
        String message,
        Duration ran,
        Retry retry,
        AttemptOutput output,
        AttemptUse use) {

    /** An end whose use nobody measured. */
    public AttemptResult(
            Kind kind,
            int exitCode,
            int signal,
            String reason,
            String message,
            Duration ran,
            Retry retry,
            AttemptOutput output) {
        this(kind, exitCode, signal, reason, message, ran, retry, output, AttemptUse.NONE);
    }

    /** An end without an output. */
    public AttemptResult(
            Kind kind, int exitCode, int signal, String reason, String message, Duration ran, Retry retry) {
        this(kind, exitCode, signal, reason, message, ran, retry, AttemptOutput.NONE);
    }

    /** An end after which nothing speaks against another trial at once. */
    public AttemptResult(Kind kind, int exitCode, int signal, String reason, String message, Duration ran) {
        this(kind, exitCode, signal, reason, message, ran, Retry.AT_ONCE);
    }

    /** The kinds of an end. */
    public enum Kind {
        /** Exit code 0. */
        PASSED,
        /** The trial failed. */
        FAILED,
        /** Its executor died under it, or says that it ended it for a reason that we do not see: counts as lost. */
        LOST,
        /** The worker container is ending; no trial is used. */
        CUT_OFF
    }

    /** A pass that took so long. */
    public static AttemptResult passed(Duration ran) {
        return passed(ran, AttemptOutput.NONE);
    }

    /** A pass that took so long and left this. */
    public static AttemptResult passed(Duration ran, AttemptOutput output) {
        return new AttemptResult(Kind.PASSED, 0, 0, "", "", ran, Retry.AT_ONCE, output);
    }

    /** The same with what it used. */
    public AttemptResult using(AttemptUse measured) {
        return new AttemptResult(kind, exitCode, signal, reason, message, ran, retry, output, measured);
    }

    /** A trial that failed before it could be started, as every further one would. */
    public static AttemptResult notStarted(String reason, String message) {
        return new AttemptResult(Kind.FAILED, -1, 0, reason, Tail.fit(message), Duration.ZERO, Retry.NEVER);
    }
}
