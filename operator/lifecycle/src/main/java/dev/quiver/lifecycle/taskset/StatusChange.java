package dev.quiver.lifecycle.taskset;

import java.util.Objects;
import java.util.regex.Pattern;

/** A change of status that the operator asks for. None changes a set that is final. */
public sealed interface StatusChange {

    /** Ends as cancelled (reason Cancelled). Running tasks are void: they count neither as succeeded nor as failed. */
    record Cancel() implements StatusChange {}

    /**
     * Ends as failed. Running tasks are void.
     *
     * @param reason one PascalCase word for the condition
     * @param message for people, at most 1,024 characters; may be empty
     */
    record Fail(String reason, String message) implements StatusChange {
        private static final Pattern REASON = Pattern.compile("[A-Z][A-Za-z0-9]{0,63}");

        /** Checks the reason's form and cuts the message. */
        public Fail {
            Objects.requireNonNull(message, "message");
            if (!REASON.matcher(reason).matches()) {
                throw new IllegalArgumentException("reason must be a PascalCase word: " + reason);
            }
            message = message.length() > 1024 ? message.substring(0, 1024) : message;
        }
    }

    /** Ends as failed (DeadlineExceeded) if the active deadline has passed by Redis' clock, else does nothing. */
    record Expire() implements StatusChange {}

    /** Gives no more tasks out; settlements still count, and running tasks may be given back without a trial. */
    record Suspend() implements StatusChange {}

    /** Gives tasks out again; start time and active deadline begin anew. */
    record Resume() implements StatusChange {}

    /** The effect of {@link TaskSetControl#changeStatus}. */
    sealed interface Outcome {

        /**
         * The set is there.
         *
         * @param status after the call
         * @param changed whether this call changed it
         */
        record Now(TaskSetState status, boolean changed) implements Outcome {}

        /** The set is not there. */
        record Gone() implements Outcome {}
    }
}
