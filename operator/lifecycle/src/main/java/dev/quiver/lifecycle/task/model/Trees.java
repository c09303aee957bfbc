package dev.quiver.lifecycle.task.model;

import java.time.Duration;
import java.util.Optional;

/** The trees of Tasks of one dialect in one keyspace. Each call may be repeated, by anybody. */
public interface Trees {

    /** The outcome of {@link #create}. */
    enum Created {
        /** This call began it. */
        BEGUN,
        /** An earlier one did. */
        KNOWN,
        /** It was dropped a short while ago. */
        BURIED
    }

    /** A change of a node and of all below it. */
    enum Change {
        /** It ends with the error Cancelled; what runs below counts nothing. */
        CANCEL,
        /** Tasks below it are not given out. */
        SUSPEND,
        /** Gives out the withheld work again. */
        RESUME
    }

    /** Creates a tree. A tree that is cut off in the middle never begins, and a repeat creates the whole. */
    Created create(TaskTree tree);

    /**
     * Changes a node.
     *
     * @param id of any node
     * @return whether this call changed it: a node that is not there, or has ended, stays as it is
     * @throws IllegalArgumentException for a change that the dialect does not know
     */
    boolean change(String id, Change change);

    /**
     * Changes the time that a tree may take, from its start or its last resume.
     *
     * @param deadline absent for none
     * @return whether this call changed it
     */
    boolean limit(String tree, Optional<Duration> deadline);

    /**
     * Gives the nodes of a tree that is there the ranks that they have in this one. Waiting tasks move, running ones go on.
     *
     * @param tree the same nodes
     * @return whether this call changed any
     * @throws IllegalArgumentException where the dialect has no ranks
     */
    default boolean rank(TaskTree tree) {
        throw new IllegalArgumentException(
                "tree " + tree.id() + " has no ranks: its queues know no order but that of arrival");
    }

    /**
     * Which resources the queued tasks of a tree wait for. Looks at the first {@value Blockage#MOST_NODES} nodes that name
     * any, not at copies that a forEach made.
     *
     * @param tree the same nodes as when it was created
     */
    default Blockage blockage(TaskTree tree) {
        return Blockage.NONE;
    }

    /**
     * Deletes a tree and refuses its id for a while.
     *
     * @param nodes that {@link #create} may have brought, for a tree that never began
     * @return whether it is gone; else call again
     */
    boolean drop(String tree, long nodes);

    /**
     * A tree for people, in one call. Looks at its first 1,000 nodes.
     *
     * @param most nodes that are shown, the root included
     * @return absent for one that is not there, or that never began
     */
    Optional<TreeReport> report(String tree, int most);

    /**
     * The result of a tree with its size.
     *
     * @param most bytes of it that are wanted
     */
    Measured measure(String tree, long most);

    /**
     * A measured result.
     *
     * @param bytes of its JSON; absent for one of too many parts. A large array that stands in it may count with a few
     *     bytes more
     * @param json the result itself, where it is no larger than wanted
     */
    record Measured(Optional<Long> bytes, Optional<String> json) {}
}
