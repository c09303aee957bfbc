package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import dev.quiver.history.store.NameBlock;
import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.RunKind;

/** Names of a run's tasks. Keeps the block that it read last, so it is quick in the order of tasks. Not thread-safe. */
public final class Names {

    private static final int MOST_LEVELS = 16;

    /** Names of nodes that are kept. */
    private static final int KEPT = 1 << 14;

    private final Connection connection;
    private final Run run;
    private final NodeRanges ranges;
    private Block block = new Block(0, List.of());
    private Combinations combinations; // null until a name is asked for
    private final Map<Long, Optional<String>> written = new HashMap<>();

    /** Creates the names of that run. */
    public Names(Connection connection, Run run) {
        this.connection = connection;
        this.run = run;
        this.ranges = new NodeRanges(connection, run.id());
    }

    private record Block(long first, List<String> names) {

        boolean has(long task) {
            return task >= first && task < first + names.size();
        }
    }

    /** The name of a task; absent where nobody named it. */
    public Optional<String> of(long task) throws SQLException {
        Optional<String> combination =
                run.kind().equals(RunKind.TASK_SET.word()) ? combinations().name(task) : Optional.empty();
        if (combination.isPresent() || run.sourceHash().isEmpty()) {
            return combination.isPresent() ? combination : node(task);
        }
        if (!block.has(task)) {
            block = Rows.first(
                            connection,
                            "SELECT first_task, packed FROM names WHERE namespace = ? AND source_hash = ?"
                                    + " AND first_task <= ? ORDER BY first_task DESC LIMIT 1",
                            row -> new Block(row.getLong(1), NameBlock.unpack(row.getBytes(2))),
                            run.namespace(),
                            run.sourceHash().get(),
                            task)
                    .orElse(block);
        }
        return block.has(task) ? Optional.of(block.names().get((int) (task - block.first()))) : node(task);
    }

    private Optional<String> node(long task) throws SQLException {
        if (run.kind().equals(RunKind.TASK_SET.word())) {
            return Optional.empty();
        }
        long chunks = run.kind().equals(RunKind.QUEUE.word()) ? 0 : task >> HistoryBounds.CHUNK_BITS;
        if (chunks == 0 || ranges.child(task).isPresent()) { // an iterator may make more than the first chunk's number
            return named(task);
        }
        Optional<String> combine = ranges.combine(task);
        return combine.isPresent()
                ? combine
                : named(chunks - 1).map(name -> name + "-" + (task & ((1L << HistoryBounds.CHUNK_BITS) - 1)));
    }

    /** All combinations of the run's matrix, whose written names are those of the first ones alone. */
    private Combinations combinations() {
        if (combinations == null) {
            combinations = Combinations.of(run.spec());
        }
        return combinations;
    }

    private Optional<String> named(long node) throws SQLException {
        return named(node, MOST_LEVELS);
    }

    /** A node that nobody wrote is the copy of another, or a child of an iterator, which may be one of these again. */
    private Optional<String> named(long node, int levels) throws SQLException {
        Optional<String> own = written(node);
        if (own.isPresent() || levels == 0) {
            return own;
        }
        Optional<NodeRanges.Child> child = ranges.child(node);
        if (child.isPresent()) {
            return named(child.get().iterator(), levels - 1)
                    .map(name -> name + child.get().place());
        }
        NodeRanges.Copy copy = ranges.copy(node);
        return copy.places().isEmpty()
                ? Optional.empty()
                : named(copy.origin(), levels - 1).map(name -> name + copy.places());
    }

    private Optional<String> written(long node) throws SQLException {
        Optional<String> known = written.get(node);
        if (known != null) {
            return known;
        }
        Optional<String> name = Rows.first(
                        connection,
                        "SELECT name FROM nodes WHERE run_id = ? AND ordinal = ?",
                        row -> row.getString(1),
                        run.id(),
                        node)
                .filter(its -> !its.isEmpty());
        keep(node, name);
        return name;
    }

    private void keep(long node, Optional<String> name) {
        if (written.size() == KEPT) {
            written.clear();
        }
        written.put(node, name);
    }

    /** Reads the names of these tasks' own nodes at once; the tasks are in order. */
    void ahead(List<TaskState> tasks) throws SQLException {
        if (tasks.isEmpty()) {
            return;
        }
        Rows.all(
                connection,
                "SELECT ordinal, name FROM nodes WHERE run_id = ? AND ordinal >= ? AND ordinal <= ? ORDER BY ordinal LIMIT "
                        + KEPT / 2,
                row -> {
                    keep(row.getLong(1), Optional.of(row.getString(2)).filter(its -> !its.isEmpty()));
                    return 0;
                },
                run.id(),
                tasks.getFirst().task(),
                tasks.getLast().task());
    }

    /** Takes tasks until it has enough. */
    @FunctionalInterface
    interface Found {

        /** Whether more are wanted. */
        boolean task(long task) throws SQLException;
    }

    /** Whether the names of tasks follow from nodes alone: those of a tree, a map-reduce, an hour of a queue. */
    boolean followNodes() {
        return run.sourceHash().isEmpty() && !run.kind().equals(RunKind.TASK_SET.word());
    }

    /** Gives the tasks whose listed name has the text, without regard to case, in their order from one on. */
    void search(String text, long from, Found found) throws SQLException {
        String wanted = text.toLowerCase(Locale.ROOT);
        long next = from;
        while (run.sourceHash().isPresent()) {
            long at = next;
            Optional<Block> some = Rows.first(
                    connection,
                    "SELECT first_task, packed FROM names WHERE namespace = ? AND source_hash = ?"
                            + " AND first_task + n > ? ORDER BY first_task LIMIT 1",
                    row -> new Block(row.getLong(1), NameBlock.unpack(row.getBytes(2))),
                    run.namespace(),
                    run.sourceHash().get(),
                    at);
            if (some.isEmpty()) {
                return;
            }
            Block names = some.get();
            for (long task = Math.max(at, names.first());
                    task < names.first() + names.names().size();
                    task++) {
                String name = names.names().get((int) (task - names.first()));
                if (name.toLowerCase(Locale.ROOT).contains(wanted) && !found.task(task)) {
                    return;
                }
            }
            next = names.first() + names.names().size();
        }
    }
}
