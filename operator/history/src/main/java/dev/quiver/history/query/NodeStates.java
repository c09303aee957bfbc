package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import dev.quiver.history.store.PassCursor;
import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.TrialStatus;

/**
 * How nodes of a run ended: as its end has told, and before it as the record of their trials has it. The number of a leaf is
 * that of its task. Stateless.
 */
final class NodeStates {

    private static final int AT_ONCE = 200;
    private static final int WINDOW = 1 << 12;

    private NodeStates() {}

    /** The states of those among these nodes that have one. */
    static Map<Long, String> of(Connection connection, long run, TreeSet<Long> nodes) throws SQLException {
        Map<Long, String> states = new HashMap<>();
        List<Long> all = new ArrayList<>(nodes);
        for (int from = 0; from < all.size(); from += AT_ONCE) {
            List<Object> values = new ArrayList<>(List.of(run));
            values.addAll(all.subList(from, Math.min(all.size(), from + AT_ONCE)));
            String in = " IN (" + Rows.marks(values.size() - 1) + ")";
            Rows.all(
                    connection,
                    "SELECT task, status FROM tasks WHERE run_id = ? AND over = 1 AND task" + in,
                    row -> states.put(row.getLong(1), word(row.getInt(2))),
                    values.toArray());
            Rows.all(
                    connection,
                    "SELECT ordinal, state FROM nodes WHERE run_id = ? AND state <> '' AND ordinal" + in,
                    row -> states.put(row.getLong(1), row.getString(2)),
                    values.toArray());
        }
        if (!nodes.isEmpty() && states.size() < nodes.size()) {
            passes(connection, run, nodes, states);
        }
        return states;
    }

    private static void passes(Connection connection, long run, TreeSet<Long> nodes, Map<Long, String> states)
            throws SQLException {
        PassCursor passes = new PassCursor(connection, run, nodes.first(), WINDOW);
        while (passes.next() && passes.pass().task() <= nodes.last()) {
            if (nodes.contains(passes.pass().task())) {
                states.putIfAbsent(passes.pass().task(), "succeeded");
            }
        }
    }

    /** A task that ended without passing or pending has failed as a node. */
    private static String word(int status) {
        return switch (TrialStatus.values()[status]) {
            case PASSED, PENDING -> "succeeded";
            case CANCELLED -> "cancelled";
            default -> "failed";
        };
    }
}
