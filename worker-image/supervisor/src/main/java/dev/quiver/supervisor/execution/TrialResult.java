package dev.quiver.supervisor.execution;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

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
 * @param output of one that passed, and of a command that failed
 * @param use for the record
 * @param report that its end was judged by
 */
public record TrialResult(
        Kind kind,
        int exitCode,
        int signal,
        String reason,
        String message,
        Duration ran,
        Retry retry,
        TrialOutput output,
        TrialUse use,
        Optional<JunitReport> report) {

    /** An end whose use nobody measured. */
    public TrialResult(
            Kind kind,
            int exitCode,
            int signal,
            String reason,
            String message,
            Duration ran,
            Retry retry,
            TrialOutput output) {
        this(kind, exitCode, signal, reason, message, ran, retry, output, TrialUse.NONE, Optional.empty());
    }

    /** An end without an output. */
    public TrialResult(Kind kind, int exitCode, int signal, String reason, String message, Duration ran, Retry retry) {
        this(kind, exitCode, signal, reason, message, ran, retry, TrialOutput.NONE);
    }

    /** An end after which nothing speaks against another trial at once. */
    public TrialResult(Kind kind, int exitCode, int signal, String reason, String message, Duration ran) {
        this(kind, exitCode, signal, reason, message, ran, Retry.AT_ONCE);
    }

    /** The kinds of an end. */
    public enum Kind {
        /** Exit code 0. */
        PASSED,
        /** The trial failed. */
        FAILED,
        /** Its program skipped all that it should test: the trial is over, and counts neither as a pass nor against its task. */
        PENDING,
        /** Its executor died under it, or says that it ended it for a reason that we do not see: counts as lost. */
        LOST,
        /** The worker container is ending; no trial is used. */
        CUT_OFF;

        private final String label = name().toLowerCase(Locale.ROOT);

        /** The kind as metrics count it. */
        public String label() {
            return label;
        }
    }

    /** A pass that took so long. */
    public static TrialResult passed(Duration ran) {
        return passed(ran, TrialOutput.NONE);
    }

    /** A pass that took so long and left this. */
    public static TrialResult passed(Duration ran, TrialOutput output) {
        return new TrialResult(Kind.PASSED, 0, 0, "", "", ran, Retry.AT_ONCE, output);
    }

    /** The same with what it used. */
    public TrialResult using(TrialUse measured) {
        return new TrialResult(kind, exitCode, signal, reason, message, ran, retry, output, measured, report);
    }

    /** The same with an output. */
    public TrialResult leaving(TrialOutput left) {
        return new TrialResult(kind, exitCode, signal, reason, message, ran, retry, left, use, report);
    }

    /** The same end as its report has it: of another kind, and in other words. */
    TrialResult judged(Kind by, String why, String words, Optional<JunitReport> read) {
        return new TrialResult(by, exitCode, signal, why, words, ran, retry, output, use, read);
    }

    /** A trial that failed before it could be started, as every further one would. */
    public static TrialResult notStarted(String reason, String message) {
        return new TrialResult(Kind.FAILED, -1, 0, reason, Tail.fit(message), Duration.ZERO, Retry.NEVER);
    }
}
