package dev.quiver.lifecycle.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Names and nodes of a run's tasks.
 *
 * @param sourceHash the source that the names belong to; empty where only nodes come
 * @param firstTask number of the first named task
 * @param names of consecutive tasks, at most {@link HistoryBounds#NAMES}
 * @param nodes of a tree, or ranges of children that one node made
 */
public record RunNames(String sourceHash, long firstTask, List<String> names, List<Node> nodes) {

    private static final int VERSION = 1;

    /**
     * A node of a tree.
     *
     * @param ordinal its number, also that of its task where it is a leaf
     * @param parent number of its parent, −1 for the root
     * @param kind leaf, chain, group, forEach, iterator, map, reduce, chunks
     * @param name for people
     * @param state empty while it goes on, else how it ended
     * @param first number of the first child of a range; 0 without one
     * @param n children of the range; 0 without one
     */
    public record Node(long ordinal, long parent, String kind, String name, String state, long first, long n) {}

    /** At most {@link HistoryBounds#NAMES} of each. */
    public RunNames {
        names = List.copyOf(names);
        nodes = List.copyOf(nodes);
        if (names.size() > HistoryBounds.NAMES || nodes.size() > HistoryBounds.NAMES) {
            throw new IllegalArgumentException(names.size() + " names, " + nodes.size() + " nodes");
        }
    }

    /** The body of its entry. */
    public byte[] encode() {
        ByteWriter to = new ByteWriter(64 + names.size() * 16 + nodes.size() * 24).put(VERSION);
        to.text(sourceHash, HistoryBounds.ID_BYTES).number(firstTask).number(names.size());
        names.forEach(name -> to.text(name, HistoryBounds.NAME_BYTES));
        to.number(nodes.size());
        for (Node node : nodes) {
            to.number(node.ordinal()).number(node.parent() + 1);
            to.text(node.kind(), HistoryBounds.REASON_BYTES).text(node.name(), HistoryBounds.NAME_BYTES);
            to.text(node.state(), HistoryBounds.REASON_BYTES)
                    .number(node.first())
                    .number(node.n());
        }
        return to.toBytes();
    }

    static RunNames decode(byte[] body) throws MalformedEntryException {
        ByteReader from = new ByteReader(body);
        from.version(VERSION, "names");
        String hash = from.text(HistoryBounds.ID_BYTES, "source hash");
        long first = from.number(HistoryBounds.TASK, "first task");
        int count = from.count(HistoryBounds.NAMES, "the number of names");
        // Lists grow with what is there, not with what a forged count promises.
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add(from.text(HistoryBounds.NAME_BYTES, "name"));
        }
        int nodeCount = from.count(HistoryBounds.NAMES, "the number of nodes");
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < nodeCount; i++) {
            nodes.add(node(from));
        }
        from.end("names");
        return new RunNames(hash, first, names, nodes);
    }

    private static Node node(ByteReader from) throws MalformedEntryException {
        return new Node(
                from.number(HistoryBounds.TASK, "ordinal"),
                from.number(HistoryBounds.TASK, "parent") - 1,
                from.text(HistoryBounds.REASON_BYTES, "kind"),
                from.text(HistoryBounds.NAME_BYTES, "name"),
                from.text(HistoryBounds.REASON_BYTES, "state"),
                from.number(HistoryBounds.TASK, "first"),
                from.number(HistoryBounds.TASK, "n"));
    }
}
