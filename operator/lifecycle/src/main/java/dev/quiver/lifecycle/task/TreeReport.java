package dev.quiver.lifecycle.task;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A tree for people, of one moment.
 *
 * @param suspended whether nothing is given out of the root, or once that has ended, of the node at the end
 * @param failure why the root failed
 * @param endFailure why the node failed that runs at the end
 * @param startedAt when it began or was resumed last; absent for one that waits for its time
 * @param finishedAt when the root, and the node at the end, were over
 * @param storeTime this moment, by Redis' clock
 * @param nodes the root, then those that failed, those that run, the others, each breadth first
 */
public record TreeReport(
        TreeState state,
        boolean suspended,
        Optional<Failure> failure,
        Optional<Failure> endFailure,
        Optional<Instant> startedAt,
        Optional<Instant> finishedAt,
        Instant storeTime,
        List<NodeState> nodes) {

    /** Copies the list. */
    public TreeReport {
        nodes = List.copyOf(nodes);
    }

    /**
     * Why a node failed.
     *
     * @param name of the node that failed first
     */
    public record Failure(String name, TaskError error) {}
}
