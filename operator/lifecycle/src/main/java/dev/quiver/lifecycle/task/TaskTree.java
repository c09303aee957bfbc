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

    /** Checks the id. */
    public TaskTree {
        TaskKeys.checkTree(id);
    }

    /** A watched tree without bounds of time, which stays until it is dropped. */
    public static TaskTree of(String id, TaskNode root) {
        return new TaskTree(id, root, Optional.empty(), true, Optional.empty(), Duration.ZERO, Optional.empty());
    }
}
