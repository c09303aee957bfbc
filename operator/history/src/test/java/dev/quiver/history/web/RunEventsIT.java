package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.FixedLive;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Streams of events as a client reads them. */
class RunEventsIT {

    private static final String TEAM = "/v1/namespaces/team-a/runs";

    @TempDir
    private Path folder;

    private final FixedLive live = new FixedLive();
    private SqliteDatabase database;
    private ApiServer server;
    private Record record;

    @BeforeEach
    void begin() throws Exception {
        database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
        About about = new About("SQLite", Optional.empty(), Optional.empty(), Optional.empty(), false);
        server = ApiServer.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                database,
                new Trusting(),
                live,
                () -> about);
        record = new Record(database, Keyspace.ofNamespace("team-a"));
    }

    @AfterEach
    void end() {
        server.close();
        database.close();
    }

    /** A stream that is open. */
    private final class Viewer implements AutoCloseable {

        private final Socket socket;
        private final BufferedReader lines;
        private String id = "";

        Viewer(String uid, String lastId) throws Exception {
            socket = new Socket("127.0.0.1", server.address().getPort());
            String request = "GET " + TEAM + "/" + uid + "/events HTTP/1.0\r\nHost: localhost\r\nQuiver-Token: "
                    + Trusting.TOKEN + "\r\n" + (lastId.isEmpty() ? "" : "Last-Event-ID: " + lastId + "\r\n") + "\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        }

        /** Name and data of the next event; null at the end of the stream. */
        String next() throws Exception {
            String name = null;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("event: ")) {
                    name = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    return name + " " + line.substring(6);
                }
            }
            return null;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void aViewerSeesTheRunThatItsRecordChangesAndItsEnd() throws Exception {
        record.opened("u1", "specs", T0, 100).write();
        try (Viewer viewer = new Viewer("u1", "")) {
            assertThat(viewer.next()).startsWith("progress {\"uid\":\"u1\"");
            record.passes("u1", "s1", 1, 0, 100).write();
            assertThat(viewer.next()).isEqualTo("trials {}");
            record.ended("u1", RunEnd.Status.SUCCEEDED, T0 + 9, 100, 0, 100).write();
            assertThat(viewer.next()).startsWith("progress {").contains("\"status\":\"succeeded\"");
            assertThat(viewer.next()).isEqualTo("end {\"status\":\"succeeded\"}");
            assertThat(viewer.next()).isNull();
        }
        try (Viewer late = new Viewer("u1", "")) {
            assertThat(late.next()).startsWith("progress {");
            assertThat(late.next()).startsWith("end {");
            assertThat(late.next()).isNull();
        }
    }

    @Test
    void aRunThatIsNotOverHasFiguresAndARosterAndAnEndedOneHasNone() throws Exception {
        for (RunKind kind : List.of(RunKind.TASK_SET, RunKind.TASK, RunKind.MAP_REDUCE_JOB)) {
            record.opened(kind.word(), T0, RunOpening.of(kind, "specs", T0, 100));
        }
        record.opened("over", "specs", T0, 1)
                .ended("over", RunEnd.Status.SUCCEEDED, T0 + 9, 1, 0, 1)
                .write();
        String run = "/v1/namespaces/{namespace}/runs/{run}";
        try (Client client = new Client(server.address())) {
            for (RunKind kind : List.of(RunKind.TASK_SET, RunKind.TASK, RunKind.MAP_REDUCE_JOB)) {
                String address = TEAM + "/" + kind.word();
                JsonNode figures = client.json(200, run, address).get("live");
                assertThat(figures.get("running").asInt()).isEqualTo(3);
                JsonNode roster = client.json(200, run + "/roster", address + "/roster?limit=1");
                assertThat(roster.get("items").get(0).get("pod").asText()).isEqualTo("worker-pod-1");
                assertThat(roster.get("items")
                                .get(0)
                                .get("tasks")
                                .get(1)
                                .get("slot")
                                .asInt())
                        .isEqualTo(3);
                client.json(
                        200,
                        run + "/roster",
                        address + "/roster?limit=2&continue="
                                + roster.get("continue").asText());
                try (Viewer viewer = new Viewer(kind.word(), "")) {
                    assertThat(viewer.next()).startsWith("progress {").contains("\"live\":{\"status\":\"running\"");
                }
            }
            assertThat(client.json(200, run, TEAM + "/over").has("live")).isFalse();
            assertThat(client.json(200, run + "/roster", TEAM + "/over/roster").get("items"))
                    .isEmpty();
            live.goAway();
            assertThat(client.json(200, run, TEAM + "/Task").has("live")).isFalse();
            assertThat(client.json(503, run + "/roster", TEAM + "/Task/roster")
                            .get("message")
                            .asText())
                    .contains("Redis");
        }
    }

    @Test
    void aRunThatCannotBeLookedAtKeepsNoOtherViewerWaiting() throws Exception {
        record.opened("u1", "specs", T0, 64)
                .opened("u2", "specs", T0, 64)
                .opened("u3", "specs", T0, 64)
                .write();
        try (Viewer first = new Viewer("u1", "");
                Viewer forged = new Viewer("u2", "");
                Viewer last = new Viewer("u3", "")) {
            for (Viewer viewer : List.of(first, forged, last)) {
                assertThat(viewer.next()).startsWith("progress");
            }
            live.forge("u2");
            record.passes("u1", "s1", 1, 0, 64).passes("u3", "s1", 3, 0, 64).write();
            assertThat(first.next()).isEqualTo("trials {}");
            assertThat(last.next()).isEqualTo("trials {}");
        }
    }

    @Test
    void aBrokenStreamGoesOnWhereItWasOrBeginsAnew() throws Exception {
        record.opened("u1", "specs", T0, 100).write();
        Viewer breaks = new Viewer("u1", "");
        try (Viewer stays = new Viewer("u1", "")) {
            assertThat(stays.next()).startsWith("progress");
            assertThat(breaks.next()).startsWith("progress");
            breaks.close();
            record.passes("u1", "s1", 1, 0, 64).write();
            assertThat(stays.next()).isEqualTo("trials {}");
            try (Viewer again = new Viewer("u1", breaks.id);
                    Viewer stranger = new Viewer("u1", "00000000-7")) {
                assertThat(again.next()).isEqualTo("trials {}");
                assertThat(stranger.next()).isEqualTo("reset {}");
                assertThat(stranger.next()).startsWith("progress");
            }
        }
    }

    @Test
    void aRemovalEndsTheStreamsOfManyViewers() throws Exception {
        record.opened("u1", "specs", T0, 100).write();
        List<Viewer> viewers = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            viewers.add(new Viewer("u1", ""));
        }
        for (Viewer viewer : viewers) {
            assertThat(viewer.next()).startsWith("progress");
        }
        try (Client client = new Client(server.address())) {
            assertThat(client.send("DELETE", TEAM + "/u1").statusCode()).isEqualTo(200);
        }
        for (Viewer viewer : viewers) {
            assertThat(viewer.next()).isEqualTo("end {\"removed\":true}");
            viewer.close();
        }
    }

    @Test
    void oneCallerTakesAPartOfAllPlacesOfViewers() throws Exception {
        record.opened("u1", "specs", T0, 100).write();
        List<Viewer> viewers = new ArrayList<>();
        try (Client client = new Client(server.address())) {
            for (int i = 0; i < 64; i++) {
                viewers.add(new Viewer("u1", ""));
            }
            for (Viewer viewer : viewers) {
                assertThat(viewer.next()).startsWith("progress");
            }
            HttpResponse<byte[]> refused = client.get(TEAM + "/u1/events");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(client.get(TEAM + "/u1").statusCode()).isEqualTo(200);
        } finally {
            for (Viewer viewer : viewers) {
                viewer.close();
            }
        }
    }
}
