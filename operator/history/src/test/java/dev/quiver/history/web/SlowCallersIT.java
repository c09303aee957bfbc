package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Callers that ask for an export and take nothing of it. */
class SlowCallersIT {

    private static final String RUNS = "/v1/namespaces/team-a/runs";

    @Test
    void callersThatTakeNothingAreCutOffAndOthersAreAnswered(@TempDir Path folder) throws Exception {
        About about = new About("SQLite", Optional.empty(), Optional.empty(), Optional.empty(), false);
        try (SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
                ApiServer server = ApiServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        database,
                        new Trusting(),
                        Trusting.NO_LIVE,
                        () -> about,
                        Duration.ofSeconds(1));
                Client client = new Client(server.address())) {
            new Record(database, Keyspace.ofNamespace("team-a"))
                    .opened("u1", "specs", T0, 200_000)
                    .passes("u1", "s1", 1, 0, 200_000)
                    .write();
            List<Socket> callers = new ArrayList<>();
            // More than there are places of exports.
            for (int i = 0; i < 4; i++) {
                Socket socket = new Socket("127.0.0.1", server.address().getPort());
                socket.setReceiveBufferSize(1 << 12);
                socket.getOutputStream()
                        .write(("GET " + RUNS + "/u1/trials.ndjson HTTP/1.1\r\nHost: localhost\r\nQuiver-Token: "
                                        + Trusting.TOKEN + "\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                callers.add(socket);
            }
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> client.get(RUNS + "/u1/trials.csv").statusCode() == 200);
            // One that takes it is not cut off.
            assertThat(client.text(RUNS + "/u1/trials.ndjson").lines()).hasSize(200_000);
            for (Socket socket : callers) {
                socket.close();
            }
        }
    }
}
