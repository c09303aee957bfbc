package dev.quiver.lifecycle.task.model;

/**
 * One node of a tree, for people.
 *
 * @param name as it was created, or the id of a node that has none
 * @param trial number of the present or last trial, from 1; 0 before the first, and for composites
 * @param message of the error that it ended with, or why its chunks wait for memory of Redis; empty for none
 * @param doubt why it is in doubt whether a trial did what it does; empty where it is not
 */
public record NodeState(
        String id,
        String name,
        TreeState.State state,
        long progress,
        long total,
        int trial,
        String message,
        String doubt) {

    /** A node that is not in doubt. */
    public NodeState(
            String id, String name, TreeState.State state, long progress, long total, int trial, String message) {
        this(id, name, state, progress, total, trial, message, "");
    }
}
