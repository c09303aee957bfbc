package dev.quiver.lifecycle.worker;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.TaskResult;

/** The outcome of a claim. */
public sealed interface Settlement {

    /** The claim that this is about. */
    Claim claim();

    /** How long the trial ran; none where that counts for nothing. */
    default Duration runTime() {
        return Duration.ZERO;
    }

    /**
     * It ran and passed.
     *
     * @param runTime from start to end of the task
     * @param result the value that it returned; absent where it returned none, or where nobody wants it
     * @param output of a task that {@linkplain dev.quiver.lifecycle.execution.RunnableTask#brings brings} tasks, and the
     *     Arrow stream of one that {@linkplain dev.quiver.lifecycle.execution.RunnableTask#keepsArrow keeps} it. The answer
     *     of a function in the format of effects. Absent of all others
     * @param facts for the record
     */
    record Passed(
            Claim claim,
            Duration runTime,
            Optional<TaskResult> result,
            Optional<ExecutionInput.Payload> output,
            TrialFacts facts)
            implements Settlement {

        /** Without facts for the record. */
        public Passed(
                Claim claim, Duration runTime, Optional<TaskResult> result, Optional<ExecutionInput.Payload> output) {
            this(claim, runTime, result, output, TrialFacts.NONE);
        }

        /** Without a result. */
        public Passed(Claim claim, Duration runTime) {
            this(claim, runTime, Optional.empty());
        }

        /** A pass of a task that brings no chunks. */
        public Passed(Claim claim, Duration runTime, Optional<TaskResult> result) {
            this(claim, runTime, result, Optional.empty());
        }
    }

    /**
     * It ran, or could not be started, and used a trial.
     *
     * @param runTime from start to end of the task, zero when it never started
     * @param failure for the sample
     * @param retry whether and when it is tried again while trials are left
     * @param facts for the record
     */
    record Failed(Claim claim, Duration runTime, TrialFailure failure, Retry retry, TrialFacts facts)
            implements Settlement {

        /** Without facts for the record. */
        public Failed(Claim claim, Duration runTime, TrialFailure failure, Retry retry) {
            this(claim, runTime, failure, retry, TrialFacts.NONE);
        }

        /** The same as a failure that does not count against the source. */
        public Pending pending() {
            return new Pending(claim, runTime, failure, facts);
        }

        /** A failure after which the task is tried again at once. */
        public Failed(Claim claim, Duration runTime, TrialFailure failure) {
            this(claim, runTime, failure, Retry.AT_ONCE);
        }
    }

    /**
     * It ran and is not to count against its source: its program skipped it, or its source wants this failure to be no
     * failure. It uses a trial, none follows, and its source counts it among those that passed and by itself.
     *
     * @param runTime from start to end of the task, zero when it never started
     * @param failure why it is pending
     * @param facts for the record
     */
    record Pending(Claim claim, Duration runTime, TrialFailure failure, TrialFacts facts) implements Settlement {}

    /**
     * Its executor died under it while this session lives on, because the agent was killed or the container ran out of
     * memory. It uses no trial, and counts to the source's bound of losses as if the session had died.
     *
     * @param failure for the sample
     * @param facts for the record
     */
    record Lost(Claim claim, TrialFailure failure, TrialFacts facts) implements Settlement {

        /** Without facts for the record. */
        public Lost(Claim claim, TrialFailure failure) {
            this(claim, failure, TrialFacts.NONE);
        }
    }

    /**
     * It is given back to the front of the queue, uses no trial.
     *
     * @param stopped how it ran before it was called off, where that is recorded
     * @param pause until it is given out again; zero: at once. Only a pool's Tasks know another one
     * @param missing the resource that it came upon, which is closed for all Tasks of the pool for that pause
     * @param brokenOff whether it ran, and may have done what it does
     */
    record Returned(Claim claim, Optional<Stopped> stopped, Duration pause, Optional<String> missing, boolean brokenOff)
            implements Settlement {

        /** One that did nothing. */
        public Returned(Claim claim, Optional<Stopped> stopped, Duration pause, Optional<String> missing) {
            this(claim, stopped, pause, missing, false);
        }

        /** One that ran and was broken off. */
        public static Returned brokenOff(Claim claim, Optional<Stopped> stopped) {
            return new Returned(claim, stopped, Duration.ZERO, Optional.empty(), true);
        }

        /** Without a resource that is missing. */
        public Returned(Claim claim, Optional<Stopped> stopped, Duration pause) {
            this(claim, stopped, pause, Optional.empty());
        }

        /** To be given out at once. */
        public Returned(Claim claim, Optional<Stopped> stopped) {
            this(claim, stopped, Duration.ZERO);
        }

        /** Without a record: it never ran, or nobody records it. */
        public Returned(Claim claim) {
            this(claim, Optional.empty());
        }
    }

    /**
     * A trial that was called off.
     *
     * @param ran how long it had a slot
     * @param reason one PascalCase word
     * @param message for people
     * @param facts for the record
     */
    record Stopped(Duration ran, String reason, String message, TrialFacts facts) {}

    /**
     * It stays held and went from the queue into a slot. From now on it counts as lost when the session dies; a task
     * that is still noted in the queue then counts as never started.
     */
    record Moved(Claim claim, Place to) implements Settlement {}
}
