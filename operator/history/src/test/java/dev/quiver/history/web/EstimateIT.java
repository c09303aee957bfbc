package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Record;
import dev.quiver.history.store.RunRemoval;
import dev.quiver.history.store.Sealing;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/** Estimates of runs that go on, and how far they were off once these have ended, over both databases. */
class EstimateIT {

    private static final String RUN = "/v1/namespaces/{namespace}/runs/{run}";
    private static final String RUNS = "/v1/namespaces/team-a/runs/";
    private static final String HASH = "hash";
    private static final int TASKS = 16;
    private static final long SECOND = 1000;
    private static final long DAY = 86_400_000;

    /** Sixteen tasks with names, which a worker of eight slots takes; each of them usually takes a second. */
    private static Record opened(Record record, String uid, long at) {
        return record.joined("s-" + uid, at)
                .opened(uid, at, RunOpening.of(RunKind.TASK_SET, uid, at, TASKS).in("nightly", HASH))
                .named(
                        uid,
                        HASH,
                        IntStream.range(0, TASKS).mapToObj(i -> "test-" + i).toList())
                .prepared(uid, "s-" + uid, at, new byte[0]);
    }

    private static void ended(Record record, String uid, RunEnd.Status status, long start, long end, long passed) {
        record.add(new HistoryEntry.Ended(
                uid,
                end,
                new RunEnd(
                        status,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(start),
                        TASKS,
                        passed,
                        0,
                        0,
                        passed,
                        0,
                        1,
                        0)));
    }

    /** A run of two waves of one second each: the first at once, the second at the very end. */
    private static void run(Record record, String uid, long at, long took) {
        StepRows first = new StepRows();
        StepRows second = new StepRows();
        for (int i = 0; i < TASKS / 2; i++) {
            first.pass(i, i, 0, SECOND);
            second.pass(TASKS / 2 + i, i, 0, SECOND);
        }
        opened(record, uid, at)
                .step(uid, "s-" + uid, 1, at + SECOND, first)
                .step(uid, "s-" + uid, 2, at + took, second);
        ended(record, uid, RunEnd.Status.SUCCEEDED, at, at + took, TASKS);
    }

    @Test
    void sqliteKnowsTheUsualError(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, EstimateIT::errors);
    }

    @Test
    void postgresKnowsTheUsualError() throws Exception {
        ServedRecord.overPostgres(EstimateIT::errors);
    }

    private static JsonNode error(Client client, String uid) throws Exception {
        return client.json(200, RUN, RUNS + uid).path("estimateError");
    }

    private static void errors(Record record, Client client) throws Exception {
        run(record, "first", T0, 2 * SECOND);
        record.write();
        Sealing sealing = new Sealing(record.database());
        sealing.seal(10);
        assertThat(error(client, "first").isMissingNode())
                .as("nothing was known while it ran")
                .isTrue();
        run(record, "right", T0 + DAY, 2 * SECOND);
        run(record, "slow", T0 + 2 * DAY, 3 * SECOND);
        opened(record, "stopped", T0 + 3 * DAY);
        ended(record, "stopped", RunEnd.Status.CANCELLED, T0 + 3 * DAY, T0 + 3 * DAY + SECOND, 0);
        // At half of its time one task is left, which fails soon.
        StepRows rows = new StepRows();
        IntStream.range(1, TASKS).forEach(i -> rows.pass(i, i % 8, 100, SECOND));
        opened(record, "quick", T0 + 4 * DAY)
                .step("quick", "s-quick", 1, T0 + 4 * DAY + 400, rows)
                .step(
                        "quick",
                        "s-quick",
                        2,
                        T0 + 4 * DAY + 800,
                        new StepRows().trial(TrialRow.of(0, 1, 0, TrialStatus.FAILED, 0, 700)));
        ended(record, "quick", RunEnd.Status.FAILED, T0 + 4 * DAY, T0 + 4 * DAY + 800, TASKS);
        record.write();
        sealing.seal(10);
        assertThat(error(client, "right").asDouble(Double.NaN)).isZero();
        assertThat(error(client, "slow").asDouble()).as("1.5 s for one of 1 s").isEqualTo(0.5);
        assertThat(error(client, "quick").asDouble()).as("0.4 s for one of 1 s").isEqualTo(-0.6);
        assertThat(error(client, "stopped").isMissingNode()).isTrue();
        // Late entries seal the runs again; what was known while they ran is known no more.
        record.replay();
        sealing.seal(10);
        assertThat(error(client, "first").isMissingNode()).isTrue();
        assertThat(error(client, "slow").asDouble()).isEqualTo(0.5);
        opened(record, "now", T0 + 5 * DAY).write();
        JsonNode now = client.json(200, RUN + "/estimate", RUNS + "now/estimate");
        assertThat(now.get("leftMillis").asLong()).isEqualTo(2 * SECOND);
        assertThat(now.get("usualError").asDouble()).as("of 0, 0.5 and 0.6").isEqualTo(0.5);
        new RunRemoval(record.database())
                .remove(Record.number(record.database(), "SELECT id FROM runs WHERE uid = 'slow'"));
        assertThat(client.json(200, RUN + "/estimate", RUNS + "now/estimate")
                        .get("usualError")
                        .asDouble())
                .as("of 0 and 0.6")
                .isEqualTo(0.6);
    }

    @Test
    void newTasksCountAsTheMeanToTheFraction(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, (record, client) -> {
            record.joined("s1", T0)
                    .opened(
                            "u1",
                            T0,
                            RunOpening.of(RunKind.TASK_SET, "u1", T0, 2).in("quick", "hash-1"))
                    .named("u1", "hash-1", List.of("one", "two"))
                    .step("u1", "s1", 1, T0 + 1, new StepRows().pass(0, 0, 0, 1).pass(1, 1, 0, 2))
                    .ended("u1", RunEnd.Status.SUCCEEDED, T0 + 1000, 2, 0, 2)
                    .write();
            new Sealing(record.database()).seal(1);
            List<String> names = new ArrayList<>(List.of("one", "two"));
            IntStream.range(0, 1000).forEach(i -> names.add("new-" + i));
            record.opened(
                            "u2",
                            T0,
                            RunOpening.of(RunKind.TASK_SET, "u2", T0, names.size())
                                    .in("quick", "hash-2"))
                    .named("u2", "hash-2", names)
                    .write();
            JsonNode estimate = client.json(200, RUN + "/estimate", RUNS + "u2/estimate");
            assertThat(estimate.get("unknown").asInt()).isEqualTo(1000);
            assertThat(estimate.get("workMillis").asInt())
                    .as("3 ms, and 1,000 times 1.5 ms")
                    .isEqualTo(1503);
        });
    }
}
