package dev.quiver.history.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Writes entries of a keyspace into the record, within a transaction of the caller. A repeat changes nothing that
 * counts. Thread-safe; it counts the rows that it wrote.
 */
public final class RecordWriter {

    /** Unread entries of a keyspace that are kept: the latest ones. */
    static final int UNREAD = 1000;

    private static final int IDS_AT_ONCE = 200;

    private final Database database;
    private final Clock clock;
    private final LongAdder rows = new LongAdder();

    /** Into that database. */
    public RecordWriter(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** Rows that were written so far, those of transactions that failed, too. */
    public long rows() {
        return rows.sum();
    }

    /** Writes them in their order. */
    public void write(Connection connection, Keyspace keyspace, List<ReceivedEntry> entries) throws SQLException {
        Map<String, Object[]> mentioned = new LinkedHashMap<>();
        Map<String, Object[]> sessions = new LinkedHashMap<>();
        Map<String, RunOpening> openings = new LinkedHashMap<>();
        for (ReceivedEntry received : entries) {
            received.entry().ifPresent(entry -> mention(keyspace, entry, received.step(), mentioned, sessions));
            if (received.entry().orElse(null) instanceof HistoryEntry.Opened opened) {
                RunOpening opening = opened.opening();
                boolean hourly = opening.kind() == RunKind.QUEUE;
                openings.put(opened.uid(), hourly ? opening.inHour(opened.at()) : opening);
            }
        }
        Set<String> removed = removed(connection, keyspace, mentioned.keySet(), entries);
        mentioned.keySet().removeAll(removed);
        openings.keySet().removeAll(removed);
        open(connection, keyspace, openings);
        database.write(connection, Tables.MENTIONED_RUNS, List.copyOf(mentioned.values()));
        database.write(connection, Tables.MENTIONED_WORKERS, List.copyOf(sessions.values()));
        RowBatch batch = new RowBatch(
                ids(connection, "runs", "uid", keyspace, List.copyOf(mentioned.keySet())),
                ids(connection, "workers", "session", keyspace, List.copyOf(sessions.keySet())),
                silent(connection, keyspace, List.copyOf(mentioned.keySet())));
        boolean unread = false;
        for (ReceivedEntry received : entries) {
            if (received.entry().isPresent()) {
                add(batch, keyspace, received.entry().get(), received.step());
            } else if (UnreadFields.uid(received.fields())
                    .filter(removed::contains)
                    .isEmpty()) {
                batch.unread(keyspace.prefix(), received, UnreadFields.uid(received.fields()), clock.millis());
                unread = true;
            }
        }
        write(connection, batch);
        for (ReceivedEntry received : entries) {
            switch (received.entry().orElse(null)) {
                case HistoryEntry.Ended ended -> end(connection, keyspace, ended);
                case HistoryEntry.Rewound rewound -> rewind(connection, keyspace, rewound);
                case HistoryEntry.Deleted deleted -> forget(connection, keyspace, deleted);
                case null, default -> {
                    // Written above.
                }
            }
        }
        if (unread) {
            forgetUnread(connection, keyspace);
        }
    }

    private static void mention(
            Keyspace keyspace,
            HistoryEntry entry,
            Optional<StepParts> step,
            Map<String, Object[]> runs,
            Map<String, Object[]> sessions) {
        switch (entry) {
            case HistoryEntry.Step its -> {
                session(keyspace, its.session(), its.at(), sessions);
                RunKind kind = switch (its.source()) {
                    case SET -> RunKind.TASK_SET;
                    case QUEUE -> RunKind.TASK;
                    case CHUNKS -> RunKind.MAP_REDUCE_JOB;
                };
                step.orElseThrow().runs().keySet().forEach(uid -> run(keyspace, uid, kind, its.at(), runs));
            }
            case HistoryEntry.Worker worker -> {
                session(keyspace, worker.session(), worker.at(), sessions);
                if (worker.event().phase() == HistoryEntry.Phase.PREPARE) {
                    run(keyspace, worker.uid(), RunKind.TASK_SET, worker.at(), runs);
                }
            }
            case HistoryEntry.Reaped reaped -> {
                session(keyspace, reaped.session(), reaped.at(), sessions);
                run(keyspace, reaped.uid(), RunKind.TASK_SET, reaped.at(), runs);
            }
            case HistoryEntry.Opened opened ->
                run(keyspace, opened.uid(), opened.opening().kind(), opened.at(), runs);
            case HistoryEntry.Named named -> run(keyspace, named.uid(), RunKind.TASK_SET, named.at(), runs);
            case HistoryEntry.Ranged ranged -> run(keyspace, ranged.uid(), RunKind.TASK, ranged.at(), runs);
            case HistoryEntry.Rewound _, HistoryEntry.Deleted _ -> {
                // About no run, or about one that is to go if it is there.
            }
            case HistoryEntry.Ended ended -> run(keyspace, ended.uid(), RunKind.TASK_SET, ended.at(), runs);
        }
    }

    private static void run(Keyspace keyspace, String uid, RunKind kind, long at, Map<String, Object[]> runs) {
        runs.putIfAbsent(uid, new Object[] {keyspace.prefix(), uid, kind.word(), keyspace.namespace(), uid, at});
    }

    private static void session(Keyspace keyspace, String session, long at, Map<String, Object[]> sessions) {
        sessions.putIfAbsent(session, new Object[] {keyspace.prefix(), session, at});
    }

    private void open(Connection connection, Keyspace keyspace, Map<String, RunOpening> openings) throws SQLException {
        List<Object[]> classes = new ArrayList<>();
        for (RunOpening opening : openings.values()) {
            opening.runClass().ifPresent(name -> classes.add(new Object[] {scope(keyspace, opening), name}));
        }
        database.write(connection, Tables.CLASSES, classes);
        List<Object[]> rows = new ArrayList<>();
        for (Map.Entry<String, RunOpening> entry : openings.entrySet()) {
            RunOpening opening = entry.getValue();
            Long runClass = null;
            if (opening.runClass().isPresent()) {
                runClass = Rows.first(
                                connection,
                                "SELECT id FROM classes WHERE namespace = ? AND name = ?",
                                row -> row.getLong(1),
                                scope(keyspace, opening),
                                opening.runClass().get())
                        .orElseThrow();
            }
            rows.add(new Object[] {
                keyspace.prefix(),
                entry.getKey(),
                opening.kind().word(),
                keyspace.namespace(),
                opening.namespaceUid(),
                opening.name(),
                opening.parentRun().orElse(null),
                opening.parentTask(),
                opening.firedAt().orElse(null),
                runClass,
                opening.pool(),
                Json.write(opening.labels()),
                opening.spec(),
                opening.sourceHash().orElse(null),
                opening.createdAt(),
                opening.tasks(),
                opening.keepDays(),
                opening.keepRuns(),
                opening.forgetOnDelete() ? 1 : 0
            });
        }
        database.write(connection, Tables.OPENED_RUNS, rows);
    }

    private static String scope(Keyspace keyspace, RunOpening opening) {
        return new ClassScope(keyspace.namespace(), opening.namespaceUid()).stored();
    }

    private static Map<String, Long> ids(
            Connection connection, String table, String column, Keyspace keyspace, List<String> names)
            throws SQLException {
        Map<String, Long> ids = new HashMap<>();
        for (int from = 0; from < names.size(); from += IDS_AT_ONCE) {
            List<String> some = names.subList(from, Math.min(names.size(), from + IDS_AT_ONCE));
            List<Object> values = new ArrayList<>();
            values.add(keyspace.prefix());
            values.addAll(some);
            Rows.all(
                    connection,
                    "SELECT id, " + column + " FROM " + table + " WHERE keyspace = ? AND " + column + " IN ("
                            + Rows.marks(some.size()) + ")",
                    row -> ids.put(row.getString(2), row.getLong(1)),
                    values.toArray());
        }
        return ids;
    }

    /** The uids among these whose runs somebody removed for good. */
    private static Set<String> removed(
            Connection connection, Keyspace keyspace, Set<String> mentioned, List<ReceivedEntry> entries)
            throws SQLException {
        Set<String> removed = new HashSet<>();
        List<String> uids = Stream.concat(
                        mentioned.stream(),
                        entries.stream()
                                .filter(received -> received.entry().isEmpty())
                                .flatMap(received -> UnreadFields.uid(received.fields()).stream()))
                .distinct()
                .toList();
        for (int from = 0; from < uids.size(); from += IDS_AT_ONCE) {
            List<Object> values = new ArrayList<>(List.of(keyspace.prefix()));
            values.addAll(uids.subList(from, Math.min(uids.size(), from + IDS_AT_ONCE)));
            removed.addAll(Rows.all(
                    connection,
                    "SELECT uid FROM removed_runs WHERE keyspace = ? AND uid IN (" + Rows.marks(values.size() - 1)
                            + ")",
                    row -> row.getString(1),
                    values.toArray()));
        }
        return removed;
    }

    /** Runs whose output somebody removed: a replay or a later trial must not bring it back. */
    private static Set<Long> silent(Connection connection, Keyspace keyspace, List<String> uids) throws SQLException {
        Set<Long> silent = new HashSet<>();
        for (int from = 0; from < uids.size(); from += IDS_AT_ONCE) {
            List<Object> values = new ArrayList<>(List.of(keyspace.prefix()));
            values.addAll(uids.subList(from, Math.min(uids.size(), from + IDS_AT_ONCE)));
            silent.addAll(Rows.all(
                    connection,
                    "SELECT id FROM runs WHERE keyspace = ? AND output_removed <> 0 AND uid IN ("
                            + Rows.marks(values.size() - 1) + ")",
                    row -> row.getLong(1),
                    values.toArray()));
        }
        return silent;
    }

    private static void add(RowBatch batch, Keyspace keyspace, HistoryEntry entry, Optional<StepParts> step) {
        switch (entry) {
            case HistoryEntry.Step its -> batch.step(its, step.orElseThrow());
            case HistoryEntry.Worker worker -> batch.worker(keyspace.prefix(), worker);
            case HistoryEntry.Named named -> batch.named(keyspace.namespace(), named);
            case HistoryEntry.Ranged ranged -> batch.ranged(ranged);
            case HistoryEntry.Reaped reaped -> batch.reaped(reaped);
            case HistoryEntry.Opened opened -> {
                // Written before the rest, for its id.
            }
            case HistoryEntry.Ended ended -> {
                // Written behind the rest: it seals.
            }
            case HistoryEntry.Rewound _, HistoryEntry.Deleted _ -> {
                // Written behind the rest, in its place among the ends.
            }
        }
    }

    private void write(Connection connection, RowBatch batch) throws SQLException {
        for (Table table : List.of(
                Tables.WORKERS,
                Tables.RUN_WORKERS,
                Tables.WORKER_LOGS,
                Tables.NODES,
                Tables.NODE_RANGES,
                Tables.NAMES,
                Tables.PASSES,
                Tables.TRIALS,
                Tables.CASES,
                Tables.TASKS,
                Tables.UNREAD)) {
            database.write(connection, table, batch.rows(table));
            rows.add(batch.rows(table).size());
        }
        // In one order for all: two transactions that lock runs in different orders would wait for each other.
        try (PreparedStatement grown =
                connection.prepareStatement("UPDATE runs SET bytes = bytes + ?, sealed = 0 WHERE id = ?")) {
            for (Map.Entry<Long, Long> run : new java.util.TreeMap<>(batch.bytes()).entrySet()) {
                Rows.bind(grown, run.getValue(), run.getKey());
                grown.addBatch();
            }
            grown.executeBatch();
        }
    }

    private static void end(Connection connection, Keyspace keyspace, HistoryEntry.Ended ended) throws SQLException {
        RunEnd end = ended.end();
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE runs SET status = ?, reason = ?, message = ?, started_at = ?, finished_at = ?, tasks = ?,"
                        + " succeeded_count = ?, pending_count = ?, failed_count = ?, trials = ?, lost = ?, run_ms = ?,"
                        + " not_recorded = ?, sealed = 0 WHERE keyspace = ? AND uid = ?")) {
            Rows.bind(
                    update,
                    end.status().word(),
                    end.reason().orElse(""),
                    end.message().orElse(""),
                    end.startedAt().orElse(null),
                    ended.at(),
                    end.tasks(),
                    end.succeeded(),
                    end.pending(),
                    end.failed(),
                    end.trials(),
                    end.lost(),
                    end.runMillis(),
                    end.notRecorded(),
                    keyspace.prefix(),
                    ended.uid());
            update.executeUpdate();
        }
    }

    /** Runs that are open then, and not those of a later time: the entry may come again. */
    private static void rewind(Connection connection, Keyspace keyspace, HistoryEntry.Rewound rewound)
            throws SQLException {
        Rows.change(
                connection,
                "UPDATE runs SET rewound = 1 WHERE keyspace = ? AND finished_at IS NULL AND created_at <= ?",
                keyspace.prefix(),
                rewound.at());
    }

    /**
     * Marks the runs of a deleted resource whose opening asked for that. Marked runs are found no more, and nothing
     * more is written of them; {@link Retention#removeMarked} removes the rest. A schedule has no run of its own uid.
     */
    private void forget(Connection connection, Keyspace keyspace, HistoryEntry.Deleted deleted) throws SQLException {
        boolean own = Rows.first(
                        connection,
                        "SELECT 1 FROM runs WHERE keyspace = ? AND uid = ?",
                        row -> row.getInt(1),
                        keyspace.prefix(),
                        deleted.uid())
                .isPresent();
        List<String> uids = Rows.all(
                connection,
                "SELECT uid FROM runs WHERE keyspace = ? AND " + (own ? "uid" : "parent_run")
                        + " = ? AND forget_on_delete = 1",
                row -> row.getString(1),
                keyspace.prefix(),
                deleted.uid());
        List<Object[]> marks = new ArrayList<>();
        for (String uid : uids) {
            marks.add(new Object[] {keyspace.prefix(), uid, clock.millis()});
            Rows.change(
                    connection, "UPDATE runs SET removed = 1 WHERE keyspace = ? AND uid = ?", keyspace.prefix(), uid);
        }
        database.write(connection, Tables.REMOVED_RUNS, marks);
    }

    /** A tenant may forge any number. */
    private static void forgetUnread(Connection connection, Keyspace keyspace) throws SQLException {
        Rows.change(
                connection,
                "DELETE FROM unread WHERE keyspace = ? AND id <= (SELECT MAX(id) FROM unread WHERE keyspace = ?) - ?",
                keyspace.prefix(),
                keyspace.prefix(),
                UNREAD);
    }
}
