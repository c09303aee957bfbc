package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.zip.ZipInputStream;
import javax.xml.parsers.DocumentBuilderFactory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.PostgresProcess;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.Sealing;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.history.RandomEntries;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Asks every operation of the description many times, with values that fit and values that do not, by a seed. No answer is
 * a fault of the server, and each is as the description has it. The record is of random entries.
 */
class ApiFuzzIT {

    private static final Supplier<About> ABOUT =
            () -> new About("a database", Optional.empty(), Optional.empty(), Optional.empty(), true);

    private static final int EXAMPLES = Integer.getInteger("quiver.examples", 50);

    @TempDir
    private Path folder;

    private final Random random = new Random(1014);

    @Test
    void everyAnswerOverSqliteIsAsDescribed() throws Exception {
        try (SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")))) {
            fuzz(database);
        }
    }

    @Test
    void everyAnswerOverPostgresqlIsAsDescribed() throws Exception {
        try (PostgresProcess postgres = PostgresProcess.start();
                Database database = postgres.database("fuzzed")) {
            fuzz(database);
        }
    }

    private void fuzz(Database database) throws Exception {
        Record record = new Record(database, Keyspace.ofNamespace("team-a"));
        RandomEntries entries = new RandomEntries(1014);
        for (int i = 0; i < 2_000; i++) {
            record.add(entries.entry());
        }
        StepRows returned = new StepRows();
        for (int task = 0; task < 20; task++) {
            returned = returned.trial(TrialRow.of(task, 1, 0, TrialStatus.PASSED, 0, 1)
                    .returned(ResultFormat.JSON, "[1]".getBytes(StandardCharsets.UTF_8)));
        }
        record.passes("uid-1", "session-1", 1 << 21, 20, 640)
                .step("uid-1", "session-1", 1 << 22, T0, returned)
                .opened("uid-c", T0, RunOpening.of(RunKind.TASK_SET, "c", T0, 9).in("nightly", "hash-c"))
                .named(
                        "uid-c",
                        "hash-c",
                        IntStream.range(0, 9).mapToObj(i -> "spec/" + i).toList())
                .passes("uid-c", "session-c", 1, 0, 9)
                .ended("uid-c", RunEnd.Status.SUCCEEDED, T0 + 9, 9, 0, 9)
                .write();
        for (int sealed = 0; sealed < 2; sealed++) {
            try (ApiServer server = ApiServer.listen(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                            Optional.empty(),
                            database,
                            new Trusting(),
                            Trusting.NO_LIVE,
                            ABOUT);
                    Client client = new Client(server.address())) {
                // Those of DELETE stand before those of GET in the alphabet, and would leave nothing.
                for (Map.Entry<String, List<JsonNode>> operation : new TreeMap<>(
                                client.description().operations())
                        .descendingMap()
                        .entrySet()) {
                    if (sealed == 1 || operation.getKey().startsWith("GET")) {
                        ask(client, operation.getKey(), operation.getValue());
                    }
                }
            }
            new Sealing(database).seal(10);
        }
    }

    private void ask(Client client, String operation, List<JsonNode> parameters) throws Exception {
        String method = operation.substring(0, operation.indexOf(' '));
        String path = operation.substring(operation.indexOf(' ') + 1);
        int answered = 0;
        for (int i = 0; i < EXAMPLES; i++) {
            String address = address(path, parameters);
            if (path.endsWith("/events")) {
                // A stream of events ends with its run: of the random ones some are open.
                address = "/v1/namespaces/team-a/runs/" + (random.nextInt(4) == 0 ? "none" : "uid-c") + "/events";
            }
            if (path.endsWith("/unpassed") && random.nextInt(4) == 0) {
                // The one whose passes are all on record.
                address = "/v1/namespaces/team-a/runs/uid-c/unpassed";
            }
            HttpResponse<byte[]> answer = client.send(method, address);
            int code = answer.statusCode();
            assertThat(client.description().documents(operation, code))
                    .as("%s answers %d", address, code)
                    .isTrue();
            assertThat(code).as(address).isLessThan(500);
            String type = answer.headers().firstValue("Content-Type").orElse("");
            if (type.equals("application/json") && !path.endsWith("openapi.json") && !path.endsWith("/result")) {
                client.checked(operation, answer);
            }
            if (!path.endsWith("/result")) {
                assertThat(client.description().mediaTypes(operation, code))
                        .as("%s answers %d", address, code)
                        .contains(type.replaceAll(";.*", ""));
            }
            if (code == 200) {
                readable(type.replaceAll(";.*", ""), answer.body());
            }
            answered += code == 200 ? 1 : 0;
        }
        assertThat(answered).as("good answers of " + operation).isPositive();
    }

    /** A body that is no JSON document is what its type promises. */
    private static void readable(String type, byte[] body) throws Exception {
        String text = new String(body, StandardCharsets.UTF_8);
        switch (type) {
            case "application/xml" ->
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new ByteArrayInputStream(body));
            case "application/x-ndjson" -> {
                for (String line : text.lines().toList()) {
                    assertThat(new ObjectMapper().readTree(line).isObject()).isTrue();
                }
            }
            case "text/csv" -> assertThat(text).startsWith("task,name,trial");
            case "text/event-stream" ->
                assertThat(text).contains("event: end\ndata: {").endsWith("\n\n");
            case "application/zip" -> {
                try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(body))) {
                    while (zip.getNextEntry() != null) {
                        zip.readAllBytes();
                    }
                }
            }
            default -> assertThat(type).isNotEmpty();
        }
    }

    private String address(String path, List<JsonNode> parameters) {
        String address = path;
        List<String> query = new ArrayList<>();
        for (JsonNode parameter : parameters) {
            String name = parameter.get("name").asText();
            String value = URLEncoder.encode(value(name, parameter.get("schema")), StandardCharsets.UTF_8)
                    .replace("+", "%20");
            if (parameter.get("in").asText().equals("path")) {
                address = address.replace("{" + name + "}", value.isEmpty() ? "x" : value);
            } else if (parameter.get("required").asBoolean() || random.nextInt(3) == 0) {
                query.add(name + "=" + value);
            }
        }
        return address + (query.isEmpty() ? "" : "?" + String.join("&", query));
    }

    private String value(String name, JsonNode schema) {
        if (random.nextInt(10) == 0) {
            return new String[] {
                        "", "-1", "%", "'; DROP TABLE runs", "漢😀", "1e9", "../..", "9".repeat(30), "a".repeat(2000)
                    }
                    [random.nextInt(9)];
        }
        if (schema.has("enum")) {
            return schema.get("enum")
                    .get(random.nextInt(schema.get("enum").size()))
                    .asText();
        }
        return switch (name) {
            case "namespace" -> "team-a";
            case "run", "with" ->
                switch (random.nextInt(3)) {
                    case 0 -> "uid-" + random.nextInt(5);
                    case 1 -> "run" + random.nextInt(9);
                    default -> "uid-1";
                };
            case "task" -> "" + random.nextInt(20);
            case "trial" -> "" + (1 + random.nextInt(2));
            case "worker" -> "" + (1 + random.nextInt(4));
            case "continue" -> dev.quiver.history.query.PageToken.of(random.nextLong(), random.nextLong());
            case "limit" -> "" + (1 + random.nextInt(1000));
            case "live", "full" -> "" + random.nextBoolean();
            case "copy" -> "" + random.nextInt(2);
            case "q" -> "a";
            case "class" -> "nightly";
            case "test" -> "spec/" + random.nextInt(9);
            default -> "" + random.nextInt(10);
        };
    }
}
