package dev.quiver.lifecycle.task.rows;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.TaskTree;

/**
 * One call that creates trees, or a piece of a large one. No I/O.
 *
 * @param trees as {@code submit} takes them: id, facts, delay, highest ordinal, number of nodes, the nodes
 * @param pools whose queues it declares
 * @param isOpen another piece of its last tree follows
 */
public record SubmitCall(List<String> trees, Set<String> pools, boolean isOpen) {

    /** Nodes of one call at most. */
    public static final int NODES = 200;

    /** Bytes of one call at most, a single larger node aside. */
    public static final int BYTES = 64 * 1024;

    private static final int FIELDS = 3;

    /**
     * The calls that create these trees, in order. A tree that fits into one call is not divided. One that has a name is not
     * made while another one has it.
     */
    public static List<SubmitCall> of(Iterable<TaskTree> trees) {
        return of(trees, BYTES);
    }

    /**
     * The same of trees that come with a settlement: one call has them all.
     *
     * @param most bytes of their documents
     * @return their rows, as the scripts take them
     * @throws IllegalArgumentException for more than {@value #NODES} nodes, or more bytes
     */
    public static List<String> together(Iterable<TaskTree> trees, int most) {
        List<SubmitCall> calls = of(trees, most);
        if (calls.size() > 1) {
            throw new IllegalArgumentException("tasks have more than " + NODES + " nodes, or documents of more than "
                    + most + " bytes: let one of them bring the others");
        }
        return calls.isEmpty() ? List.of() : calls.getFirst().trees();
    }

    private static List<SubmitCall> of(Iterable<TaskTree> trees, int most) {
        Builder calls = new Builder(most);
        trees.forEach(calls::add);
        calls.end();
        return calls.all;
    }

    private static final class Builder {
        private final List<SubmitCall> all = new ArrayList<>();
        private List<String> trees = new ArrayList<>();
        private Set<String> pools = new LinkedHashSet<>();
        private final int most;
        private int nodes;
        private long bytes;

        Builder(int most) {
            this.most = most;
        }

        /** The rows of a tree, root last; what comes before it never begins without it. */
        void add(TaskTree tree) {
            TreeRows numbered = TreeRows.of(tree.root(), tree.atEnd());
            List<TreeRows.Row> rows = new ArrayList<>(numbered.rows());
            rows.add(rows.removeFirst());
            List<String> documents = rows.stream().map(numbered::document).toList();
            long size = documents.stream().mapToLong(Utf8::length).sum();
            if (nodes + rows.size() > NODES || bytes + size > most) {
                end();
            }
            List<String> piece = new ArrayList<>();
            for (int i = 0; i < rows.size(); i++) {
                long length = Utf8.length(documents.get(i));
                if (nodes == NODES || nodes > 0 && bytes + length > most) {
                    add(tree, "", rows.size() - 1, piece);
                    end(!piece.isEmpty());
                    piece = new ArrayList<>();
                }
                TreeRows.Row row = rows.get(i);
                piece.addAll(List.of(TreeIds.node(tree.id(), row.ordinal()), row.text(), documents.get(i)));
                row.pool().ifPresent(pools::add);
                nodes++;
                bytes += length;
            }
            numbered.pools().stream().limit(TaskKeys.POOLS_OF_CALL).forEach(pools::add);
            add(tree, numbered.facts(tree).text(), rows.size() - 1, piece);
        }

        private void add(TaskTree tree, String facts, int highest, List<String> piece) {
            if (piece.isEmpty()) {
                return;
            }
            trees.addAll(List.of(
                    tree.once().map(name -> tree.id() + " " + name.text()).orElse(tree.id()),
                    facts,
                    Long.toString(tree.delay().toMillis()),
                    Integer.toString(highest),
                    Integer.toString(piece.size() / FIELDS)));
            trees.addAll(piece);
        }

        void end() {
            end(false);
        }

        private void end(boolean isOpen) {
            if (nodes > 0) {
                all.add(new SubmitCall(trees, pools, isOpen));
                trees = new ArrayList<>();
                pools = new LinkedHashSet<>();
                nodes = 0;
                bytes = 0;
            }
        }
    }
}
