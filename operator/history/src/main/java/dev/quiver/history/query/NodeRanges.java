package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.NodeRange;

/**
 * The tasks of a run that one of its nodes has made, and their names. They are copies of a forEach's template, combines of
 * chunks, or children of an iterator. Keeps the range that it read last. Ranges may be forged, so no loop follows more
 * than a few. Not thread-safe.
 */
final class NodeRanges {

    private static final String COLUMNS =
            "SELECT kind, parent, first, n, stride, origin FROM node_ranges WHERE run_id = ?";
    private static final int MOST_LEVELS = 16;

    private final Connection connection;
    private final long run;
    private Optional<NodeRange> last = Optional.empty();

    NodeRanges(Connection connection, long run) {
        this.connection = connection;
        this.run = run;
    }

    /**
     * A node that a forEach has made.
     *
     * @param origin number of the node of the template that it copies
     * @param places among the elements, from the outermost forEach on: {@code [3][17]}; empty where it is no copy
     */
    record Copy(long origin, String places) {}

    /** A node as a copy; one that is none is its own origin. */
    Copy copy(long node) throws SQLException {
        StringBuilder places = new StringBuilder();
        long origin = node;
        long at = node;
        for (int level = 0; level < MOST_LEVELS; level++) {
            Optional<NodeRange> found = at(at).filter(range -> range.kind() == NodeRange.Kind.EACH);
            if (found.isEmpty()) {
                break;
            }
            NodeRange range = found.get();
            long behind = at - range.first();
            origin = level == 0 ? range.origin() + behind % range.stride() : origin;
            places.insert(0, "[" + behind / range.stride() + "]");
            at = range.parent();
        }
        return new Copy(origin, places.toString());
    }

    /**
     * A node of a child of an iterator.
     *
     * @param iterator number of the iterator
     * @param place {@code [17]} of the seventeenth child behind the first one; of a node within it {@code [17].2}
     */
    record Child(long iterator, String place) {}

    /** A node as a child of an iterator, or as a part of one; absent where it is none. */
    Optional<Child> child(long node) throws SQLException {
        return at(node).filter(range -> range.kind() == NodeRange.Kind.MADE).map(range -> {
            long behind = node - range.first();
            long within = behind % range.stride();
            return new Child(
                    range.parent(),
                    "[" + (range.origin() + behind / range.stride()) + "]" + (within == 0 ? "" : "." + within));
        });
    }

    /** The chunks that a combine takes, {@code combine 0-15}; absent for a number that is no combine's. */
    Optional<String> combine(long task) throws SQLException {
        Optional<NodeRange> found =
                at(task).filter(range -> range.kind() == NodeRange.Kind.COMBINES && range.stride() > 1);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        NodeRange range = found.get();
        long place = task - range.first();
        long size = range.n();
        long span = 1;
        while (place >= size && size > 1) {
            place -= size;
            size = Math.ceilDiv(size, range.stride());
            span *= range.stride();
        }
        if (span == 1 || place >= size) {
            return Optional.empty();
        }
        return Optional.of("combine " + place * span + "-" + (Math.min(range.n(), (place + 1) * span) - 1));
    }

    /** The range of this node's children; absent where it is no forEach, or has made none. */
    Optional<NodeRange> of(long node) throws SQLException {
        return of(node, NodeRange.Kind.EACH);
    }

    /** The first range of that kind that this node has made; of chunks their number is that of the range. */
    Optional<NodeRange> of(long node, NodeRange.Kind kind) throws SQLException {
        return Rows.first(
                connection,
                COLUMNS + " AND parent = ? AND kind = " + kind.ordinal() + " ORDER BY first LIMIT 1",
                NodeRanges::range,
                run,
                node);
    }

    private Optional<NodeRange> at(long number) throws SQLException {
        if (last.filter(range -> has(range, number)).isEmpty()) {
            last = Rows.first(
                    connection,
                    COLUMNS + " AND first <= ? ORDER BY first DESC LIMIT 1",
                    NodeRanges::range,
                    run,
                    number);
        }
        return last.filter(range -> has(range, number));
    }

    /** Chunks of a node and the combines behind them have what is above the bits of chunks in common. */
    private static boolean has(NodeRange range, long number) {
        long behind = number - range.first();
        return behind >= 0
                && (range.kind() == NodeRange.Kind.COMBINES
                        ? number >> HistoryBounds.CHUNK_BITS == range.first() >> HistoryBounds.CHUNK_BITS
                        : behind / range.stride() < range.n());
    }

    private static NodeRange range(ResultSet row) throws SQLException {
        return new NodeRange(
                NodeRange.Kind.values()[row.getInt("kind")],
                row.getLong("parent"),
                row.getLong("first"),
                row.getLong("n"),
                row.getLong("stride"),
                row.getLong("origin"));
    }
}
