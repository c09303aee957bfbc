package dev.quiver.lifecycle.task;

import java.time.Duration;
import java.util.Optional;

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
 */
public record TaskTree(
        String id,
        TaskNode root,
        Optional<TaskNode> atEnd,
        boolean watched,
        Optional<Duration> deadline,
        Duration delay,
        Optional<Duration> keep) {

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

    /** A watched tree without bounds of time, which stays until it is dropped. */
    public static TaskTree of(String id, TaskNode root) {
        return new TaskTree(id, root, Optional.empty(), true, Optional.empty(), Duration.ZERO, Optional.empty());
    }
}
