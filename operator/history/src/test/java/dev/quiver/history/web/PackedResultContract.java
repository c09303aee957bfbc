package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.zip.ZipInputStream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.Packs;
import dev.quiver.history.store.RunRemoval;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The answers of the API about results and output in packs, over every database. */
abstract class PackedResultContract {

    private static final String RUN = "/v1/namespaces/{namespace}/runs/{run}";
    private static final String TEAM = "/v1/namespaces/team-a/runs";

    private Database database;
    private ApiServer server;
    private Client client;
    private Record record;

    abstract Database open() throws Exception;

    @BeforeEach
    void begin() throws Exception {
        database = open();
        server = ApiServer.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                database,
                new Trusting(),
                Trusting.NO_LIVE,
                () -> null);
        client = new Client(server.address());
        record = new Record(database, Keyspace.ofNamespace("team-a"));
    }

    @AfterEach
    void end() {
        if (database != null) {
            client.close();
            server.close();
            database.close();
        }
    }

    private static byte[] noise(int length) {
        byte[] bytes = new byte[length];
        new Random(14).nextBytes(bytes);
        return bytes;
    }

    /** Packs of one whole, as a worker makes them: all but the last have two megabytes. */
    private void store(long firstNumber, byte[] whole) throws Exception {
        Packs packs = new Packs(database, Long.MAX_VALUE, Clock.systemUTC());
        for (int at = 0; at < whole.length; at += PackPlace.SERIES_BYTES) {
            PackBody body = new PackBody();
            int end = Math.min(whole.length, at + PackPlace.SERIES_BYTES);
            for (int from = at; from < end; from += PackBody.MEMBER_BYTES) {
                body.add(
                        ResultFormat.BYTES,
                        Arrays.copyOfRange(whole, from, Math.min(end, from + PackBody.MEMBER_BYTES)));
            }
            long number = firstNumber + at / PackPlace.SERIES_BYTES;
            packs.store(record.keyspace(), "u1", "s1", number, PackBody.read(body.encode()));
        }
    }

    @Test
    void allOfAStreamIsReadFromItsPacksWholeOrByARange() throws Exception {
        byte[] stdout = noise(5_000_001);
        byte[] stderr = {0, -1, (byte) 0xc3, '\n'};
        PackPlace large = PackPlace.series("s1", 7, stdout.length);
        assertThat(large).isEqualTo(new PackPlace("s1/9", 0, stdout.length));
        long now = System.currentTimeMillis();
        TrialRow failed = TrialRow.of(1, 1, 0, TrialStatus.FAILED, 0, 200);
        record.opened("u1", "specs", T0, 10)
                .step(
                        "u1",
                        "s1",
                        1,
                        now,
                        new StepRows()
                                .trial(failed.kept(new TrialRow.Streams(
                                        Optional.of(large), Optional.of(new PackPlace("s1/20", 3, stderr.length)))))
                                .trial(TrialRow.of(2, 1, 0, TrialStatus.FAILED, 0, 200)
                                        .kept(new TrialRow.Streams(
                                                Optional.of(PackPlace.nowhere(77)), Optional.empty())))
                                .trial(TrialRow.of(3, 1, 0, TrialStatus.FAILED, 0, 200)
                                        .kept(new TrialRow.Streams(
                                                Optional.of(new PackPlace("s1/20", 3, 1L << 40)), Optional.empty())))
                                .trial(TrialRow.of(4, 1, 0, TrialStatus.FAILED, 0, 200)
                                        .kept(new TrialRow.Streams(
                                                Optional.of(new PackPlace("s1/20", 3, 1L << 20)), Optional.empty()))))
                .write();
        String trial = RUN + "/tasks/{task}/trials/{trial}";
        String first = TEAM + "/u1/tasks/1/trials/1";
        JsonNode pending = client.json(200, trial, first);
        assertThat(pending.get("outputPending").asBoolean()).isTrue();
        assertThat(pending.get("stdoutFullBytes").asLong()).isEqualTo(stdout.length);
        assertThat(client.json(200, trial, TEAM + "/u1/tasks/2/trials/1")
                        .get("outputLost")
                        .asBoolean())
                .isTrue();
        client.json(404, trial + "/stdout", first + "/stdout?full=true");

        store(7, stdout);
        new Packs(database, Long.MAX_VALUE, Clock.systemUTC())
                .store(
                        record.keyspace(),
                        "u1",
                        "s1",
                        20,
                        PackBody.read(new PackBody()
                                .add(ResultFormat.BYTES, new byte[3])
                                .add(ResultFormat.BYTES, stderr)
                                .encode()));
        assertThat(client.json(200, trial, first).has("outputPending")).isFalse();
        HttpResponse<byte[]> whole = client.get(first + "/stdout?full=true");
        assertThat(whole.headers().firstValue("Content-Length")).contains("5000001");
        assertThat(whole.headers().firstValue("Content-Type")).contains("text/plain; charset=utf-8");
        assertThat(whole.body()).isEqualTo(stdout);
        assertThat(client.get(first + "/stderr?full=true").body()).isEqualTo(stderr);
        assertThat(client.get(first + "/stdout").body())
                .as("the tail, of which the row has none")
                .isEmpty();
        for (int at : new int[] {0, PackBody.MEMBER_BYTES - 2, PackPlace.SERIES_BYTES - 2, 4_999_990}) {
            HttpResponse<byte[]> part =
                    client.get(first + "/stdout?full=true", "Range", "bytes=" + at + "-" + (at + 9));
            assertThat(part.statusCode()).isEqualTo(206);
            assertThat(part.body()).isEqualTo(Arrays.copyOfRange(stdout, at, at + 10));
        }
        assertThat(client.get(first + "/stdout?full=true", "Range", "bytes=5000001-")
                        .statusCode())
                .isEqualTo(416);

        client.json(404, trial + "/stdout", TEAM + "/u1/tasks/2/trials/1/stdout?full=true");
        client.json(404, trial + "/stderr", TEAM + "/u1/tasks/2/trials/1/stderr?full=true");
        client.json(404, trial + "/stdout", TEAM + "/u1/tasks/3/trials/1/stdout?full=true");
        assertThatThrownBy(() -> client.get(TEAM + "/u1/tasks/4/trials/1/stdout?full=true"))
                .as("a forged length: the answer is cut off, and no client takes it for a whole one")
                .isInstanceOf(UncheckedIOException.class);

        new RunRemoval(database).removeOutput(1);
        JsonNode removed = client.json(200, trial, first);
        assertThat(removed.has("stdoutFullBytes")).isFalse();
        assertThat(removed.has("outputLost")).isFalse();
        client.json(404, trial + "/stdout", first + "/stdout?full=true");
    }

    @Test
    void aResultThatIsTooLargeForItsRowIsReadFromItsPack() throws Exception {
        byte[] large = ("[" + "1,".repeat(5_000) + "1]").getBytes(StandardCharsets.UTF_8);
        TrialRow passed = TrialRow.of(2001, 1, 0, TrialStatus.PASSED, 0, 200).returned(large.length);
        record.opened("u1", "specs", T0, 10)
                .step("u1", "s1", 1, T0, new StepRows().trial(passed.kept(new PackPlace("s1/1", 3, large.length))))
                .step(
                        "u1",
                        "s1",
                        2,
                        System.currentTimeMillis(),
                        new StepRows()
                                .trial(TrialRow.of(2002, 1, 0, TrialStatus.PASSED, 0, 200)
                                        .returned(large.length)
                                        .kept(new PackPlace("s1/2", 0, large.length))))
                .write();
        String trial = RUN + "/tasks/{task}/trials/{trial}";
        String first = TEAM + "/u1/tasks/2001/trials/1";
        assertThat(client.json(200, trial, first).get("outputLost").asBoolean()).isTrue();
        assertThat(client.json(200, trial, TEAM + "/u1/tasks/2002/trials/1")
                        .get("outputPending")
                        .asBoolean())
                .isTrue();
        client.json(404, trial + "/result", first + "/result?full=true");
        Packs packs = new Packs(database, Long.MAX_VALUE, Clock.systemUTC());
        byte[] body = new PackBody()
                .add(ResultFormat.BYTES, new byte[3])
                .add(ResultFormat.JSON, large)
                .encode();
        packs.store(record.keyspace(), "u1", "s1", 1, PackBody.read(body));
        assertThat(client.json(200, trial, first).has("outputLost")).isFalse();
        assertThat(client.json(404, trial + "/result", first + "/result")
                        .get("message")
                        .asText())
                .endsWith("; ask for it with full=true");
        HttpResponse<byte[]> whole = client.get(first + "/result?full=true");
        assertThat(whole.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(whole.body()).isEqualTo(large);
        HttpResponse<byte[]> part = client.get(first + "/result?full=true", "Range", "bytes=10000-");
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.headers().firstValue("Content-Range")).contains("bytes 10000-10002/10003");
        assertThat(new String(part.body(), StandardCharsets.UTF_8)).isEqualTo(",1]".substring(0, part.body().length));
        assertThat(client.get(first + "/result?full=true", "Range", "bytes=99999-")
                        .statusCode())
                .isEqualTo(416);
        assertThat(client.text(TEAM + "/u1/trials.ndjson").lines()).hasSize(2);
        try (ZipInputStream zip = new ZipInputStream(
                new ByteArrayInputStream(client.get(TEAM + "/u1/results.zip").body()))) {
            assertThat(zip.getNextEntry().getName()).isEqualTo("2001-1.json");
            assertThat(zip.readAllBytes()).isEqualTo(large);
            // That of the other task is on its way.
            assertThat(zip.getNextEntry()).isNull();
        }
    }
}
