package dev.quiver.lifecycle.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.node.TextNode;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.rows.TreeRows;

/**
 * A random tree, and how it must end. A leaf's only argument is its order: to return a word, to fail, or to return an
 * array of so many words. A forEach stands behind such a lister in a chain.
 */
final class TreeModel {

    static final List<String> POOLS = List.of("p", "q");
    static final List<String> HANDLERS = List.of("a", "b", "c");

    /** The functions of a worker that serves all, with their plans and contingencies. */
    static final List<String> SERVED = HANDLERS.stream()
            .flatMap(name -> Stream.of(name, name + "#plan", name + "#contingency"))
            .toList();

    private static final int TRIALS = 2;
    private static final int DEPTH = 4;
    private static final int NODES = 60;

    final String id;
    final TaskTree tree;

    /** Whether it ends well, if nobody cancels anything. */
    final boolean succeeds;

    /** Leaves that count in a tree that succeeds: each must pass exactly once. */
    final long leaves;

    /** Number of nodes as they are created. */
    final int nodes;

    private final Random random;
    private final int poison;
    private int made;

    private record Made(TreeNode node, boolean succeeds, long leaves) {}

    TreeModel(String id, Random random) {
        this.id = id;
        this.random = random;
        this.poison = random.nextBoolean() ? 0 : 12;
        Made root = node(0);
        Optional<Made> end = random.nextInt(3) == 0 ? Optional.of(leaf("ok")) : Optional.empty();
        this.tree = new TaskTree(
                id,
                root.node(),
                end.map(Made::node),
                random.nextInt(4) > 0,
                Optional.empty(),
                java.time.Duration.ZERO,
                Optional.empty());
        this.succeeds = root.succeeds();
        this.leaves = root.leaves() + (end.isPresent() ? 1 : 0);
        this.nodes = TreeRows.of(tree.root(), tree.atEnd()).rows().size();
    }

    private Made node(int depth) {
        made++;
        boolean leafy = depth >= DEPTH || made > NODES || depth > 0 && random.nextBoolean();
        if (leafy) {
            return leaf(random.nextInt(100) < poison ? "poison" : "ok");
        }
        int dice = random.nextInt(6);
        if (dice == 0 && depth < DEPTH - 1) {
            return listed(depth);
        }
        if (dice == 1 && depth < DEPTH - 1) {
            return iterator(depth);
        }
        List<Made> children = new ArrayList<>();
        int count = random.nextInt(6);
        for (int i = 0; i < count; i++) {
            children.add(node(depth + 1));
        }
        TreeNode.OnChildError reaction =
                random.nextInt(4) == 0 ? TreeNode.OnChildError.CONTINUE : TreeNode.OnChildError.FAIL;
        boolean goesOn = reaction == TreeNode.OnChildError.CONTINUE;
        List<TreeNode> nodes = children.stream().map(Made::node).toList();
        TreeNode made = random.nextBoolean()
                ? new TreeNode.Chain(nodes, reaction, Optional.empty(), name("chain"))
                : new TreeNode.Group(nodes, random.nextInt(3), reaction, Optional.empty(), name("group"));
        return new Made(
                made,
                goesOn || children.stream().allMatch(Made::succeeds),
                children.stream().mapToLong(Made::leaves).sum());
    }

    /** A chain of a lister and a forEach over what it lists. */
    private Made listed(int depth) {
        int elements = random.nextInt(5);
        Made lister = leaf("list " + elements);
        Made template = node(depth + 2);
        TreeNode each = new TreeNode.ForEach(
                template.node(), random.nextInt(3), TreeNode.OnChildError.FAIL, Optional.empty(), name("each"));
        return new Made(
                new TreeNode.Chain(
                        List.of(lister.node(), each), TreeNode.OnChildError.FAIL, Optional.empty(), name("listed")),
                elements == 0 || template.succeeds(),
                1 + elements * template.leaves());
    }

    /** An iterator of so many leaves. */
    private Made iterator(int depth) {
        int children = random.nextInt(8);
        String handler = handler();
        TreeNode iterator = new TreeNode.IteratorNode(
                pool(),
                Optional.of(handler),
                100,
                1 + random.nextInt(4),
                TreeNode.OnChildError.FAIL,
                Optional.empty(),
                body("iterate " + children, handler));
        return new Made(iterator, true, children);
    }

    private Made leaf(String order) {
        String handler = handler();
        TaskBody body = body(order, handler);
        TreeNode leaf = new TreeNode.Leaf(
                pool(),
                Optional.of(handler),
                order.equals("poison") ? TRIALS : 100,
                1,
                unsure(random.nextInt(3) == 0 ? body.planned(TaskBody.PLAN_SECONDS) : body));
        return new Made(leaf, !order.equals("poison"), 1);
    }

    private TaskBody unsure(TaskBody body) {
        return random.nextInt(3) == 0 ? body.withContingency() : body;
    }

    private String pool() {
        return POOLS.get(random.nextInt(POOLS.size()));
    }

    private String handler() {
        return HANDLERS.get(random.nextInt(HANDLERS.size()));
    }

    private static TaskBody name(String name) {
        return TaskBody.named(name);
    }

    static TaskBody body(String order, String handler) {
        return new TaskBody(
                order,
                Optional.of(new Execution.Handler(handler)),
                List.of(new TextNode(order)),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
    }

    /** Whether no leaf of it is meant to fail. */
    boolean poisonFree() {
        return poison == 0;
    }
}
