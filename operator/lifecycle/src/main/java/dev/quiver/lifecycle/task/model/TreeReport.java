package dev.quiver.lifecycle.task.model;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.soabase.recordbuilder.core.RecordBuilder;

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
 * @param queued work that waits for a worker, each function with its pool once, as far as it was seen
 * @param memoryRefusal why chunks of a node wait for memory of Redis, whether the node is shown or not; absent: none do
 */
@RecordBuilder
public record TreeReport(
        TreeState state,
        boolean suspended,
        Optional<Failure> failure,
        Optional<Failure> endFailure,
        Optional<Instant> startedAt,
        Optional<Instant> finishedAt,
        Instant storeTime,
        List<NodeState> nodes,
        List<Queued> queued,
        Optional<String> memoryRefusal) {

    /** Copies the lists. A node that is shown and waits for memory is the reason where no other one is given. */
    public TreeReport {
        nodes = List.copyOf(nodes);
        queued = List.copyOf(queued);
        memoryRefusal = memoryRefusal.isPresent() ? memoryRefusal : memoryRefusal(nodes);
    }

    /** Why chunks of one of these nodes wait for memory of Redis. */
    public static Optional<String> memoryRefusal(List<NodeState> nodes) {
        return nodes.stream()
                .filter(node -> !node.state().isOver())
                .map(NodeState::message)
                .filter(message -> !message.isEmpty())
                .findFirst();
    }

    /**
     * Work that waits for a worker, also of a child that an iterator or a forEach made.
     *
     * @param name of the first such node
     * @param pool whose workers are to run it
     * @param handler the function that they must serve; absent: a command
     */
    public record Queued(String name, String pool, Optional<String> handler) {}

    /**
     * Why a node failed.
     *
     * @param name of the node that failed first
     */
    public record Failure(String name, NodeError error) {}
}
