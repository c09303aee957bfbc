package dev.quiver.history.store;

import static dev.quiver.history.rig.Record.T0;
import static dev.quiver.history.rig.Record.number;
import static dev.quiver.history.rig.Record.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.history.rig.Record;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The behaviour of every database of the record with entries. */
abstract class RecordContract {

    private static final Keyspace TEAM = Keyspace.ofNamespace("team-a");
    static final String RUN = "SELECT %s FROM runs WHERE uid = ?";

    Database database;
    Record record;

    abstract Database open() throws Exception;

    @BeforeEach
    void begin() throws Exception {
        database = open();
        record = new Record(database, TEAM);
    }

    @AfterEach
    void end() {
        if (database != null) {
            database.close();
        }
    }

    static TrialRow failed(long task, int trial, String message) {
        return TrialRow.of(task, trial, 3, TrialStatus.FAILED, 5, 1200)
                .because(Optional.of(1), Optional.empty(), "NonZeroExit", message)
                .printed(new byte[] {1, 2}, new byte[] {3}, 4096);
    }

    Map<Long, String> passes(String uid) throws SQLException {
        Map<Long, String> all = new TreeMap<>();
        try (Connection connection = database.reader()) {
            Rows.all(
                    connection,
                    "SELECT worker_id, base_at, packed FROM passes JOIN runs ON runs.id = run_id WHERE uid = ?",
                    row -> {
                        PassBlock.read(
                                row.getBytes(3),
                                row.getLong(1),
                                row.getLong(2),
                                (task, worker, slot, at, millis) ->
                                        all.put(task, worker + "/" + slot + " " + at + " " + millis));
                        return 0;
                    },
                    uid);
            connection.rollback();
        }
        return all;
    }

    @Test
    void aReplayOfEverythingChangesNothing() throws SQLException {
        record.opened("u1", "specs", T0, 200)
                .joined("s1", T0)
                .passes("u1", "s1", 1, 0, 130)
                .step(
                        "u1",
                        "s1",
                        500,
                        T0 + 9000,
                        new StepRows().trial(failed(130, 1, "a")).trial(failed(131, 1, "b")),
                        "tc")
                .ended("u1", RunEnd.Status.FAILED, T0 + 10_000, 132, 1, 133)
                .write();
        List<String> counts = List.of("passes", "trials", "tasks", "runs", "workers", "run_workers");
        Map<String, Long> before = new TreeMap<>();
        for (String table : counts) {
            before.put(table, number(database, "SELECT COUNT(*) FROM " + table));
        }
        assertThat(before).containsEntry("trials", 2L).containsEntry("passes", 3L);
        record.replay();
        for (String table : counts) {
            assertThat(number(database, "SELECT COUNT(*) FROM " + table)).isEqualTo(before.get(table));
        }
        assertThat(number(database, RUN.formatted("trials"), "u1")).isEqualTo(133);
        assertThat(number(database, RUN.formatted("failed_count"), "u1")).isEqualTo(1);
    }

    @Test
    void passesStayAsTheStepPackedThemAndOthersBecomeRows() throws SQLException {
        StepRows pure = new StepRows().pass(7, 1, 10, 90).pass(8, 2, 11, 80);
        StepRows mixed = new StepRows()
                .pass(9, 1, 10, 90)
                .nothing()
                .trial(failed(10, 1, "expected 3"))
                .pass(11, 0, 0, 5);
        record.opened("u1", "specs", T0, 20)
                .step("u1", "s1", 1, T0 + 100, pure)
                .step("u1", "s1", 2, T0 + 200, mixed, "cctv")
                .write();
        assertThat(passes("u1"))
                .containsOnlyKeys(7L, 8L, 9L)
                .containsEntry(
                        7L,
                        number(database, "SELECT id FROM workers WHERE session = 's1'") + "/1 " + (T0 + 90) + " 90");
        assertThat(texts(database, "SELECT message FROM trials")).containsExactly("expected 3");
        assertThat(number(database, "SELECT over FROM tasks WHERE task = 10")).isZero();
        assertThat(number(database, "SELECT finished_at FROM trials")).isEqualTo(T0 + 195);
    }

    /** Numbers of the views, as people read them. */
    private List<String> texted(String sql) throws SQLException {
        return texts(database, sql);
    }

    @Test
    void viewsForPeopleHaveRunsAndTheMinutesOfWorkersSealedOrNot() throws SQLException {
        record.joined("s1", T0)
                .opened(
                        "u1",
                        T0,
                        RunOpening.of(RunKind.TASK_SET, "specs", T0, 4).in("nightly", "h"))
                .step(
                        "u1",
                        "s1",
                        1,
                        T0 + 100_000,
                        new StepRows()
                                .pass(0, 0, 0, 30_000)
                                .pass(1, 1, 0, 60_000)
                                .trial(failed(2, 1, "no")))
                .opened("u2", "running", T0, 1)
                .write();
        String minutes = "SELECT CAST(ROUND(minutes * 1000) AS INTEGER) FROM quiver_worker_minutes";
        assertThat(texted(minutes)).containsExactly("1520");
        assertThat(texted("SELECT status FROM quiver_runs ORDER BY name")).containsExactly("running", "running");
        record.ended("u1", RunEnd.Status.FAILED, T0 + 100_000, 3, 1, 3).write();
        new Sealing(database).seal(9);
        assertThat(texted(minutes)).containsExactly("1520");
        assertThat(texted("SELECT class || ' ' || status FROM quiver_runs WHERE name = 'specs'"))
                .containsExactly("nightly failed");
        assertThat(texted("SELECT CAST(created_at AS TEXT) FROM quiver_runs WHERE name = 'specs'")
                        .getFirst())
                .startsWith(Instant.ofEpochMilli(T0).toString().substring(0, 7));
        new RunRemoval(database).forget(number(database, "SELECT id FROM runs WHERE uid = 'u1'"), T0);
        assertThat(texted("SELECT name FROM quiver_runs")).containsExactly("running");
    }

    @Test
    void aSealedRunHasItsTrialsByTime() throws SQLException {
        record.opened("u1", "specs", T0, 5)
                .step(
                        "u1",
                        "s1",
                        1,
                        T0 + 100,
                        new StepRows()
                                .pass(0, 0, 0, 0)
                                .pass(1, 0, 0, 3)
                                .pass(2, 0, 0, 3)
                                .trial(failed(3, 1, "no")))
                .ended("u1", RunEnd.Status.FAILED, T0 + 100, 4, 1, 4)
                .write();
        new Sealing(database).seal(9);
        byte[] bytes = database.ask(connection ->
                        Rows.first(connection, "SELECT run_ms_histogram FROM runs", row -> row.getBytes(1)))
                .orElseThrow();
        // 1,200 ms are from 1,024 on and below 2,048.
        assertThat(RunTimes.read(bytes)).containsExactly(1L, 0L, 2L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 1L);
        assertThat(RunTimes.read(new byte[0])).isEmpty();
    }

    @Test
    void twoHoldersOfOneTrialAndALossKeepTheirRows() throws SQLException {
        TrialRow twin = new TrialRow(
                5,
                1,
                1,
                0,
                TrialStatus.PASSED,
                0,
                10,
                Optional.of(0),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                0,
                new byte[0],
                new byte[0],
                Optional.empty(),
                0,
                Optional.empty(),
                TrialRow.Streams.NONE,
                0,
                false);
        record.step("u1", "s1", 1, T0, new StepRows().trial(failed(5, 1, "slow")))
                .step("u1", "s2", 1, T0, new StepRows().trial(twin))
                .step("u1", "s3", 9, T0, new StepRows().trial(TrialRow.of(5, 1, 0, TrialStatus.LOST, 0, 0)))
                .add(new HistoryEntry.Reaped("u1", T0, "s4", List.of(new HistoryEntry.Loss(5, 1, false))))
                .write()
                .replay();
        assertThat(number(database, "SELECT COUNT(*) FROM trials WHERE task = 5"))
                .isEqualTo(4);
        assertThat(texts(
                        database,
                        "SELECT reason FROM trials WHERE worker_id = (SELECT id FROM workers WHERE session ="
                                + " 's4')"))
                .containsExactly("WorkerLost");
    }

    @Test
    void sealingMergesByTaskAndDropsWhatCameTwice() throws SQLException {
        record.opened("u1", "specs", T0, 10_000).joined("s1", T0).joined("s2", T0);
        // In a permuted order, so that every pack covers the whole run.
        for (int call = 0; call < 100; call++) {
            StepRows rows = new StepRows();
            for (int i = 0; i < 100; i++) {
                rows.pass((call + i * 100L) * 7919 % 10_000, i % 8, i, 50 + call);
            }
            record.step("u1", call % 2 == 0 ? "s1" : "s2", call, T0 + call * 10, rows);
        }
        record.ended("u1", RunEnd.Status.SUCCEEDED, T0 + 99_999, 10_000, 0, 10_000)
                .write();
        Map<Long, String> before = passes("u1");
        assertThat(before).hasSize(10_000);
        assertThat(new Sealing(database).seal(10)).isEqualTo(1);
        assertThat(passes("u1")).isEqualTo(before);
        assertThat(number(database, "SELECT COUNT(*) FROM passes")).isEqualTo(3);
        assertThat(number(database, "SELECT SUM(n) FROM passes")).isEqualTo(10_000);
        assertThat(number(database, "SELECT SUM(passed) FROM run_workers")).isEqualTo(10_000);
        assertThat(new Sealing(database).seal(10)).isZero();

        // A replay brings all passes once more; they are merged again.
        record.replay();
        assertThat(number(database, "SELECT SUM(n) FROM passes")).isEqualTo(20_000);
        assertThat(new Sealing(database).seal(10)).isEqualTo(1);
        assertThat(passes("u1")).isEqualTo(before);
        assertThat(number(database, "SELECT SUM(passed) FROM run_workers")).isEqualTo(10_000);
    }

    @Test
    void aRunThatIsSealedInPartsAndOnceMoreHasEveryPass() throws SQLException {
        int tasks = 600_000; // more than are sorted at a time
        record.opened("u1", "specs", T0, tasks).joined("s1", T0);
        for (int call = 0; call < tasks / 250; call++) {
            StepRows rows = new StepRows();
            for (int i = 0; i < 250; i++) {
                rows.pass((call * 250L + i) * 7919 % tasks, i % 8, 0, 100);
            }
            record.step("u1", "s1", call, T0 + call, rows);
        }
        record.ended("u1", RunEnd.Status.SUCCEEDED, T0 + 9999, tasks, 0, tasks).write();
        assertThat(new Sealing(database).seal(10)).isEqualTo(1);
        assertThat(number(database, "SELECT SUM(n) FROM passes")).isEqualTo(tasks);
        assertThat(number(database, "SELECT COUNT(*) FROM passes")).isEqualTo((tasks + 4095) / 4096);

        record.step("u1", "s1", 9000, T0 + 9000, new StepRows().pass(tasks, 0, 0, 1))
                .write();
        assertThat(new Sealing(database).seal(10)).isEqualTo(1);
        assertThat(number(database, "SELECT SUM(n) FROM passes")).isEqualTo(tasks + 1);
        assertThat(number(database, "SELECT SUM(last_task - first_task + 1) FROM passes"))
                .isEqualTo(tasks + 1);
        assertThat(number(database, "SELECT SUM(passed) FROM run_workers")).isEqualTo(tasks + 1);
    }

    @Test
    void sealingPassesOverTheGapBeforeAForgedTask() throws SQLException {
        record.step("u1", "s1", 1, T0, new StepRows().pass(1, 0, 0, 1).pass(1L << 39, 0, 0, 1))
                .ended("u1", RunEnd.Status.SUCCEEDED, T0, 2, 0, 2)
                .write();
        assertThat(new Sealing(database).seal(10)).isEqualTo(1);
        assertThat(passes("u1")).containsOnlyKeys(1L, 1L << 39);
    }

    @Test
    void aRunThatCannotBeSealedKeepsNoOtherOneBack() throws SQLException {
        record.passes("u1", "s1", 1, 0, 640).ended("u1", RunEnd.Status.SUCCEEDED, T0, 640, 0, 640);
        record.passes("u2", "s1", 1, 0, 640).ended("u2", RunEnd.Status.SUCCEEDED, T0 + 1, 640, 0, 640);
        record.write();
        database.change(connection -> Rows.change(
                connection,
                "UPDATE passes SET packed = ? WHERE run_id = (SELECT id FROM runs WHERE uid = 'u1') AND first_task = 64",
                new byte[] {1, 5, 77}));
        assertThat(new Sealing(database).seal(10)).isEqualTo(2);
        assertThat(number(database, RUN.formatted("sealed"), "u1")).isEqualTo(2);
        assertThat(number(database, RUN.formatted("sealed"), "u2")).isEqualTo(1);
        assertThat(number(database, "SELECT COUNT(*) FROM passes")).isEqualTo(11);
        assertThat(new Sealing(database).seal(10)).isZero();
    }

    @Test
    void keyspacesOfOneUidAndSessionMeetNothingOfEachOther() throws SQLException {
        record.opened("u1", "mine", T0, 10).passes("u1", "s1", 1, 0, 10).named("u1", "hash", List.of("a", "b"));
        record.write();
        Record forger = new Record(database, Keyspace.ofNamespace("team-b"));
        forger.opened("u1", "forged", T0, 99)
                .passes("u1", "s1", 1, 0, 500)
                .named("u1", "hash", List.of("forged"))
                .ended("u1", RunEnd.Status.FAILED, T0, 99, 99, 99)
                .write();
        assertThat(texts(database, "SELECT name FROM runs WHERE keyspace = ?", TEAM.prefix()))
                .containsExactly("mine");
        assertThat(number(
                        database, "SELECT SUM(n) FROM passes JOIN runs ON runs.id = run_id WHERE namespace = 'team-a'"))
                .isEqualTo(10);
        assertThat(number(database, "SELECT n FROM names WHERE namespace = 'team-a'"))
                .isEqualTo(2);
    }

    @Test
    void hostileTextIsKeptAndNulBecomesAReplacement() throws SQLException {
        String hostile = "<script>\t\\x41\\N\r\n\"'; DROP TABLE runs; -- \u0000 \u202e 😀";
        record.step("u1", "s1", 1, T0, new StepRows().trial(failed(1, 1, hostile)))
                .write();
        StepRows many = new StepRows();
        for (int i = 2; i < 20; i++) {
            many.trial(failed(i, 1, hostile)); // enough for COPY
        }
        record.step("u1", "s1", 2, T0, many).write();
        assertThat(texts(database, "SELECT DISTINCT message FROM trials"))
                .containsExactly(hostile.replace('\u0000', '\ufffd'));
        assertThat(number(database, "SELECT COUNT(*) FROM trials")).isEqualTo(19);
    }

    @Test
    void resultsAreBytes() throws SQLException {
        byte[] result = "{\"a\":\"\\u0000\\ud800\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        StepRows rows = new StepRows();
        for (int i = 0; i < 12; i++) {
            rows.trial(TrialRow.of(i, 1, 0, TrialStatus.PASSED, 0, 1).returned(ResultFormat.JSON, result));
        }
        record.step("u1", "s1", 1, T0, rows).write();
        try (Connection connection = database.reader()) {
            List<byte[]> found = Rows.all(connection, "SELECT result FROM trials", row -> row.getBytes(1));
            assertThat(found).hasSize(12).allSatisfy(bytes -> assertThat(bytes).isEqualTo(result));
            connection.rollback();
        }
    }

    @Test
    void anEntryThatNobodyCouldReadIsKeptAsItCameAndOnlyTheLatestStay() throws SQLException {
        try (Connection connection = database.writer()) {
            RecordWriter writer = new RecordWriter(database, Clock.systemUTC());
            for (int i = 0; i < RecordWriter.UNREAD + 50; i++) {
                List<byte[]> fields = List.of(
                        new byte[] {'k'},
                        new byte[] {'y'},
                        new byte[] {'u'},
                        new byte[] {'9'},
                        new byte[] {'t'},
                        new byte[] {'9'});
                writer.write(connection, TEAM, List.of(ReceivedEntry.of(i + "-0", fields)));
            }
            connection.commit();
        }
        assertThat(number(database, "SELECT COUNT(*) FROM unread")).isEqualTo(RecordWriter.UNREAD);
        assertThat(texts(database, "SELECT DISTINCT error FROM unread"))
                .containsExactly("newer: no entry is of kind y");
        assertThat(number(database, "SELECT COUNT(*) FROM unread WHERE entry = '1049-0'"))
                .isEqualTo(1);
    }

    @Test
    void aRemovedRunLeavesNothing() throws SQLException {
        record.opened("u1", T0, RunOpening.of(RunKind.TASK_SET, "specs", T0, 10).in("class", "hash"))
                .joined("s1", T0)
                .prepared("u1", "s1", T0, new byte[] {1})
                .passes("u1", "s1", 1, 0, 10)
                .step("u1", "s1", 99, T0, new StepRows().trial(failed(11, 1, "x")))
                .named("u1", "hash", List.of("a", "b"))
                .ended("u1", RunEnd.Status.FAILED, T0, 11, 1, 11)
                .opened("u2", "other", T0, 1)
                .write();
        new RunRemoval(database).remove(number(database, RUN.formatted("id"), "u1"));
        for (String table : List.of("passes", "trials", "tasks", "run_workers", "worker_logs", "names")) {
            assertThat(number(database, "SELECT COUNT(*) FROM " + table))
                    .as(table)
                    .isZero();
        }
        assertThat(texts(database, "SELECT uid FROM runs")).containsExactly("u2");
    }

    @Test
    void aForgottenRunTakesNothingOfWhatComesLater() throws SQLException {
        record.opened("u1", T0, RunOpening.of(RunKind.TASK_SET, "specs", T0, 10).in("class", "hash"))
                .joined("s1", T0)
                .prepared("u1", "s1", T0, new byte[] {1})
                .passes("u1", "s1", 1, 0, 10)
                .step("u1", "s1", 99, T0, new StepRows().trial(failed(11, 1, "x")))
                .add(new HistoryEntry.Reaped("u1", T0, "s1", List.of(new HistoryEntry.Loss(12, 1, false))))
                .named("u1", "hash", List.of("a", "b"))
                .ended("u1", RunEnd.Status.FAILED, T0, 11, 1, 11)
                .opened("u2", "other", T0, 1)
                .write();
        unread("u1", "1-0");
        new RunRemoval(database).forget(number(database, RUN.formatted("id"), "u1"), T0);
        record.replay();
        unread("u1", "2-0");
        new Sealing(database).seal(5);
        for (String table :
                List.of("passes", "trials", "tasks", "run_workers", "worker_logs", "names", "nodes", "unread")) {
            assertThat(number(database, "SELECT COUNT(*) FROM " + table))
                    .as(table)
                    .isZero();
        }
        assertThat(texts(database, "SELECT uid FROM runs")).containsExactly("u2");
        RetentionPolicy all = new RetentionPolicy(Duration.ofDays(999), 200, Duration.ofDays(7));
        long later = T0 + Duration.ofDays(30).toMillis();
        new Retention(database, namespace -> all, Long.MAX_VALUE, at(later)).sweep();
        assertThat(number(database, "SELECT COUNT(*) FROM removed_runs")).isEqualTo(1);
        new Retention(database, namespace -> all, Long.MAX_VALUE, at(later + 1)).sweep();
        assertThat(number(database, "SELECT COUNT(*) FROM removed_runs")).isZero();
    }

    void unread(String uid, String entry) throws SQLException {
        List<byte[]> fields = Stream.of("k", "y", "u", uid, "t", "9")
                .map(text -> text.getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                .toList();
        database.change(connection -> {
            new RecordWriter(database, Clock.systemUTC())
                    .write(connection, TEAM, List.of(ReceivedEntry.of(entry, fields)));
            return 0;
        });
    }

    @Test
    void outputThatWasRemovedStaysAwayAndMoreOfItIsNotKept() throws SQLException {
        record.opened("u1", "specs", T0, 2)
                .prepared("u1", "s1", T0, new byte[] {1})
                .step("u1", "s1", 1, T0, new StepRows().trial(failed(1, 1, "stays")))
                .write();
        new RunRemoval(database).removeOutput(number(database, RUN.formatted("id"), "u1"));
        record.replay();
        record.step("u1", "s1", 2, T0, new StepRows().trial(failed(2, 1, "comes")))
                .write();
        assertThat(number(
                        database,
                        "SELECT COUNT(*) FROM trials WHERE stdout IS NOT NULL OR stderr IS NOT NULL"
                                + " OR result IS NOT NULL"))
                .isZero();
        assertThat(number(database, "SELECT COUNT(*) FROM worker_logs WHERE log IS NOT NULL"))
                .isZero();
        assertThat(texts(database, "SELECT message FROM trials ORDER BY task")).containsExactly("stays", "comes");
    }

    @Test
    void aRemovalOfOutputThatWasCutOffGoesOnWithTheSweep() throws SQLException {
        record.opened("u1", "specs", T0, 1)
                .step("u1", "s1", 1, T0, new StepRows().trial(failed(1, 1, "stays")))
                .write();
        database.change(connection ->
                Rows.change(connection, "UPDATE runs SET output_removed = ?", RunRemoval.REMOVING_OUTPUT));
        new Retention(database, namespace -> RetentionPolicy.DEFAULT, Long.MAX_VALUE, at(T0)).sweep();
        assertThat(number(database, "SELECT COUNT(*) FROM trials WHERE stdout IS NOT NULL"))
                .isZero();
        assertThat(number(database, RUN.formatted("output_removed"), "u1")).isEqualTo(1);
    }

    @Test
    void aRewoundKeyspaceMarksTheRunsThatAreOpenThen() throws SQLException {
        record.opened("over", "over", T0, 1)
                .ended("over", RunEnd.Status.SUCCEEDED, T0 + 5, 1, 0, 1)
                .opened("open", "open", T0 + 1, 1)
                .add(new HistoryEntry.Rewound(T0 + 10, HistoryEntry.Past.REWOUND))
                .opened("later", "later", T0 + 11, 1)
                .ended("open", RunEnd.Status.SUCCEEDED, T0 + 20, 1, 0, 1)
                .write();
        Record other = new Record(database, Keyspace.ofNamespace("team-b"));
        other.opened("other", "other", T0, 1).write();
        record.replay();
        assertThat(texts(database, "SELECT uid FROM runs WHERE rewound <> 0")).containsExactly("open");
        other.add(new HistoryEntry.Rewound(T0 + 10, HistoryEntry.Past.EMPTIED)).write();
        assertThat(texts(database, "SELECT uid FROM runs WHERE rewound <> 0 ORDER BY uid"))
                .containsExactly("open", "other");
    }

    @Test
    void namesStayWhileARunHasThem() throws SQLException {
        RunOpening opening = RunOpening.of(RunKind.TASK_SET, "specs", T0, 2).in("class", "hash");
        record.opened("u1", T0, opening)
                .opened("u2", T0, opening)
                .named("u1", "hash", List.of("a", "b"))
                .write();
        RunRemoval removal = new RunRemoval(database);
        removal.remove(number(database, RUN.formatted("id"), "u1"));
        assertThat(number(database, "SELECT COUNT(*) FROM names")).isEqualTo(1);
        removal.remove(number(database, RUN.formatted("id"), "u2"));
        assertThat(number(database, "SELECT COUNT(*) FROM names")).isZero();
    }

    static Clock at(long millis) {
        return Clock.fixed(Instant.ofEpochMilli(millis), ZoneOffset.UTC);
    }

    @Test
    void aNamespaceKeepsByAgeAndTheResourceMayKeepLess() throws SQLException {
        long day = Duration.ofDays(1).toMillis();
        RunOpening narrow = new RunOpening(
                RunKind.TASK_SET,
                "narrow",
                "",
                Optional.empty(),
                "",
                Optional.empty(),
                0,
                Optional.empty(),
                T0,
                1,
                Optional.empty(),
                2,
                0,
                false,
                Map.of(),
                new byte[0]);
        record.opened("old", "old", T0, 1).ended("old", RunEnd.Status.SUCCEEDED, T0, 1, 0, 1);
        record.opened("new", "new", T0, 1).ended("new", RunEnd.Status.SUCCEEDED, T0 + 9 * day, 1, 0, 1);
        record.opened("narrow", T0, narrow).ended("narrow", RunEnd.Status.SUCCEEDED, T0 + 7 * day, 1, 0, 1);
        record.opened("live", "live", T0, 1).write();
        RetentionPolicy ten = new RetentionPolicy(Duration.ofDays(10), 200, Duration.ofDays(7));
        Retention retention = new Retention(database, namespace -> ten, Long.MAX_VALUE, at(T0 + 10 * day + 1));
        assertThat(retention.sweep()).isEqualTo(2);
        assertThat(texts(database, "SELECT uid FROM runs ORDER BY uid")).containsExactly("live", "new");
    }

    @Test
    void aNamespaceKeepsByNumberOfAClass() throws SQLException {
        for (int i = 0; i < 8; i++) {
            RunOpening opening =
                    RunOpening.of(RunKind.TASK_SET, "specs", T0 + i, 1).in(i < 6 ? "a" : "b", "hash");
            record.opened("u" + i, T0 + i, opening).ended("u" + i, RunEnd.Status.SUCCEEDED, T0 + i, 1, 0, 1);
        }
        record.write();
        RetentionPolicy three = new RetentionPolicy(Duration.ofDays(10), 3, Duration.ofDays(7));
        assertThat(new Retention(database, namespace -> three, Long.MAX_VALUE, at(T0)).sweep())
                .isEqualTo(3);
        assertThat(texts(database, "SELECT uid FROM runs ORDER BY uid")).containsExactly("u3", "u4", "u5", "u6", "u7");
    }

    @Test
    void aNamespaceThatFloodsEvictsItsOwnRunsAlone() throws SQLException {
        record.opened("u1", "small", T0, 10)
                .passes("u1", "s1", 1, 0, 10)
                .ended("u1", RunEnd.Status.SUCCEEDED, T0, 10, 0, 10)
                .write();
        Record flood = new Record(database, Keyspace.ofNamespace("team-b"));
        for (int run = 0; run < 5; run++) {
            flood.passes("f" + run, "s1", 1, 0, 64_000).ended("f" + run, RunEnd.Status.SUCCEEDED, T0 + run, 1, 0, 1);
        }
        flood.write();
        long bytes = number(database, "SELECT SUM(bytes) FROM runs");
        Retention retention = new Retention(database, namespace -> RetentionPolicy.DEFAULT, bytes / 2, at(T0));
        assertThat(retention.sweep()).isEqualTo(3);
        assertThat(texts(database, "SELECT uid FROM runs ORDER BY uid")).containsExactly("f3", "f4", "u1");
    }

    @Test
    void outputsGoBeforeTheirRun() throws SQLException {
        record.opened("u1", "specs", T0, 1)
                .step("u1", "s1", 1, T0, new StepRows().trial(failed(1, 1, "stays")))
                .ended("u1", RunEnd.Status.FAILED, T0, 1, 1, 1)
                .write();
        Retention retention = new Retention(
                database,
                namespace -> RetentionPolicy.DEFAULT,
                Long.MAX_VALUE,
                at(T0 + Duration.ofDays(8).toMillis()));
        assertThat(retention.sweep()).isZero();
        assertThat(number(database, "SELECT COUNT(*) FROM trials WHERE stdout IS NOT NULL"))
                .isZero();
        assertThat(texts(database, "SELECT message FROM trials")).containsExactly("stays");
    }
}
