package dev.quiver.lifecycle.task.rows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TreeNode;

/**
 * Lent priority: a task stands at least where those stand that wait for it. In a chain each child waits for the ones
 * before it. No I/O.
 */
public final class Lending {

    /** Ranks that are remembered of what follows; a task counts the highest of them. */
    public static final int MOST = 64;

    private static final Lent NOTHING = new Lent(Set.of(), false);

    private Lending() {}

    /** The root of a tree is lent nothing, but it may pass on what its own nodes lend each other. */
    static Lent of(TreeNode root) {
        return hasRank(root) ? new Lent(Set.of(), true) : NOTHING;
    }

    /**
     * The ranks of what waits for a node.
     *
     * @param ranked whether any node of the tree has a rank; without one nothing is computed
     */
    record Lent(Set<Rank> ranks, boolean ranked) {

        /** Ranks that each child of this node is lent. */
        List<Lent> toChildren(TreeNode parent) {
            List<TreeNode> children = parent.children();
            if (!ranked || !(parent instanceof TreeNode.Chain)) {
                return Collections.nCopies(children.size(), this);
            }
            List<Lent> all = new ArrayList<>();
            Lent next = this;
            for (TreeNode child : children.reversed()) {
                all.add(next);
                Set<Rank> more = new LinkedHashSet<>(next.ranks);
                collect(child, more);
                next = more.size() == next.ranks.size() ? next : new Lent(more, true);
            }
            return all.reversed();
        }

        /** The rank of the node as the scripts keep it. */
        String rankOf(TreeNode node) {
            if (node instanceof TreeNode.Chunks) {
                return node.rank().text(Set.of()); // they are no tasks of the queue, and are lent nothing
            }
            return ranked && isQueued(node) ? node.rank().text(ranks) : "";
        }
    }

    private static boolean isQueued(TreeNode node) {
        return node instanceof TreeNode.Leaf || node instanceof TreeNode.IteratorNode;
    }

    private static boolean hasRank(TreeNode node) {
        return !node.rank().isPlain() || below(node).stream().anyMatch(Lending::hasRank);
    }

    private static void collect(TreeNode node, Set<Rank> ranks) {
        if (ranks.size() < MOST && (isQueued(node) || node instanceof TreeNode.Chunks)) {
            ranks.add(new Rank(node.rank().relPriority(), node.rank().tags(), Optional.empty()));
        }
        below(node).forEach(child -> collect(child, ranks));
    }

    private static List<TreeNode> below(TreeNode node) {
        return node instanceof TreeNode.ForEach each ? List.of(each.template()) : node.children();
    }
}
