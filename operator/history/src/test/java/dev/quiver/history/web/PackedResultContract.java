package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Optional;
import java.util.zip.ZipInputStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.Packs;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** What the API answers about results in packs, over every database. */
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

    @Test
    void aResultThatIsTooLargeForItsRowIsReadFromItsPack() throws Exception {
        byte[] large = ("[" + "1,".repeat(5_000) + "1]").getBytes(StandardCharsets.UTF_8);
        TrialRow passed = TrialRow.of(2001, 1, 0, TrialStatus.PASSED, 0, 200).returned(large.length);
        record.opened("u1", "specs", T0, 10)
                .step(
                        "u1",
                        "s1",
                        1,
                        T0,
                        new StepRows().trial(passed.kept(new TrialRow.PackPlace("s1/1", 3, large.length))))
                .step(
                        "u1",
                        "s1",
                        2,
                        System.currentTimeMillis(),
                        new StepRows()
                                .trial(TrialRow.of(2002, 1, 0, TrialStatus.PASSED, 0, 200)
                                        .returned(large.length)
                                        .kept(new TrialRow.PackPlace("s1/2", 0, large.length))))
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
