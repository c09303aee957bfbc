package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** JSON that Jackson reads and its writer refuses: an answer must not break off because of it. */
class ForgedSpecificationIT {

    private static final String TEAM = "/v1/namespaces/team-a/runs";
    private static final String RUN = "/v1/namespaces/{namespace}/runs/{run}";

    @TempDir
    private Path folder;

    @Test
    void isAnswered() throws Exception {
        About about = new About("SQLite", Optional.empty(), Optional.empty(), Optional.empty(), false);
        try (SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
                ApiServer server = ApiServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        database,
                        new Trusting(),
                        Trusting.NO_LIVE,
                        () -> about);
                Client client = new Client(server.address())) {
            Record record = new Record(database, Keyspace.ofNamespace("team-a"));
            written(record, "alone", "{\"source\":{\"matrix\":{\"os\":[\"\\ud800\"]}}}");
            written(record, "deep", "{\"a\":" + "[".repeat(999) + "]".repeat(999) + "}");
            for (String uid : List.of("alone", "deep")) {
                assertThat(client.json(200, RUN, TEAM + "/" + uid).get("spec"))
                        .as(uid)
                        .isNotEmpty();
                assertThat(client.json(200, RUN + "/tasks", TEAM + "/" + uid + "/tasks")
                                .get("items"))
                        .as(uid)
                        .hasSize(1);
            }
        }
    }

    private static void written(Record record, String uid, String spec) throws Exception {
        RunOpening opening = new RunOpening(
                RunKind.TASK_SET,
                uid,
                "",
                Optional.empty(),
                "",
                Optional.empty(),
                0,
                Optional.empty(),
                T0,
                1,
                Optional.empty(),
                0,
                0,
                false,
                Map.of(),
                spec.getBytes(StandardCharsets.UTF_8));
        record.opened(uid, T0, opening).passes(uid, "s1", 1, 0, 1).write();
    }
}
