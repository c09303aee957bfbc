package dev.quiver.controller.task;

import java.util.Optional;

import dev.quiver.lifecycle.task.TreeReport;
import dev.quiver.lifecycle.task.TreeState;
import dev.quiver.lifecycle.task.Trees;

/**
 * A Task's tree in Redis.
 *
 * @param result of the root, once it ended well
 */
record ObservedTree(TreeReport report, Optional<Trees.Measured> result) {

    TreeState state() {
        return report.state();
    }

    TreeState.Counts counts() {
        return report.state().counts();
    }

    /** Whether the root, and the node of spec.finally, have ended. */
    boolean over() {
        return report.state().over();
    }

    boolean rootOver() {
        return report.state().state().isOver();
    }
}
