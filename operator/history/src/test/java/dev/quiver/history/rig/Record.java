package dev.quiver.history.rig;

import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.history.store.Database;
import dev.quiver.history.store.ReceivedEntry;
import dev.quiver.history.store.RecordWriter;
import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.EntryFields;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.HistoryEntry.WorkerEvent;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Entries of a keyspace, made as writers make them, and what the database has of them. */
public final class Record {

    /** When all runs of the tests were opened. */
    public static final long T0 = 1_780_000_000_000L;

    private final Database database;
    private final Keyspace keyspace;
    private final List<HistoryEntry> entries = new ArrayList<>();
    private int written;

    /** The entries of that keyspace. */
    public Record(Database database, Keyspace keyspace) {
        this.database = database;
        this.keyspace = keyspace;
    }

    /** Where it is written. */
    public Database database() {
        return database;
    }

    /** The keyspace. */
    public Keyspace keyspace() {
        return keyspace;
    }

    /** All entries so far. */
    public List<HistoryEntry> entries() {
        return List.copyOf(entries);
    }

    /** A TaskSet was opened. */
    public Record opened(String uid, String name, long at, long tasks) {
        return add(new HistoryEntry.Opened(uid, at, RunOpening.of(RunKind.TASK_SET, name, at, tasks)));
    }

    /** Any run was opened. */
    public Record opened(String uid, long at, RunOpening opening) {
        return add(new HistoryEntry.Opened(uid, at, opening));
    }

    /** A worker with eight slots joined. */
    public Record joined(String session, long at) {
        return add(new HistoryEntry.Worker("pool", at, session, event(HistoryEntry.Phase.JOIN, session)));
    }

    /** A worker prepared a run's workspace, and left this log. */
    public Record prepared(String uid, String session, long at, byte[] log) {
        return prepared(uid, session, at, at - 3000, at - 1000, Optional.of(at - 2000), Optional.empty(), log);
    }

    /** A worker prepared and, if there is a time, left the run. */
    public Record prepared(String uid, String session, long at, long started, Optional<Long> finished, byte[] log) {
        return prepared(uid, session, at, started, started + 100, Optional.empty(), finished, log);
    }

    private Record prepared(
            String uid,
            String session,
            long at,
            long started,
            long ready,
            Optional<Long> fetched,
            Optional<Long> finished,
            byte[] log) {
        WorkerEvent event = event(HistoryEntry.Phase.PREPARE, session);
        return add(new HistoryEntry.Worker(
                uid,
                at,
                session,
                new WorkerEvent(
                        event.phase(),
                        event.pool(),
                        event.pod(),
                        event.podUid(),
                        event.node(),
                        event.slots(),
                        event.speedMilli(),
                        Optional.of(started),
                        fetched,
                        Optional.of(ready),
                        finished,
                        Optional.empty(),
                        log)));
    }

    /** A worker's session ended, for this reason. */
    public Record left(String session, long at, String reason) {
        return add(new HistoryEntry.Worker(
                "pool",
                at,
                session,
                new WorkerEvent(
                        HistoryEntry.Phase.LEAVE,
                        "pool",
                        "",
                        "",
                        "",
                        0,
                        0,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(reason),
                        new byte[0])));
    }

    private static WorkerEvent event(HistoryEntry.Phase phase, String session) {
        return new WorkerEvent(
                phase,
                "pool",
                "pod-" + session,
                "uid-" + session,
                "node-1",
                8,
                1000,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new byte[0]);
    }

    /** A step settled these rows; every one counted and ended its task. */
    public Record step(String uid, String session, long call, long at, StepRows rows) {
        return step(uid, session, call, at, rows, "c".repeat(rows.settlements()));
    }

    /** A step settled these rows with these verdicts. */
    public Record step(String uid, String session, long call, long at, StepRows rows, String verdicts) {
        return add(new HistoryEntry.Step(uid, at, HistoryEntry.Source.SET, session, call, verdicts, rows.encode()));
    }

    /** Passes of consecutive tasks, 64 a step, each of which ran {@code 100 + task % 50} ms. */
    public Record passes(String uid, String session, long firstCall, long first, long count) {
        for (long from = first; from < first + count; from += 64) {
            StepRows rows = new StepRows();
            for (long task = from; task < Math.min(first + count, from + 64); task++) {
                rows.pass(task, (int) (task % 8), task % 7, 100 + task % 50);
            }
            step(uid, session, firstCall + from / 64, T0 + 1000 + from, rows);
        }
        return this;
    }

    /** Names of the first tasks of a source. */
    public Record named(String uid, String hash, List<String> names) {
        return add(new HistoryEntry.Named(uid, T0, new RunNames(hash, 0, names, List.of())));
    }

    /** The resource of a run, or of a schedule, was deleted. */
    public Record deleted(String uid, long at) {
        return add(new HistoryEntry.Deleted(uid, at));
    }

    /** A run of this name whose record goes with its resource. */
    public static RunOpening forgetting(String name, Optional<String> schedule, String hash) {
        return new RunOpening(
                RunKind.TASK_SET,
                name,
                "",
                Optional.empty(),
                "",
                schedule,
                0,
                Optional.empty(),
                T0,
                10,
                Optional.of(hash),
                0,
                0,
                true,
                Map.of(),
                new byte[0]);
    }

    /** A run ended with these counters. */
    public Record ended(String uid, RunEnd.Status status, long at, long tasks, long failed, long trials) {
        return add(new HistoryEntry.Ended(
                uid,
                at,
                new RunEnd(
                        status,
                        failed > 0 ? Optional.of("TasksFailed") : Optional.empty(),
                        Optional.empty(),
                        Optional.of(T0 + 500),
                        tasks,
                        tasks - failed,
                        0,
                        failed,
                        trials,
                        0,
                        trials * 100,
                        0)));
    }

    /** Any entry. */
    public Record add(HistoryEntry entry) {
        entries.add(entry);
        return this;
    }

    /** Writes what was not written yet, in one transaction. */
    public Record write() throws SQLException {
        write(entries.subList(written, entries.size()));
        written = entries.size();
        return this;
    }

    /** Writes all entries once more, as a persister does that died before it trimmed. */
    public Record replay() throws SQLException {
        write(entries);
        return this;
    }

    private void write(List<HistoryEntry> some) throws SQLException {
        List<ReceivedEntry> received = new ArrayList<>();
        for (HistoryEntry entry : some) {
            received.add(ReceivedEntry.of(T0 + "-" + entries.indexOf(entry), EntryFields.of(entry)));
        }
        database.change(connection -> {
            new RecordWriter(database, Clock.systemUTC()).write(connection, keyspace, received);
            return 0;
        });
    }

    /** A number from the database. */
    public static long number(Database database, String sql, Object... values) throws SQLException {
        return database.ask(connection -> Rows.first(connection, sql, row -> row.getLong(1), values))
                .orElse(Long.MIN_VALUE);
    }

    /** Texts of a column. */
    public static List<String> texts(Database database, String sql, Object... values) throws SQLException {
        return database.ask(connection -> Rows.all(connection, sql, row -> row.getString(1), values));
    }
}
