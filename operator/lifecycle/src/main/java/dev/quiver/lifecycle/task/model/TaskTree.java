package dev.quiver.lifecycle.task.model;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.lifecycle.task.keys.TaskKeys;

/**
 * A tree before it is created.
 *
 * @param id never used again: letters, digits and dashes, at most 80
 * @param root with all that is below it
 * @param atEnd runs once after the root ended for any reason; absent: nothing
 * @param watched whether its nodes are counted by their state, and its changes reported
 * @param deadline from the start of the root to its end; absent: none
 * @param delay until it begins
 * @param keep how long it stays after its end; absent: until it is dropped
 * @param record how its run is recorded; absent: it is not
 */
public record TaskTree(
        String id,
        TreeNode root,
        Optional<TreeNode> atEnd,
        boolean watched,
        Optional<Duration> deadline,
        Duration delay,
        Optional<Duration> keep,
        Optional<TreeRecord> record) {

    /**
     * Nodes of a tree at most: those that it is created with, templates included, and those that its forEach nodes make.
     * Children of iterators do not count, they go when they end.
     */
    public static final int MOST_NODES = 100_000;

    /** Nodes of a forEach's template at most. */
    public static final int MOST_OF_TEMPLATE = 1000;

    /** Checks the id. */
    public TaskTree {
        TaskKeys.checkTree(id);
    }

    /** A tree whose run is not recorded. */
    public TaskTree(
            String id,
            TreeNode root,
            Optional<TreeNode> atEnd,
            boolean watched,
            Optional<Duration> deadline,
            Duration delay,
            Optional<Duration> keep) {
        this(id, root, atEnd, watched, deadline, delay, keep, Optional.empty());
    }

    /** The same tree, its run recorded so. */
    public TaskTree recorded(Optional<TreeRecord> how) {
        return new TaskTree(id, root, atEnd, watched, deadline, delay, keep, how);
    }

    /** A watched tree without bounds of time, which stays until it is dropped. */
    public static TaskTree of(String id, TreeNode root) {
        return new TaskTree(id, root, Optional.empty(), true, Optional.empty(), Duration.ZERO, Optional.empty());
    }
}
