package dev.quiver.controller.tree;

import java.util.Optional;

import dev.quiver.lifecycle.task.TreeReport;
import dev.quiver.lifecycle.task.TreeState;
import dev.quiver.lifecycle.task.Trees;

/**
 * A tree in Redis.
 *
 * @param result of the root, once it ended well
 */
public record ObservedTree(TreeReport report, Optional<Trees.Measured> result) {

    /** The tree as a whole. */
    public TreeState state() {
        return report.state();
    }

    /** Its nodes by their state. */
    public TreeState.Counts counts() {
        return report.state().counts();
    }

    /** Whether the root, and the node of spec.finally, have ended. */
    public boolean over() {
        return report.state().over();
    }

    /** Whether the root has ended. */
    public boolean rootOver() {
        return report.state().state().isOver();
    }
}
