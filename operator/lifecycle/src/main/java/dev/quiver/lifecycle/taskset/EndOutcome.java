package dev.quiver.lifecycle.taskset;

/** What {@link TaskSetControl#end} did. */
public sealed interface EndOutcome {

    /**
     * The set is there.
     *
     * @param status after the call
     * @param changed whether this call changed it
     */
    record Now(TaskSetStatus status, boolean changed) implements EndOutcome {}

    /** The set is not there. */
    record Gone() implements EndOutcome {}
}
