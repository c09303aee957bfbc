package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.NodeRange;

/** Failures, workers, slaves and nodes of a run. Stateless. */
public final class RunParts {

    /** Nodes with chunks of one run that are looked at. */
    private static final int CHUNK_NODES = 16;

    private static final int NAMES_AT_ONCE = 200;

    /** Children of the nodes of a page whose states are counted. */
    private static final int CHILDREN = 4096;

    private static final String NODES = "SELECT * FROM nodes WHERE run_id = ?";

    private RunParts() {}

    /** Failed tasks of one reason: how many, and the first of them with its last words. */
    public record FailureGroup(String reason, long tasks, long firstTask, Optional<String> message, List<Long> first) {}

    /** Tasks that ended without a pass, by reason, the largest group first; at most a thousand groups. */
    public static List<FailureGroup> failures(Connection connection, long run) throws SQLException {
        return Rows.all(
                connection,
                "SELECT grouped.why, grouped.many, grouped.least, (SELECT MAX(message) FROM trials WHERE run_id = ? AND"
                        + " task = grouped.least AND COALESCE(reason, '') = grouped.why) AS message FROM"
                        + " (SELECT COALESCE(reason, '') AS why, COUNT(*) AS many, MIN(task) AS least FROM tasks"
                        + " WHERE run_id = ? AND status <> 0 AND over = 1 GROUP BY COALESCE(reason, '')) AS grouped"
                        + " ORDER BY grouped.many DESC, grouped.why LIMIT 1000",
                row -> new FailureGroup(
                        row.getString("why"),
                        row.getLong("many"),
                        row.getLong("least"),
                        Rows.text(row, "message"),
                        List.of()),
                run,
                run);
    }

    /**
     * A worker that took part in a run.
     *
     * @param passed first-time passes; absent before the run is sealed
     */
    public record Worker(
            long id,
            String session,
            Optional<String> pool,
            Optional<String> pod,
            Optional<String> node,
            Optional<Long> slots,
            Optional<Long> openedAt,
            Optional<Long> closedAt,
            Optional<String> ended,
            Optional<Long> passed,
            Optional<Long> runMillis,
            Optional<Long> startedAt,
            Optional<Long> rsyncFinishedAt,
            Optional<Long> setupFinishedAt,
            Optional<Long> finishedAt,
            boolean log) {}

    /** A page of workers, by id. */
    public static Page<Worker> workers(Connection connection, long run, int limit, Optional<String> token)
            throws SQLException {
        long after = PageToken.read(token, 1).map(key -> key[0]).orElse(0L);
        List<Worker> found = Rows.all(
                connection,
                "SELECT w.id, w.session, w.pool, w.pod, w.node, w.slots, w.opened_at, w.closed_at, w.ended, rw.passed,"
                        + " rw.run_ms, l.started_at, l.rsync_finished_at, l.setup_finished_at, l.finished_at,"
                        + " CASE WHEN l.log IS NULL THEN 0 ELSE 1 END AS has_log FROM run_workers rw"
                        + " JOIN workers w ON w.id = rw.worker_id"
                        + " LEFT JOIN worker_logs l ON l.run_id = rw.run_id AND l.worker_id = rw.worker_id"
                        + " WHERE rw.run_id = ? AND rw.worker_id > ? ORDER BY rw.worker_id LIMIT " + (limit + 1),
                RunParts::worker,
                run,
                after);
        return page(found, limit, worker -> PageToken.of(worker.id()));
    }

    /** A worker by its names. */
    public record NamedWorker(long id, String session, Optional<String> pod) {}

    /** The names of some workers, by id. */
    public static List<NamedWorker> named(Connection connection, List<Long> workers) throws SQLException {
        List<NamedWorker> named = new ArrayList<>();
        for (int from = 0; from < workers.size(); from += NAMES_AT_ONCE) {
            List<Long> some = workers.subList(from, Math.min(workers.size(), from + NAMES_AT_ONCE));
            named.addAll(Rows.all(
                    connection,
                    "SELECT id, session, pod FROM workers WHERE id IN (" + Rows.marks(some.size()) + ") ORDER BY id",
                    row -> new NamedWorker(row.getLong("id"), row.getString("session"), Rows.text(row, "pod")),
                    some.toArray()));
        }
        return named;
    }

    private static Worker worker(ResultSet row) throws SQLException {
        return new Worker(
                row.getLong("id"),
                row.getString("session"),
                Rows.text(row, "pool"),
                Rows.text(row, "pod"),
                Rows.text(row, "node"),
                Rows.number(row, "slots"),
                Rows.number(row, "opened_at"),
                Rows.number(row, "closed_at"),
                Rows.text(row, "ended"),
                Rows.number(row, "passed"),
                Rows.number(row, "run_ms"),
                Rows.number(row, "started_at"),
                Rows.number(row, "rsync_finished_at"),
                Rows.number(row, "setup_finished_at"),
                Rows.number(row, "finished_at"),
                row.getInt("has_log") != 0);
    }

    /** The deflated log of a worker in a run, with what its slots' processes printed between tasks. */
    public static Optional<byte[]> log(Connection connection, long run, long worker) throws SQLException {
        return Rows.first(
                connection,
                "SELECT log FROM worker_logs WHERE run_id = ? AND worker_id = ? AND log IS NOT NULL",
                row -> row.getBytes(1),
                run,
                worker);
    }

    /**
     * One slot of a worker, the seed's slave.
     *
     * @param exitStatus the seed's word for the end of its session; absent while it lives
     */
    public record Slave(
            long worker,
            int slot,
            Optional<String> pod,
            Optional<String> node,
            Optional<Long> openedAt,
            Optional<Long> closedAt,
            Optional<String> exitStatus) {}

    /** The seed's words: a worker that closed, one of which nothing was heard for a lease, any other end. */
    private static String exitStatus(String ended) {
        return switch (ended) {
            case "closed" -> "normal_exit";
            case "lease ended" -> "timeout_exit";
            default -> "failure_exit";
        };
    }

    /** A page of slaves, by worker and slot. */
    public static Page<Slave> slaves(Connection connection, long run, int limit, Optional<String> token)
            throws SQLException {
        long[] after = PageToken.read(token, 2).orElse(new long[] {0, -1});
        List<Slave> found = Rows.all(
                connection,
                "SELECT * FROM slaves WHERE run_id = ? AND (worker_id > ? OR worker_id = ? AND slot > ?)"
                        + " ORDER BY worker_id, slot LIMIT " + (limit + 1),
                row -> new Slave(
                        row.getLong("worker_id"),
                        row.getInt("slot"),
                        Rows.text(row, "pod"),
                        Rows.text(row, "node"),
                        Rows.number(row, "opened_at"),
                        Rows.number(row, "closed_at"),
                        Rows.text(row, "exit_status").map(RunParts::exitStatus)),
                run,
                after[0],
                after[0],
                after[1]);
        return page(found, limit, slave -> PageToken.of(slave.worker(), slave.slot()));
    }

    /** A node of a tree, or a range of children that one made; with how many of its children are in which state. */
    public record Node(
            long ordinal,
            long parent,
            String kind,
            String name,
            String state,
            long first,
            long n,
            List<StateCount> children) {

        /** The same in another state. */
        public Node in(String other) {
            return new Node(ordinal, parent, kind, name, other, first, n, children);
        }
    }

    /** How many children are in a state. */
    public record StateCount(String state, long n) {}

    /**
     * A page of the children of a node. Those that a forEach has made follow from its range.
     *
     * @param parent −1 for the root
     */
    public static Page<Node> nodes(Connection connection, long run, long parent, int limit, Optional<String> token)
            throws SQLException {
        long after = PageToken.read(token, 1).map(key -> key[0]).orElse(-1L);
        NodeRanges ranges = new NodeRanges(connection, run);
        Optional<NodeRange> made = ranges.of(parent);
        List<Node> plain = made.isPresent()
                ? made(connection, run, ranges, made.get(), after, limit + 1)
                : below(connection, run, ranges, parent, after, limit + 1);
        Page<Node> page = page(plain, limit, node -> PageToken.of(node.ordinal()));
        if (page.items().isEmpty()) {
            return page;
        }
        Map<Long, List<StateCount>> counts = counts(connection, run, page.items());
        TreeSet<Long> numbers = new TreeSet<>();
        page.items().forEach(node -> numbers.add(node.ordinal()));
        Map<Long, String> states = NodeStates.of(connection, run, numbers);
        List<Node> full = new ArrayList<>();
        for (Node node : page.items()) {
            Optional<NodeRange> its = switch (node.kind()) {
                case "forEach" -> ranges.of(node.ordinal());
                case "chunks" -> ranges.of(node.ordinal(), NodeRange.Kind.COMBINES);
                default -> Optional.empty();
            };
            full.add(new Node(
                    node.ordinal(),
                    node.parent(),
                    node.kind(),
                    node.name(),
                    states.getOrDefault(node.ordinal(), ""),
                    its.map(NodeRange::first).orElse(node.first()),
                    its.map(NodeRange::n).orElse(node.n()),
                    counts.getOrDefault(node.ordinal(), List.of())));
        }
        return new Page<>(full, page.next());
    }

    /** How many children of these nodes are in which state. */
    private static Map<Long, List<StateCount>> counts(Connection connection, long run, List<Node> parents)
            throws SQLException {
        Map<Long, Long> children = new TreeMap<>();
        Rows.all(
                connection,
                "SELECT ordinal, parent FROM nodes WHERE run_id = ? AND parent >= ? AND parent <= ? ORDER BY ordinal LIMIT "
                        + CHILDREN,
                row -> children.put(row.getLong("ordinal"), row.getLong("parent")),
                run,
                parents.getFirst().ordinal(),
                parents.getLast().ordinal());
        Map<Long, String> states = NodeStates.of(connection, run, new TreeSet<>(children.keySet()));
        Map<Long, Map<String, Long>> summed = new HashMap<>();
        children.forEach((child, parent) -> summed.computeIfAbsent(parent, it -> new TreeMap<>())
                .merge(states.getOrDefault(child, ""), 1L, Long::sum));
        Map<Long, List<StateCount>> counts = new HashMap<>();
        summed.forEach((parent, each) -> counts.put(
                parent,
                each.entrySet().stream()
                        .map(state -> new StateCount(state.getKey(), state.getValue()))
                        .toList()));
        return counts;
    }

    /** Written children. The children of a copy are the template's, whose numbers are as far apart. */
    private static List<Node> below(
            Connection connection, long run, NodeRanges ranges, long parent, long after, int most) throws SQLException {
        NodeRanges.Copy copy = ranges.copy(parent);
        long shift = parent - copy.origin();
        return Rows.all(
                connection,
                NODES + " AND parent = ? AND ordinal > ? ORDER BY ordinal LIMIT " + most,
                row -> node(row, row.getLong("ordinal") + shift, parent, copy.places()),
                run,
                copy.origin(),
                Math.max(-1, after - shift));
    }

    private static List<Node> made(
            Connection connection, long run, NodeRanges ranges, NodeRange range, long after, int most)
            throws SQLException {
        String places = ranges.copy(range.parent()).places();
        long from = after < range.first() ? 0 : (after - range.first()) / range.stride() + 1;
        List<Node> found = new ArrayList<>();
        for (long i = from; i < range.n() && found.size() < most; i++) {
            long ordinal = range.first() + i * range.stride();
            String place = places + "[" + i + "]";
            found.add(Rows.first(
                            connection,
                            NODES + " AND ordinal = ?",
                            row -> node(row, ordinal, range.parent(), place),
                            run,
                            range.origin())
                    .orElse(new Node(ordinal, range.parent(), "leaf", place, "", 0, 0, List.of())));
        }
        return found;
    }

    private static Node node(ResultSet row, long ordinal, long parent, String places) throws SQLException {
        return new Node(
                ordinal,
                parent,
                row.getString("kind"),
                row.getString("name") + places,
                row.getString("state"),
                row.getLong("first"),
                row.getLong("n"),
                List.of());
    }

    /** Nodes whose chunks are tasks of the run, the first ones. */
    public static List<Long> chunks(Connection connection, long run) throws SQLException {
        return Rows.all(
                connection,
                "SELECT ordinal FROM nodes WHERE run_id = ? AND kind = 'chunks' ORDER BY ordinal LIMIT " + CHUNK_NODES,
                row -> row.getLong(1),
                run);
    }

    private static <T> Page<T> page(List<T> found, int limit, java.util.function.Function<T, String> token) {
        return found.size() <= limit
                ? new Page<>(found, Optional.empty())
                : new Page<>(found.subList(0, limit), Optional.of(token.apply(found.get(limit - 1))));
    }
}
