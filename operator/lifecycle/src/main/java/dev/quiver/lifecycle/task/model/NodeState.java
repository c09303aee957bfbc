package dev.quiver.lifecycle.task.model;

/**
 * One node of a tree, for people.
 *
 * @param name as it was created, or the id of a node that has none
 * @param trial number of the present or last trial, from 1; 0 before the first, and for composites
 * @param message of the error that it ended with, or why its chunks wait for memory of Redis; empty for none
 * @param note why it is in doubt, or for how many tasks it waits that its plan put before it; empty for neither
 */
public record NodeState(
        String id,
        String name,
        TreeState.State state,
        long progress,
        long total,
        int trial,
        String message,
        String note) {

    /** A node without a note. */
    public NodeState(
            String id, String name, TreeState.State state, long progress, long total, int trial, String message) {
        this(id, name, state, progress, total, trial, message, "");
    }
}
