package dev.quiver.history.store;

import static dev.quiver.history.rig.Record.T0;
import static dev.quiver.history.rig.Record.number;
import static dev.quiver.history.rig.Record.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.history.rig.Record;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialRowBuilder;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Workers of a run, losses of a queue, cancelled trials, and runs whose resource is deleted, in either database. */
abstract class RecordPartsContract extends RecordContract {

    @Test
    void forgedTimesLeaveTheViewOfMinutesReadable() throws SQLException {
        record.joined("s1", T0)
                .opened("u1", "specs", T0, 4)
                .step("u1", "s1", 1, T0, new StepRows().pass(0, 0, 0, 1))
                .step("u1", "s1", 2, T0, new StepRows().pass(1, 0, 0, 1))
                .write();
        database.change(connection -> Rows.change(connection, "UPDATE passes SET ms_sum = ?", Long.MAX_VALUE - 1));
        assertThat(texts(database, "SELECT CAST(minutes > 1e14 AS INTEGER) FROM quiver_worker_minutes"))
                .containsExactly("1");
    }

    @Test
    void aTaskHasTheTimeThatWasExpectedOfIt() throws SQLException {
        TrialRow expected = TrialRowBuilder.builder(failed(5, 1, "slow"))
                .estimateMillis(2600)
                .build();
        record.joined("s1", T0)
                .opened("u1", "specs", T0, 10)
                .step("u1", "s1", 1, T0, new StepRows().trial(expected))
                .step("u1", "s1", 2, T0, new StepRows().trial(failed(5, 2, "slow")))
                .step("u1", "s1", 3, T0, new StepRows().trial(failed(6, 1, "slow")))
                .write()
                .replay();
        assertThat(number(database, "SELECT estimate_sec FROM tasks WHERE task = 5"))
                .isEqualTo(3);
        assertThat(number(database, "SELECT COUNT(*) FROM tasks WHERE task = 6 AND estimate_sec IS NULL"))
                .isEqualTo(1);
    }

    @Test
    void aWorkerThatCameBackToARunBeganWhenItCameFirst() throws SQLException {
        record.opened("u1", "specs", T0, 10)
                .joined("s1", T0)
                .prepared("u1", "s1", T0 + 500, T0 + 100, Optional.empty(), new byte[] {1})
                .write();
        assertThat(number(database, "SELECT COUNT(*) FROM worker_logs WHERE finished_at IS NULL"))
                .isEqualTo(1);
        record.prepared("u1", "s1", T0 + 900, T0 + 100, Optional.of(T0 + 900), new byte[] {2})
                .write();
        record.prepared("u1", "s1", T0 + 1500, T0 + 1000, Optional.of(T0 + 1400), new byte[0])
                .write();
        record.replay();
        assertThat(number(database, "SELECT COUNT(*) FROM worker_logs")).isEqualTo(1);
        assertThat(number(database, "SELECT started_at FROM worker_logs")).isEqualTo(T0 + 100);
        assertThat(number(database, "SELECT setup_finished_at FROM worker_logs"))
                .isEqualTo(T0 + 200);
        assertThat(number(database, "SELECT finished_at FROM worker_logs")).isEqualTo(T0 + 1400);
        assertThat(number(database, "SELECT LENGTH(log) FROM worker_logs"))
                .as("an entry that had no room for a log")
                .isEqualTo(1);
    }

    @Test
    void aWorkerThatCameBackWithinABatchBeganWhenItCameFirst() throws SQLException {
        record.opened("u1", "specs", T0, 10)
                .joined("s1", T0)
                .prepared("u1", "s1", T0 + 500, T0 + 100, Optional.empty(), new byte[] {1})
                .prepared("u1", "s1", T0 + 900, T0 + 100, Optional.of(T0 + 900), new byte[] {1, 2})
                .prepared("u1", "s1", T0 + 1500, T0 + 1000, Optional.of(T0 + 1400), new byte[0])
                .write();
        assertThat(number(database, "SELECT started_at FROM worker_logs")).isEqualTo(T0 + 100);
        assertThat(number(database, "SELECT setup_finished_at FROM worker_logs"))
                .isEqualTo(T0 + 200);
        assertThat(number(database, "SELECT finished_at FROM worker_logs")).isEqualTo(T0 + 1400);
        assertThat(number(database, "SELECT LENGTH(log) FROM worker_logs"))
                .as("an entry that had no room for a log")
                .isEqualTo(2);
    }

    @Test
    void aLossOfAQueueNamesItsTask() throws SQLException {
        HistoryEntry.Loss loss = HistoryEntry.Loss.of("AbCdEfGhIjKlMn.7", 1, true);
        record.opened("u1", "specs", T0, 10)
                .add(new HistoryEntry.Reaped("u1", T0, "s1", List.of(loss)))
                .write()
                .replay();
        assertThat(texts(database, "SELECT name FROM nodes WHERE ordinal = " + loss.task()))
                .containsExactly("AbCdEfGhIjKlMn.7");
        assertThat(number(database, "SELECT COUNT(*) FROM tasks WHERE over = 1 AND task = " + loss.task()))
                .isOne();
    }

    @Test
    void aTaskThatEndsByAnEarlierLossHasNoTrialMore() throws SQLException {
        HistoryEntry.Loss loss = HistoryEntry.Loss.of("t", 5, false);
        record.opened("u1", "specs", T0, 10)
                .add(new HistoryEntry.Reaped("u1", T0, "s1", List.of(loss)))
                .add(new HistoryEntry.Reaped("u1", T0 + 100, "s2", List.of(HistoryEntry.Loss.earlier("t", 5))))
                .write()
                .replay();
        assertThat(number(database, "SELECT COUNT(*) FROM trials WHERE task = " + loss.task()))
                .isOne();
        assertThat(number(database, "SELECT COUNT(*) FROM tasks WHERE over = 1 AND task = " + loss.task()))
                .isOne();
    }

    @Test
    void cancelledTrialsAreRowsThatEndNoTask() throws SQLException {
        StepRows late = new StepRows()
                .pass(1, 2, 10, 90)
                .trial(failed(2, 1, "too late"))
                .trial(TrialRow.of(3, 1, 4, TrialStatus.CANCELLED, 5, 700));
        StepRows suspended = new StepRows().trial(TrialRow.of(4, 1, 5, TrialStatus.CANCELLED, 5, 800));
        record.opened("u1", "specs", T0, 5)
                .step("u1", "s1", 1, T0 + 100, suspended)
                .step("u1", "s1", 2, T0 + 200, new StepRows().pass(4, 1, 0, 50))
                .ended("u1", RunEnd.Status.CANCELLED, T0 + 300, 5, 0, 1)
                .step("u1", "s1", 3, T0 + 400, late, "kkk")
                .write();
        record.replay();
        new Sealing(database).seal(5);
        String cancelled = "SELECT COUNT(*) FROM trials WHERE status = " + TrialStatus.CANCELLED.ordinal();
        assertThat(number(database, cancelled)).isEqualTo(4);
        assertThat(number(database, cancelled + " AND reason = 'RunEnded'")).isEqualTo(3);
        assertThat(number(database, "SELECT COUNT(*) FROM tasks WHERE over = 1"))
                .isZero();
        assertThat(passes("u1"))
                .as("the later word of a task that was suspended")
                .containsOnlyKeys(4L);
        assertThat(number(database, RUN.formatted("trials"), "u1")).isEqualTo(1);
    }

    @Test
    void aDeletedResourceTakesTheRecordAlongWhereItAskedForThat() throws SQLException {
        record.opened("u1", T0, Record.forgetting("gone", Optional.empty(), "h1"))
                .joined("s1", T0)
                .prepared("u1", "s1", T0, new byte[] {1})
                .passes("u1", "s1", 1, 0, 10)
                .step("u1", "s1", 99, T0, new StepRows().trial(failed(11, 1, "x")))
                .named("u1", "h1", List.of("a", "b"))
                .opened("u2", "kept", T0, 1)
                .passes("u2", "s2", 1, 0, 1)
                .opened("cron-1", T0, Record.forgetting("first", Optional.of("cron"), "h2"))
                .opened("cron-2", T0, Record.forgetting("second", Optional.of("cron"), "h2"))
                .named("cron-1", "h2", List.of("c"))
                .opened("other-1", T0, Record.forgetting("other", Optional.of("other"), "h3"))
                .write();
        unread("u1", "1-0");
        record.deleted("u1", T0 + 5)
                .deleted("u2", T0 + 5)
                .deleted("cron", T0 + 5)
                .deleted("nobody", T0 + 5)
                .ended("u1", RunEnd.Status.CANCELLED, T0 + 6, 11, 1, 11)
                .write();
        assertThat(texts(database, "SELECT uid FROM runs WHERE removed = 0 ORDER BY uid"))
                .containsExactly("other-1", "u2");
        Retention retention = new Retention(database, namespace -> RetentionPolicy.DEFAULT, Long.MAX_VALUE, at(T0));
        assertThat(retention.removeMarked()).isEqualTo(3);
        record.replay();
        assertThat(retention.removeMarked()).isZero();
        assertThat(texts(database, "SELECT uid FROM runs ORDER BY uid")).containsExactly("other-1", "u2");
        for (String table : List.of("trials", "tasks", "worker_logs", "names", "unread")) {
            assertThat(number(database, "SELECT COUNT(*) FROM " + table))
                    .as(table)
                    .isZero();
        }
        assertThat(number(database, "SELECT COUNT(*) FROM passes")).isEqualTo(1);
    }

    @Test
    void anHourOfAQueueIsARunWhoseTasksAreKnownByTheirIds() throws SQLException {
        long hour = T0 / 3_600_000 * 3_600_000;
        String uid = "queue:shared:" + hour / 3_600_000;
        long number = (1L << 39) + 5;
        StepRows rows = new StepRows()
                .trial(failed(number, 1, "first"))
                .run("tree-1")
                .trial(failed(3, 1, "of a tree"))
                .run("tasks:shared")
                .trial(failed(number + 1, 1, "second"));
        record.opened(uid, hour + 61_000, RunOpening.of(RunKind.QUEUE, "shared", 0, 0))
                .add(new HistoryEntry.Named(
                        uid,
                        hour + 61_000,
                        new RunNames(
                                "",
                                0,
                                List.of(),
                                List.of(new RunNames.Node(number, -1, "leaf", "AbCdEfGhIjKlMn", "", 0, 0)))))
                .add(new HistoryEntry.Step(
                        uid, hour + 62_000, HistoryEntry.Source.QUEUE, "s1", 1, "ccc", rows.encode()))
                .write();
        assertThat(texts(database, "SELECT name FROM runs WHERE kind = 'Queue'"))
                .singleElement()
                .asString()
                .matches("shared-\\d{4}-\\d\\d-\\d\\dT\\d\\d");
        assertThat(number(database, RUN.formatted("created_at"), uid)).isEqualTo(hour + 61_000);
        assertThat(
                        texts(
                                database,
                                "SELECT trials.message FROM trials JOIN runs ON runs.id = run_id WHERE kind = 'Queue' ORDER BY task"))
                .containsExactly("first", "second");
        assertThat(number(database, "SELECT ordinal FROM nodes WHERE name = 'AbCdEfGhIjKlMn'"))
                .isEqualTo(number);
    }

    @Test
    void slavesForPeopleHaveTheSeedsWords() throws SQLException {
        for (String reason : List.of("closed", "lease ended", "evicted", "")) {
            record.joined("s-" + reason.length(), T0)
                    .step("u1", "s-" + reason.length(), 1, T0, new StepRows().pass(reason.length(), 0, 0, 1));
            if (!reason.isEmpty()) {
                record.left("s-" + reason.length(), T0 + 1000, reason);
            }
        }
        record.write();
        assertThat(
                        texts(
                                database,
                                "SELECT COALESCE(status, 'lives') FROM quiver_slaves WHERE uid = 'u1' AND slot = 7 ORDER BY pod"))
                .containsExactlyInAnyOrder("normal_exit", "timeout_exit", "failure_exit", "lives");
        assertThat(number(database, "SELECT COUNT(*) FROM quiver_slaves")).isEqualTo(4 * 8);
    }

    @Test
    void aNamespaceThatFloodsARunWithoutAnEndEvictsNobodyElse() throws SQLException {
        record.opened("u1", "small", T0, 10)
                .passes("u1", "s1", 1, 0, 10)
                .ended("u1", RunEnd.Status.SUCCEEDED, T0, 10, 0, 10)
                .write();
        Record flood = new Record(database, Keyspace.ofNamespace("team-b"));
        flood.opened("f1", "f1", T0, 64_000).passes("f1", "s1", 1, 0, 64_000);
        flood.step("f1", "s1", 9_999, T0, new StepRows().trial(failed(1, 1, "of the flood")));
        flood.opened("f2", "f2", T0, 64_000)
                .passes("f2", "s1", 20_000, 0, 64_000)
                .write();
        Retention retention = new Retention(database, namespace -> RetentionPolicy.DEFAULT, 10_000, at(T0));
        assertThat(retention.makeRoom()).isTrue();
        assertThat(number(database, RUN.formatted("output_removed"), "f1")).isEqualTo(1);
        assertThat(texts(database, "SELECT uid FROM runs ORDER BY uid")).containsExactly("f1", "f2", "u1");
        retention.sweep();
        assertThat(texts(database, "SELECT uid FROM runs")).containsExactly("u1");
        flood.replay();
        assertThat(texts(database, "SELECT uid FROM runs")).containsExactly("u1");
    }

    @Test
    void outputThatIsGoneTakesNoRoom() throws SQLException {
        record.opened("u1", "specs", T0, 100);
        for (int task = 1; task <= 100; task++) {
            record.step("u1", "s1", task, T0, new StepRows().trial(failed(task, 1, "stays")));
        }
        record.ended("u1", RunEnd.Status.FAILED, T0, 100, 100, 100).write();
        new Sealing(database).seal(1);
        long before = number(database, RUN.formatted("bytes"), "u1");
        new RunRemoval(database).removeOutput(number(database, RUN.formatted("id"), "u1"));
        assertThat(number(database, RUN.formatted("bytes"), "u1")).isLessThan(before);
    }

    /** The latest run says how many are kept of each; more than the namespace keeps are not. */
    @Test
    void aResourceMayKeepFewerRunsOfItsClass() throws SQLException {
        for (int i = 0; i < 12; i++) {
            RunOpening of = RunOpening.of(RunKind.TASK_SET, "specs", T0 + i, 1).in(i < 6 ? "few" : "many", "hash");
            RunOpening opening = new RunOpening(
                    of.kind(),
                    of.name(),
                    of.namespaceUid(),
                    of.runClass(),
                    of.pool(),
                    of.parentRun(),
                    of.parentTask(),
                    of.firedAt(),
                    of.createdAt(),
                    of.tasks(),
                    of.sourceHash(),
                    0,
                    i < 6 ? 2 : 100,
                    false,
                    of.labels(),
                    of.spec());
            record.opened("u" + i, T0 + i, opening).ended("u" + i, RunEnd.Status.SUCCEEDED, T0 + i, 1, 0, 1);
        }
        record.write();
        RetentionPolicy four = new RetentionPolicy(Duration.ofDays(10), 4, Duration.ofDays(7));
        assertThat(new Retention(database, namespace -> four, Long.MAX_VALUE, at(T0)).sweep())
                .isEqualTo(6);
        assertThat(texts(database, "SELECT uid FROM runs ORDER BY created_at"))
                .containsExactly("u4", "u5", "u8", "u9", "u10", "u11");
    }
}
