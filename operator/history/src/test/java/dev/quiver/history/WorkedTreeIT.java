package dev.quiver.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.live.RedisLive;
import dev.quiver.history.persist.Persister;
import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.Retention;
import dev.quiver.history.store.RetentionPolicy;
import dev.quiver.history.store.Sealing;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.history.web.ApiServer;
import dev.quiver.lifecycle.history.stream.HistoryStream;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.WorkedTree;

/** A Task that is really made and worked at, from Redis to what the page asks for. */
class WorkedTreeIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String RUN = "/v1/namespaces/{namespace}/runs/{run}";

    /** Runs the story over what the persister has read so far. */
    private interface Story {
        void run(WorkedTree tree, Persister persister, Client client, String address) throws Exception;
    }

    private static void story(Path folder, Story story) throws Exception {
        try (WorkedTree tree = new WorkedTree(REDIS);
                SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
                Persister persister = persister(database, tree);
                ApiServer server = ApiServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        database,
                        new Trusting(),
                        new RedisLive(tree.store()),
                        () -> null);
                Client client = new Client(server.address())) {
            story.run(
                    tree, persister, client, "/v1/namespaces/" + tree.keyspace().namespace() + "/runs/deploy");
        }
    }

    private static Persister persister(Database database, WorkedTree tree) {
        return new Persister(
                () -> List.of(tree.keyspace()),
                keyspace -> new HistoryStream(tree.store(), keyspace),
                database,
                new Sealing(database),
                new Retention(database, namespace -> RetentionPolicy.DEFAULT, Long.MAX_VALUE, Clock.systemUTC()),
                Clock.systemUTC());
    }

    private static void persist(Persister persister) {
        while (persister.round()) {
            assertThat(persister.status().ready()).isTrue();
        }
    }

    /** Names and states of the root, its children and theirs. */
    private static Map<String, String> states(Client client, String address) {
        Map<String, String> states = new TreeMap<>();
        for (int parent : new int[] {-1, 0, 2}) {
            for (JsonNode node : client.json(200, RUN + "/nodes", address + "/nodes?parent=" + parent)
                    .get("items")) {
                states.put(node.get("name").asText(), node.get("state").asText());
            }
        }
        return states;
    }

    @Test
    void itsNodesHaveTheStatesInWhichTheyEnded(@TempDir Path folder) throws Exception {
        story(folder, (tree, persister, client, address) -> {
            tree.begin("deploy").work();
            persist(persister);
            assertThat(states(client, address))
                    .containsExactly(
                            Map.entry("bad", "failed"),
                            Map.entry("chain", "succeeded"),
                            Map.entry("fetch", "succeeded"),
                            Map.entry("good", "succeeded"),
                            Map.entry("parts", "succeeded"),
                            Map.entry("report", "succeeded"));
            JsonNode root = client.json(200, RUN + "/nodes", address + "/nodes")
                    .get("items")
                    .get(0);
            assertThat(root.get("children")).hasToString("{\"succeeded\":3}");
            JsonNode run = client.json(200, RUN, address);
            assertThat(run.get("status").asText()).isEqualTo("succeeded");
            assertThat(run.get("reason").asText()).isEqualTo("SomeTasksFailed");
            assertThat(client.text(address + "/junit.xml"))
                    .contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"0\"");
        });
    }

    @Test
    void whileItGoesOnItsNodesHaveTheStatesThatRedisKnows(@TempDir Path folder) throws Exception {
        story(folder, (tree, persister, client, address) -> {
            tree.begin("deploy").step();
            persist(persister);
            assertThat(states(client, address))
                    .containsExactly(
                            Map.entry("bad", "queued"),
                            Map.entry("chain", "running"),
                            Map.entry("fetch", "succeeded"),
                            Map.entry("good", "queued"),
                            Map.entry("parts", "running"),
                            Map.entry("report", "waiting"));
        });
    }
}
