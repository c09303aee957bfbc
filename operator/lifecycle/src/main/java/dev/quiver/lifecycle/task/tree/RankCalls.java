package dev.quiver.lifecycle.task.tree;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.rows.TreeRows;

/** The ranks of a tree's nodes in pieces that one call can carry. No I/O. */
final class RankCalls {

    /** Nodes of one call at most: what a script changes of a tree at once. */
    static final int NODES = 256;

    private RankCalls() {}

    /**
     * One node.
     *
     * @param rank as the scripts keep it; empty for none
     * @param maker the forEach that makes copies of the node, where it stands in a template
     */
    record Row(long ordinal, String rank, Optional<Long> maker) {

        /** The row as the script takes it. */
        List<String> arguments(String tree) {
            return List.of(
                    TreeIds.node(tree, ordinal),
                    rank,
                    maker.map(node -> TreeIds.node(tree, node)).orElse(""));
        }

        /** The node that waits, or that has made copies of the template which do. */
        String waiting(String tree) {
            return TreeIds.node(tree, maker.orElse(ordinal));
        }
    }

    /**
     * A call.
     *
     * @param pools in which the nodes wait
     */
    record Call(Set<String> pools, List<Row> rows) {}

    /** The calls for all nodes that may wait in a queue. */
    static List<Call> of(TreeRows tree) {
        return of(tree, row -> true);
    }

    /** The calls for those that name resources, for those whose plans may, and for iterators, whose children may. */
    static List<Call> gated(TreeRows tree) {
        return of(
                tree,
                row -> Rank.namesResources(row.rank()) || row.body().plan().isPresent() || row.isIterator());
    }

    private static List<Call> of(TreeRows tree, Predicate<TreeRows.Row> wanted) {
        List<Call> calls = new ArrayList<>();
        Call open = new Call(new LinkedHashSet<>(), new ArrayList<>());
        for (TreeRows.Row row : tree.rows()) {
            if (row.pool().isEmpty() || !wanted.test(row)) {
                continue;
            }
            String pool = row.pool().get();
            boolean full = open.rows().size() == NODES
                    || open.pools().size() == TaskKeys.POOLS_OF_CALL
                            && !open.pools().contains(pool);
            if (full) {
                calls.add(open);
                open = new Call(new LinkedHashSet<>(), new ArrayList<>());
            }
            open.pools().add(pool);
            open.rows().add(new Row(row.ordinal(), row.rank(), row.maker()));
        }
        if (!open.rows().isEmpty()) {
            calls.add(open);
        }
        return calls;
    }
}
