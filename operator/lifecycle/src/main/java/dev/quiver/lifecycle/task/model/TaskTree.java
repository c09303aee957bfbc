package dev.quiver.lifecycle.task.model;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.lifecycle.execution.Utf8;
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
 * @param once a name that no other tree has; absent: none
 * @param owner the resource whose tree it is, in words of at most {@value #MOST_OWNER} bytes; empty for none
 */
public record TaskTree(
        String id,
        TreeNode root,
        Optional<TreeNode> atEnd,
        boolean watched,
        Optional<Duration> deadline,
        Duration delay,
        Optional<Duration> keep,
        Optional<TreeRecord> record,
        Optional<OnceName> once,
        String owner) {

    /**
     * Nodes of a tree at most: those that it is created with, templates included, and those that its forEach nodes make.
     * Children of iterators do not count, they go when they end.
     */
    public static final int MOST_NODES = 100_000;

    /** Nodes of a forEach's template at most. */
    public static final int MOST_OF_TEMPLATE = 1000;

    /** Bytes of an owner's words at most. */
    public static final int MOST_OWNER = 256;

    /** Checks the id, and that the name of a single task is that of one. */
    public TaskTree {
        TaskKeys.checkTree(id);
        if (once.filter(OnceName::isOfTask).isPresent() && (!(root instanceof TreeNode.Leaf) || atEnd.isPresent())) {
            throw new IllegalArgumentException("the name \"" + once.get().name()
                    + "\" is kept until its task starts: a single task can have it, and no composite");
        }
        if (Utf8.length(owner) > MOST_OWNER) {
            throw new IllegalArgumentException("the owner of tree " + id + " has " + Utf8.length(owner)
                    + " bytes, at most " + MOST_OWNER + " are allowed");
        }
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
        this(id, root, atEnd, watched, deadline, delay, keep, Optional.empty(), Optional.empty(), "");
    }

    /** The same tree, its run recorded so. */
    public TaskTree recorded(Optional<TreeRecord> how) {
        return new TaskTree(id, root, atEnd, watched, deadline, delay, keep, how, once, owner);
    }

    /** The same tree under a name. */
    public TaskTree named(Optional<OnceName> name) {
        return new TaskTree(id, root, atEnd, watched, deadline, delay, keep, record, name, owner);
    }

    /** The same tree, of this resource. */
    public TaskTree owned(String whose) {
        return new TaskTree(id, root, atEnd, watched, deadline, delay, keep, record, once, whose);
    }

    /** The same tree, made anew after a loss: no record tells any more which one of a name was the newest. */
    public TaskTree again() {
        return named(once.map(name ->
                name.only() == OnceName.Only.THE_NEWEST ? new OnceName(name.name(), OnceName.Only.WHERE_FREE) : name));
    }

    /** A watched tree without bounds of time, which stays until it is dropped. */
    public static TaskTree of(String id, TreeNode root) {
        return new TaskTree(id, root, Optional.empty(), true, Optional.empty(), Duration.ZERO, Optional.empty());
    }
}
