package dev.quiver.lifecycle.task.producer;

import java.util.List;

/**
 * The outcome of a wish to undo a task.
 *
 * @param cancelled whether it waited, and this call cancelled it
 * @param tasks ids of the tasks that were made, which its plan had left for that; of a composite, that of their tree
 */
public record Undone(boolean cancelled, List<String> tasks) {

    /** Copies the list. */
    public Undone {
        tasks = List.copyOf(tasks);
    }
}
