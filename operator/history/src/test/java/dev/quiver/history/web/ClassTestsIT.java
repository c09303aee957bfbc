package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.PostgresProcess;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.RunRemoval;
import dev.quiver.history.store.Sealing;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The memory of a class about its tests, over both databases. */
class ClassTestsIT {

    private static final String TESTS = "/v1/namespaces/{namespace}/classes/{class}/tests";
    private static final String NIGHTLY = "/v1/namespaces/team-a/classes/nightly/tests";

    @Test
    void sqliteRemembers(@TempDir Path folder) throws Exception {
        try (SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")))) {
            remembers(database);
        }
    }

    @Test
    void postgresRemembers() throws Exception {
        try (PostgresProcess postgres = PostgresProcess.start();
                Database database = postgres.database("classes")) {
            remembers(database);
        }
    }

    /**
     * One of six tests always passes, one passes at the second trial in odd runs, one always fails, one is a twin.
     * One is skipped, and one fails in odd runs.
     */
    private static void run(Record record, int number, String hash) {
        String uid = "u" + number;
        long at = T0 + number;
        StepRows rows = new StepRows()
                .pass(0, 0, 5, 1000)
                .trial(TrialRow.of(1, number % 2 == 1 ? 2 : 1, 0, TrialStatus.PASSED, 0, 20))
                .trial(TrialRow.of(2, 1, 0, TrialStatus.FAILED, 0, 30))
                .pass(3, 1, 5, 4000)
                .trial(TrialRow.of(4, 1, 0, TrialStatus.PENDING, 0, 1))
                .trial(TrialRow.of(5, 1, 0, number % 2 == 1 ? TrialStatus.ERROR : TrialStatus.PASSED, 0, 50));
        record.opened(uid, at, RunOpening.of(RunKind.TASK_SET, "specs", at, 4).in("nightly", hash))
                .named(uid, hash, List.of("steady", "shaky", "broken", "steady", "skipped", "mixed"))
                .step(uid, "s1", number, at + 5, rows)
                .ended(uid, RunEnd.Status.FAILED, at + 9, 4, 1, 4);
    }

    private static List<String> names(JsonNode list) {
        return list.get("items")
                .valueStream()
                .map(test -> test.get("name").asText())
                .toList();
    }

    /** One of the tasks left usually takes 20 ms, one 4 s, and one is new; there are eight slots. */
    private static void estimates(Client client, Record record) throws Exception {
        record.joined("s1", T0)
                .opened(
                        "u6",
                        T0 + 6,
                        RunOpening.of(RunKind.TASK_SET, "specs", T0 + 6, 4).in("nightly", "hash-3"))
                .named("u6", "hash-3", List.of("steady", "shaky", "new", "steady"))
                .step("u6", "s1", 6, T0 + 7, new StepRows().pass(0, 0, 5, 1000))
                .write();
        String run = "/v1/namespaces/{namespace}/runs/{run}/estimate";
        String runs = "/v1/namespaces/team-a/runs";
        JsonNode left = client.json(200, run, runs + "/u6/estimate");
        assertThat(left.get("known").asInt()).isEqualTo(2);
        assertThat(left.get("unknown").asInt()).isEqualTo(1);
        assertThat(left.get("workMillis").asInt())
                .as("the new one counts as the mean")
                .isEqualTo(4020 + 2010);
        assertThat(left.get("slots").asDouble()).isEqualTo(8);
        assertThat(left.get("leftMillis").asInt())
                .as("no less than the longest one")
                .isEqualTo(4000);
        assertThat(client.json(200, run, runs + "/u5/estimate").has("leftMillis"))
                .as("it is over")
                .isFalse();
    }

    private static void remembers(Database database) throws Exception {
        Record record = new Record(database, Keyspace.ofNamespace("team-a"));
        for (int number = 1; number <= 5; number++) {
            run(record, number, number < 4 ? "hash-1" : "hash-2");
        }
        record.write();
        new Sealing(database).seal(10);
        // Late rows seal a run once more, and it is not counted twice.
        record.replay();
        new Sealing(database).seal(10);
        About about = new About(database.product(), Optional.empty(), Optional.empty(), Optional.empty(), false);
        try (ApiServer server = ApiServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        database,
                        new Trusting(),
                        Trusting.NO_LIVE,
                        () -> about);
                Client client = new Client(server.address())) {
            JsonNode slowest = client.json(200, TESTS, NIGHTLY);
            assertThat(names(slowest)).containsExactly("steady#2", "steady", "mixed", "shaky", "broken", "skipped");
            assertThat(slowest.get("items").get(0).get("usualMillis").asLong()).isEqualTo(4000);
            assertThat(slowest.get("items").get(0).get("ran").asInt()).isEqualTo(5);
            assertThat(slowest.get("items").get(4).has("usualMillis")).isFalse();
            JsonNode flaky = client.json(200, TESTS, NIGHTLY + "?order=flaky&limit=9");
            assertThat(names(flaky)).as("what always fails is not flaky").containsExactly("shaky");
            assertThat(flaky.get("items").get(0).get("hurt").asInt()).isEqualTo(3);
            assertThat(flaky.get("items").get(0).get("failed").asInt())
                    .as("it passed in the end")
                    .isZero();
            JsonNode failing = client.json(200, TESTS, NIGHTLY + "?order=failing");
            assertThat(names(failing)).as("what was skipped has not failed").containsExactly("broken", "mixed");
            assertThat(failing.get("items").get(0).get("failing").asInt()).isEqualTo(5);
            assertThat(failing.get("items").get(1).get("failed").asInt()).isEqualTo(3);
            assertThat(failing.get("items").get(1).get("failing").asInt()).isEqualTo(1);
            JsonNode twin = client.json(200, TESTS + "/{test}", NIGHTLY + "/steady%232");
            assertThat(twin.get("items"))
                    .hasSize(5)
                    .allSatisfy(item ->
                            assertThat(item.get("task").get("task").asInt()).isEqualTo(3));
            assertThat(twin.get("items").get(0).get("run").get("uid").asText()).isEqualTo("u5");
            estimates(client, record);
            client.json(400, TESTS, NIGHTLY + "?order=quickest");
            client.json(404, TESTS, "/v1/namespaces/team-a/classes/other/tests");
            client.json(404, TESTS + "/{test}", NIGHTLY + "/unknown");
        }
        new RunRemoval(database).remove(Record.number(database, "SELECT id FROM runs WHERE uid = 'u6'"));
        for (int number = 1; number <= 5; number++) {
            assertThat(Record.number(database, "SELECT COUNT(*) FROM tests")).isEqualTo(6);
            new RunRemoval(database).remove(Record.number(database, "SELECT id FROM runs WHERE uid = ?", "u" + number));
        }
        assertThat(Record.number(database, "SELECT COUNT(*) FROM tests")).isZero();
    }
}
