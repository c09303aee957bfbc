package dev.quiver.lifecycle.task.rows;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskDocument;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;

/**
 * The records of a tree. The nodes are numbered breadth first, so that the children of each are consecutive. Behind them
 * stand the templates, each a block of its own, and the node that runs at the end. No I/O.
 */
public final class TreeRows {

    /** The fields of a forEach's record that are known when its template has its place. */
    private static final int STRIDE = 16;

    private static final int TEMPLATE = 23;

    private static final int POOL = 3;
    private static final int PARENT = 2;

    /** Nodes of one entry of names. */
    private static final int NAMED = 500;

    /**
     * One node.
     *
     * @param fields of its record
     * @param body its document, before the names in it are known
     * @param maker the node that makes copies of it, where it stands in a template: of templates in templates the outermost
     */
    public record Row(long ordinal, List<String> fields, TaskBody body, Optional<Long> maker) {

        /** The record, as the scripts keep it. */
        public String text() {
            return String.join("\t", fields) + "\t";
        }

        /** The pool of a leaf, an iterator or chunks. */
        public Optional<String> pool() {
            return Optional.of(fields.get(POOL)).filter(name -> !name.isEmpty());
        }

        /** Whether it makes children while it runs. */
        public boolean isIterator() {
            return kind(this).equals("iterator");
        }

        /** The rank as the scripts keep it; empty for none. */
        public String rank() {
            return new NodeRecord(fields).rank();
        }
    }

    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Long> names = new HashMap<>();
    private final Set<String> pools = new LinkedHashSet<>();
    private final Deque<Block> templates = new ArrayDeque<>();
    private Optional<Recording> recording = Optional.empty();
    private long next;
    private int live;
    private Optional<Long> atEnd = Optional.empty();

    /** A template, and the fields of the record that waits for its place. */
    private record Block(TreeNode root, List<String> waiting, long maker, Lending.Lent lent) {}

    private record Numbered(TreeNode node, long ordinal, String parent, Optional<Long> maker, Lending.Lent lent) {}

    private TreeRows() {}

    /** The rows of a tree, root first. */
    public static TreeRows of(TreeNode root) {
        return of(root, Optional.empty());
    }

    /**
     * The same with the node that runs at the end.
     *
     * @throws IllegalArgumentException for more nodes than a tree or a template may have, with both numbers
     */
    public static TreeRows of(TreeNode root, Optional<TreeNode> atEnd) {
        TreeRows all = new TreeRows();
        all.block(root, "", Optional.empty(), Lending.of(root));
        all.templates();
        atEnd.ifPresent(end -> {
            all.atEnd = Optional.of(all.next);
            all.block(end, NodeRecord.AT_END, Optional.empty(), Lending.of(end));
            all.templates();
        });
        check("a tree", all.next, TaskTree.MOST_NODES);
        return all;
    }

    /** A row for each node, in the order of ordinals. */
    public List<Row> rows() {
        return rows;
    }

    /** The document of a row, as the scripts keep it. */
    public String document(Row row) {
        return TaskDocument.write(row.body().recorded(recording), names);
    }

    /** The same rows of a tree whose trials are recorded so; absent: they are not. */
    public TreeRows recorded(Optional<Recording> how) {
        recording = how;
        return this;
    }

    /** The nodes for the record, in pages. */
    public List<RunNames> named() {
        Map<Long, Long> makers = new HashMap<>();
        for (Row row : rows) {
            if (kind(row).equals("forEach")) {
                makers.put(Long.parseLong(row.fields().get(TEMPLATE)), row.ordinal());
            }
        }
        List<RunNames> pages = new ArrayList<>();
        for (int from = 0; from < rows.size(); from += NAMED) {
            pages.add(new RunNames(
                    "",
                    0,
                    List.of(),
                    rows.subList(from, Math.min(rows.size(), from + NAMED)).stream()
                            .map(row -> named(row, makers.getOrDefault(row.ordinal(), -1L)))
                            .toList()));
        }
        return pages;
    }

    /** The template of a forEach stands below it, though the scripts reach it by the forEach's own record alone. */
    private static RunNames.Node named(Row row, long maker) {
        String parent = row.fields().get(PARENT);
        long of = parent.isEmpty() ? maker : parent.equals(NodeRecord.AT_END) ? 0 : Long.parseLong(parent);
        return new RunNames.Node(row.ordinal(), of, kind(row), row.body().name(), "", 0, 0);
    }

    private static String kind(Row row) {
        return new NodeRecord(row.fields()).kindWord();
    }

    /** The pools of its leaves and iterators, in the order of the nodes. */
    public Set<String> pools() {
        return pools;
    }

    /** The facts of the whole. */
    public RootFacts facts(TaskTree tree) {
        return RootFacts.of(tree, next, atEnd, live);
    }

    private static String millis(Duration time) {
        return Long.toString(time.toMillis());
    }

    private static void check(String noun, long nodes, int most) {
        if (nodes > most) {
            throw new IllegalArgumentException(noun + " has " + nodes + " nodes, at most " + most + " are allowed");
        }
    }

    private void templates() {
        while (!templates.isEmpty()) {
            Block block = templates.remove();
            long first = next;
            block(block.root(), "", Optional.of(block.maker()), block.lent());
            check("the template of a forEach", next - first, TaskTree.MOST_OF_TEMPLATE);
            block.waiting().set(STRIDE, Long.toString(next - first));
            block.waiting().set(TEMPLATE, Long.toString(first));
        }
    }

    /** Numbers a tree breadth first from the next ordinal on. */
    private void block(TreeNode root, String parent, Optional<Long> maker, Lending.Lent lent) {
        Deque<Numbered> waiting = new ArrayDeque<>();
        waiting.add(new Numbered(root, next++, parent, maker, lent));
        while (!waiting.isEmpty()) {
            Numbered numbered = waiting.remove();
            long first = next;
            List<TreeNode> children = numbered.node().children();
            List<Lending.Lent> lents = numbered.lent().toChildren(numbered.node());
            for (int i = 0; i < children.size(); i++) {
                waiting.add(
                        new Numbered(children.get(i), next++, Long.toString(numbered.ordinal()), maker, lents.get(i)));
            }
            add(numbered, first);
        }
    }

    private void add(Numbered numbered, long first) {
        live += numbered.maker().isPresent() ? 0 : 1;
        List<String> fields = new ArrayList<>();
        switch (numbered.node()) {
            case TreeNode.Leaf leaf ->
                addCommon(fields, numbered, "L", ownPool(leaf.pool()), leaf.firstHandler(), leaf.maxTrials());
            case TreeNode.Chain chain -> {
                addCommon(fields, numbered, "C", "", Optional.empty(), 1);
                addRest(fields, first, chain.children().size(), 1, chain.onChildError(), chain.deadline());
                chunksBeforeAnother(chain).ifPresent(index -> fields.set(TEMPLATE, Long.toString(first + index)));
            }
            case TreeNode.Group group -> {
                addCommon(fields, numbered, "G", "", Optional.empty(), 1);
                addRest(fields, first, group.children().size(), group.window(), group.onChildError(), group.deadline());
            }
            case TreeNode.ForEach each -> {
                addCommon(fields, numbered, "E", "", Optional.empty(), 1);
                addRest(fields, 0, 0, each.window(), each.onChildError(), each.deadline());
                templates.add(new Block(
                        each.template(), fields, numbered.maker().orElse(numbered.ordinal()), numbered.lent()));
            }
            case TreeNode.IteratorNode iterator -> {
                addCommon(fields, numbered, "I", ownPool(iterator.pool()), iterator.handler(), iterator.maxTrials());
                addRest(fields, 0, 0, iterator.window(), iterator.onChildError(), iterator.deadline());
            }
            case TreeNode.Chunks chunks -> {
                addCommon(fields, numbered, "K", ownPool(chunks.pool()), chunks.handler(), chunks.maxTrials());
                addRest(fields, 0, 0, 0, TreeNode.OnChildError.FAIL, chunks.deadline());
            }
        }
        String rank = numbered.lent().rankOf(numbered.node());
        String share = numbered.node().rank().share();
        String letters = numbered.node() instanceof TreeNode.Leaf leaf ? letters(leaf.body()) : "";
        if (!rank.isEmpty() || !share.isEmpty() || !letters.isEmpty()) {
            fields.addAll(List.of(rank, share));
        }
        if (!letters.isEmpty()) {
            fields.add(letters);
        }
        names.put(numbered.node().body().name(), numbered.ordinal());
        TaskBody body = numbered.node() instanceof TreeNode.Chunks chunks
                ? chunks.body().with(chunks.work())
                : numbered.node().body();
        rows.add(new Row(numbered.ordinal(), fields, body, numbered.maker()));
    }

    private static String letters(TaskBody body) {
        return (body.contingency() ? "c" : "") + (body.complex().isPresent() ? "m" : "");
    }

    /** The place of chunks whose results another child gets: they may go with the chain's end. */
    private static Optional<Integer> chunksBeforeAnother(TreeNode.Chain chain) {
        return IntStream.range(0, chain.children().size() - 1)
                .filter(i -> chain.children().get(i) instanceof TreeNode.Chunks)
                .boxed()
                .findFirst();
    }

    /** Keys are built of the name, so it is that of a WorkerPool and of nothing else. */
    private String ownPool(String name) {
        pools.add(TaskKeys.checkPool(name));
        return name;
    }

    private static void addCommon(
            List<String> fields, Numbered numbered, String kind, String pool, Optional<String> handler, int maxTrials) {
        fields.addAll(List.of(
                kind,
                numbered.maker().isPresent() ? "t" : "w",
                numbered.parent(),
                pool,
                handler.orElse(""),
                Integer.toString(maxTrials)));
        // failed, lost, total, progress; then its number in the queue, origin, element, suspended
        fields.addAll(List.of("0", "0", Long.toString(total(numbered.node())), "0", "", "", "", ""));
    }

    private static void addRest(
            List<String> fields,
            long first,
            int count,
            int window,
            TreeNode.OnChildError onChildError,
            Optional<Duration> deadline) {
        fields.addAll(List.of(Long.toString(first), Integer.toString(count), "1", "0", "0", Integer.toString(window)));
        // step, then the reaction to an error, the deadline, the template
        fields.addAll(List.of(
                "",
                onChildError == TreeNode.OnChildError.CONTINUE ? "C" : "",
                deadline.map(TreeRows::millis).orElse(""),
                ""));
    }

    /** The progress of its end, as far as it is known before it begins. */
    private static long total(TreeNode node) {
        return switch (node) {
            case TreeNode.Leaf leaf -> leaf.total();
            case TreeNode.Chunks _ -> 1;
            default -> node.children().stream().mapToLong(TreeRows::total).sum();
        };
    }
}
