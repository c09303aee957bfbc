package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Record;
import dev.quiver.history.store.Sealing;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TestNames;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/**
 * The questions of a planner of runs: usual times of a class' tests, and which tasks of a run did not pass. Both
 * databases.
 */
class ClassEstimatesIT {

    private static final String CLASSES = "/v1/namespaces/team-a/classes/";
    private static final String RUNS = "/v1/namespaces/team-a/runs/";
    private static final List<String> NAMES = List.of("steady", "grown", "broken", "steady", "never", "nul\0");

    @Test
    void sqliteAnswers(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, ClassEstimatesIT::story);
    }

    @Test
    void postgresAnswers() throws Exception {
        ServedRecord.overPostgres(ClassEstimatesIT::story);
    }

    private static void run(Record record, int number) {
        String uid = "u" + number;
        long at = T0 + number * 10_000L;
        StepRows rows = new StepRows()
                .pass(0, 0, 5, 1000)
                .trial(TrialRow.of(1, 1, 0, TrialStatus.TIMEOUT, 0, 4000))
                .trial(TrialRow.of(1, 2, 0, TrialStatus.PASSED, 0, 2000))
                .trial(TrialRow.of(2, 1, 0, TrialStatus.FAILED, 0, 30))
                .pass(3, 1, 5, 4000)
                .pass(5, 1, 5, 50);
        record.opened(
                        uid,
                        at,
                        RunOpening.of(RunKind.TASK_SET, "specs", at, NAMES.size())
                                .in("nightly", "hash"))
                .named(uid, "hash", NAMES)
                .step(uid, "s1", number, at + 5, rows)
                .add(new HistoryEntry.Ended(
                        uid,
                        at + 9,
                        new RunEnd(
                                RunEnd.Status.FAILED,
                                java.util.Optional.empty(),
                                java.util.Optional.empty(),
                                java.util.Optional.of(at),
                                NAMES.size(),
                                number == 3 ? 5 : 4,
                                0,
                                1,
                                6,
                                0,
                                1,
                                0)));
    }

    private static Map<Long, Integer> read(byte[] body) {
        assertThat(body.length % 12).isZero();
        ByteBuffer rows = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
        Map<Long, Integer> read = new LinkedHashMap<>();
        while (rows.hasRemaining()) {
            read.put(rows.getLong(), rows.getInt());
        }
        List<Long> hashes = List.copyOf(read.keySet());
        assertThat(hashes).isSortedAccordingTo(Long::compareUnsigned).hasSize(body.length / 12);
        return read;
    }

    private static void story(Record record, Client client) throws Exception {
        record.joined("s1", T0);
        for (int number = 1; number <= 3; number++) {
            run(record, number);
        }
        record.opened(
                        "u4",
                        T0 + 40_000,
                        RunOpening.of(RunKind.TASK_SET, "open", T0, 2).in("empty", "hash-2"))
                .write();
        new Sealing(record.database()).seal(10);
        HttpResponse<byte[]> answer = client.get(CLASSES + "nightly/estimates");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/octet-stream");
        Map<Long, Integer> known = read(answer.body());
        assertThat(known)
                .as("what never passed is not known")
                .hasSize(4)
                .containsEntry(TestNames.hash("steady"), 1000)
                .containsEntry(TestNames.hash("steady#2"), 4000)
                .containsEntry(TestNames.hash("nul\ufffd"), 50);
        assertThat(known.get(TestNames.hash("grown"))).as("its time-outs count").isGreaterThan(2000);
        assertThat(client.get(CLASSES + "empty/estimates").body()).isEmpty();
        assertThat(client.get(CLASSES + "other/estimates").statusCode()).isEqualTo(404);

        assertThat(new String(client.get(RUNS + "u2").body(), StandardCharsets.UTF_8))
                .as("what repeats a run compares its source")
                .contains("\"sourceHash\":");
        HttpResponse<byte[]> bits = client.get(RUNS + "u2/unpassed");
        assertThat(bits.statusCode()).isEqualTo(200);
        assertThat(bits.body()).hasSize(1);
        assertThat(BitSet.valueOf(bits.body()).stream())
                .as("failed, and never ran")
                .containsExactly(2, 4);
        assertThat(client.get(RUNS + "u3/unpassed").statusCode())
                .as("it counted a pass that is not on record")
                .isEqualTo(409);
        assertThat(client.get(RUNS + "open/unpassed").statusCode())
                .as("it goes on")
                .isEqualTo(409);
    }
}
