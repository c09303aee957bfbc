package dev.quiver.lifecycle.taskset;

import java.util.BitSet;

/** The tasks of a TaskSet that ended without a pass, as far as Redis knows them. */
public sealed interface UnpassedTasks {

    /**
     * All of them.
     *
     * @param given numbers of those that were given out and did not pass
     * @param cursor the number of the first task that was never given out: it and all behind it did not pass
     */
    record Known(BitSet given, long cursor) implements UnpassedTasks {

        /** Whether the task of that number did not pass. */
        public boolean has(int task) {
            return task >= cursor || given.get(task);
        }
    }

    /**
     * Sessions still hold some of them, which they are about to report.
     *
     * @param tasks how many
     */
    record Held(long tasks) implements UnpassedTasks {}

    /** The set has not ended. */
    record GoesOn() implements UnpassedTasks {}

    /** Redis does not know: the set is not there, or was ended by an earlier release, which noted nothing. */
    record Unknown() implements UnpassedTasks {}
}
