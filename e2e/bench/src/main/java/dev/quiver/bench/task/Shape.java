package dev.quiver.bench.task;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;

/** Trees of no-op leaves, as many at a time as one submission makes. */
enum Shape {
    /** Each leaf is a tree of its own. */
    SINGLE("single tasks", 400) {
        @Override
        List<TreeNode> roots(String pool) {
            return Collections.nCopies(leaves(), leaf(pool));
        }
    },
    /** Each leaf is a child of one wide group. */
    LEAVES("leaves of a group", 5_000) {
        @Override
        List<TreeNode> roots(String pool) {
            return List.of(group(pool, leaves()));
        }
    },
    /** Chains of ten, each a tree of its own: each leaf but the first waits for the one before it. */
    CHAINS("chains of 10", 2_000) {
        @Override
        List<TreeNode> roots(String pool) {
            TreeNode chain =
                    new TreeNode.Chain(Collections.nCopies(TEN, leaf(pool)), OnChildError.FAIL, Optional.empty(), NAME);
            return Collections.nCopies(leaves() / TEN, chain);
        }
    },
    /** Groups of a hundred, each a tree of its own. */
    GROUPS("groups of 100", 2_000) {
        @Override
        List<TreeNode> roots(String pool) {
            return Collections.nCopies(leaves() / HUNDRED, group(pool, HUNDRED));
        }
    };

    private static final int TEN = 10;
    private static final int HUNDRED = 100;
    private static final TaskBody NAME = TaskBody.named("bench");

    private final String words;
    private final int leaves;

    Shape(String words, int leaves) {
        this.words = words;
        this.leaves = leaves;
    }

    /** For people. */
    String words() {
        return words;
    }

    /** As the peers call it. */
    String peerWord() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Leaves of one submission. */
    int leaves() {
        return leaves;
    }

    abstract List<TreeNode> roots(String pool);

    static TreeNode leaf(String pool) {
        TaskBody body = new TaskBody(
                "leaf", Optional.of(Headquarters.NOOP), List.of(), Map.of(), Optional.empty(), RetryBackoff.NONE);
        return new TreeNode.Leaf(pool, Optional.empty(), 1, 1, body);
    }

    static TreeNode group(String pool, int leaves) {
        return new TreeNode.Group(
                Collections.nCopies(leaves, leaf(pool)), 0, OnChildError.FAIL, Optional.empty(), NAME);
    }
}
