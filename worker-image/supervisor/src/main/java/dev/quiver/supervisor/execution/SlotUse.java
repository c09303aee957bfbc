package dev.quiver.supervisor.execution;

import java.util.List;

/**
 * The runs that a slot was given last, whatever became of them.
 *
 * @param token names that use of the slot; a later use has a higher one
 * @param marks of the runs, in the order of the dispatch
 */
public record SlotUse(long token, List<TaskMark> marks) {

    /** Copies the list. */
    public SlotUse {
        marks = List.copyOf(marks);
    }

    /** The use of a slot for one run. */
    public SlotUse(long token, TaskMark mark) {
        this(token, List.of(mark));
    }
}
