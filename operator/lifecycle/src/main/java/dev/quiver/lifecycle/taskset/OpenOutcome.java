package dev.quiver.lifecycle.taskset;

/** What {@link TaskSetControl#open} found. */
public sealed interface OpenOutcome {

    /**
     * The set is there.
     *
     * @param created whether this call made it
     * @param fed how many tasks are known: where {@link TaskSetControl#feed} goes on
     * @param sourceClosed whether nothing more is to be fed
     */
    record Open(boolean created, long fed, boolean sourceClosed) implements OpenOutcome {}

    /** The uid was dropped within the last hour: its resource is gone. */
    record Buried() implements OpenOutcome {}
}
