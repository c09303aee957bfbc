package dev.quiver.controller.tree;

import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;

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

    /** The failure of the root, or else of the node of spec.finally. */
    public Optional<TreeReport.Failure> failure() {
        return report.failure().or(report::endFailure);
    }

    /** The result, where the API server keeps it as it is. */
    public Optional<JsonNode> json() {
        return result.flatMap(Trees.Measured::json).flatMap(ResultJson::of);
    }

    /** The size of the result in bytes; null in a status without one. */
    public Long resultSize() {
        return result.flatMap(Trees.Measured::bytes).orElse(null);
    }

    /** Whether the root has ended. */
    public boolean rootOver() {
        return report.state().state().isOver();
    }
}
