package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.Headers;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.access.ReviewedAccess;
import dev.quiver.history.kube.KubernetesApi;
import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Cluster;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The answers to callers with different rights: the API, its routes and a real API server. */
@ExtendWith(dev.quiver.crds.apiserver.ApiServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccessIT {

    private static final Supplier<About> ABOUT =
            () -> new About("a database", Optional.empty(), Optional.empty(), Optional.empty(), true);

    private static final String RUNS = "/v1/namespaces/{namespace}/runs";
    private static final String RUN = RUNS + "/{run}";
    private static final String STDOUT = "/tasks/0/trials/1/stdout";

    private Cluster cluster;
    private KubernetesApi api;
    private SqliteDatabase database;
    private ApiServer server;
    private String team;
    private String base;

    @BeforeAll
    void begin(KubernetesClient kubernetes, @TempDir Path folder) throws Exception {
        cluster = new Cluster(kubernetes, folder);
        team = cluster.namespace("web");
        base = "/v1/namespaces/" + team + "/runs";
        api = cluster.api();
        ReviewedAccess access = new ReviewedAccess(api);
        database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
        server = ApiServer.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                database,
                access,
                Trusting.NO_LIVE,
                ABOUT);
        Record record = new Record(database, Keyspace.ofNamespace(team));
        for (RunKind kind : RunKind.values()) {
            String uid = "uid-" + kind.word();
            TrialRow row = TrialRow.of(0, 1, 0, TrialStatus.FAILED, 0, 10)
                    .printed(Tails.pack(new byte[] {'x'}, 10), new byte[0], 1);
            record.opened(
                            uid,
                            T0 + kind.ordinal(),
                            RunOpening.of(kind, "run", T0 + kind.ordinal(), 1).within(cluster.uid(team)))
                    .step(uid, "s", 1 + kind.ordinal(), T0 + 10, new StepRows().trial(row));
        }
        record.write();
    }

    @AfterAll
    void end() {
        server.close();
        database.close();
        api.close();
    }

    private Client client(String account, List<String> audiences) {
        return new Client(server.address(), cluster.token(team, account, audiences));
    }

    private static List<String> kinds(JsonNode list) {
        return list.get("items")
                .valueStream()
                .map(run -> run.get("kind").asText())
                .toList();
    }

    @Test
    void theReaderSeesAllOfItsNamespaceAndRemovesNothing() throws Exception {
        cluster.account(team, "quiver-reader");
        try (Client reader = client("quiver-reader", List.of(Cluster.AUDIENCE))) {
            assertThat(kinds(reader.json(200, RUNS, base))).containsExactly("Queue", "MapReduceJob", "Task", "TaskSet");
            assertThat(reader.text(base + "/uid-Task" + STDOUT)).isEqualTo("x");
            assertThat(reader.text(base + "/uid-Task/junit.xml")).contains("<testsuite");
            reader.json(403, "DELETE " + RUN, base + "/uid-Task");
            reader.json(403, RUNS, "/v1/namespaces/other/runs");
            reader.json(403, RUN, "/v1/namespaces/other/runs/run");
        }
    }

    @Test
    void anAccountSeesTheKindsThatItMayReadAndNoOther() throws Exception {
        cluster.account(team, "ci");
        cluster.may(team, "ci", "list", "quiver.dev", "tasksets");
        cluster.may(team, "ci", "get", "quiver.dev", "tasksets", "mapreducejobs", "mapreducejobs/log");
        try (Client ci = client("ci", List.of())) {
            assertThat(kinds(ci.json(200, RUNS, base))).containsExactly("TaskSet");
            assertThat(kinds(ci.json(200, RUNS, base + "?kind=Task"))).isEmpty();
            assertThat(ci.json(200, RUN, base + "/run").get("kind").asText())
                    .as("the latest of this name that it may read")
                    .isEqualTo("MapReduceJob");
            assertThat(ci.json(404, RUN, base + "/uid-Task"))
                    .as("as if it were not there")
                    .isEqualTo(ci.json(404, RUN, base + "/nothing"));
            assertThat(ci.text(base + "/uid-MapReduceJob" + STDOUT)).isEqualTo("x");
            ci.json(200, RUN + "/tasks", base + "/uid-TaskSet/tasks");
            for (String output : List.of(STDOUT, "/tasks/0/trials/1/result", "/junit.xml", "/trials.csv")) {
                assertThat(ci.get(base + "/uid-TaskSet" + output).statusCode())
                        .as(output)
                        .isEqualTo(403);
            }
            assertThat(ci.get(base + "/uid-TaskSet/compare?with=uid-Task").statusCode())
                    .isEqualTo(404);
        }
    }

    private static List<String> names(JsonNode list) {
        return list.get("items")
                .valueStream()
                .map(namespace -> namespace.get("name").asText())
                .toList();
    }

    @Test
    void aTokenOpensTheNamespacesWhoseRunsItMayList() throws Exception {
        String namespaces = "/v1/namespaces";
        String opens = cluster.namespace("opens");
        for (String name : List.of(opens, opens + "-beside")) {
            new Record(database, Keyspace.ofNamespace(name))
                    .opened("u", "u", T0, 1)
                    .write();
        }
        for (String account : List.of("quiver-reader", "lister", "nobody", "overseer")) {
            cluster.account(opens, account);
        }
        cluster.may(opens, "lister", "list", "quiver.dev", "mapreducejobs");
        cluster.mayEverywhere(opens, "overseer", "list", "tasksets");
        try (Client reader =
                        new Client(server.address(), cluster.token(opens, "quiver-reader", List.of(Cluster.AUDIENCE)));
                Client lister = new Client(server.address(), cluster.token(opens, "lister", List.of()));
                Client nobody = new Client(server.address(), cluster.token(opens, "nobody", List.of()));
                Client overseer = new Client(server.address(), cluster.token(opens, "overseer", List.of()))) {
            assertThat(names(reader.json(200, namespaces, namespaces))).containsExactly(opens);
            assertThat(names(lister.json(200, namespaces, namespaces))).containsExactly(opens);
            assertThat(names(nobody.json(200, namespaces, namespaces))).isEmpty();
            assertThat(names(overseer.json(200, namespaces, namespaces))).contains(team, opens, opens + "-beside");
            for (int i = 0; i <= OpenNamespaces.REVIEWED; i++) {
                new Record(database, Keyspace.ofNamespace("a-" + i))
                        .opened("u", "u", T0, 1)
                        .write();
            }
            JsonNode some = lister.json(200, namespaces, namespaces);
            assertThat(names(some)).as("beyond those that are reviewed").isEmpty();
            assertThat(some.get("more").asBoolean()).isTrue();
            assertThat(names(overseer.json(200, namespaces, namespaces))).contains(opens, "a-0");
        }
    }

    @Test
    void removalNeedsTheRightToDelete() throws Exception {
        new Record(database, Keyspace.ofNamespace(team))
                .opened(
                        "uid-spare",
                        T0,
                        RunOpening.of(RunKind.TASK_SET, "spare", T0, 1).within(cluster.uid(team)))
                .write();
        cluster.account(team, "viewer");
        cluster.may(team, "viewer", "get", "quiver.dev", "tasksets");
        cluster.account(team, "cleaner");
        cluster.may(team, "cleaner", "delete", "quiver.dev", "tasksets");
        try (Client viewer = client("viewer", List.of());
                Client cleaner = client("cleaner", List.of())) {
            viewer.json(403, "DELETE " + RUN, base + "/uid-spare");
            viewer.json(404, "DELETE " + RUN, base + "/uid-Task");
            cleaner.json(403, RUN, base + "/uid-spare");
            cleaner.json(403, "DELETE " + RUN, base + "/uid-Task");
            cleaner.json(200, "DELETE " + RUN + "/output", base + "/uid-spare/output");
            cleaner.json(200, "DELETE " + RUN, base + "/uid-spare");
            viewer.json(404, RUN, base + "/uid-spare");
        }
    }

    /** The record of a namespace that had this name, and was deleted. */
    @Test
    void recordsOfAnEarlierNamespaceAreForThoseAloneWhoMayListTheCluster() throws Exception {
        String remade = cluster.namespace("remade");
        String runs = "/v1/namespaces/" + remade + "/runs";
        TrialRow row = TrialRow.of(0, 1, 0, TrialStatus.FAILED, 0, 10)
                .printed(Tails.pack(new byte[] {'x'}, 10), new byte[0], 1);
        Record record = new Record(database, Keyspace.ofNamespace(remade));
        RunOpening run = RunOpening.of(RunKind.TASK_SET, "nightly", T0, 1).in("specs", "hash");
        record.opened("earlier", T0 + 5, run.within("uid of an earlier namespace"))
                .step("earlier", "s", 1, T0 + 10, new StepRows().trial(row))
                .opened("living", T0, run.within(cluster.uid(remade)))
                .step("living", "s", 2, T0 + 10, new StepRows().trial(row))
                .opened("of-nobody", T0, run)
                .write();
        for (String account : List.of("quiver-reader", "viewer", "admin")) {
            cluster.account(remade, account);
        }
        for (String verb : List.of("get", "list", "delete")) {
            cluster.may(remade, "viewer", verb, "quiver.dev", "tasksets", "tasksets/log");
        }
        cluster.mayEverywhere(remade, "admin", "list", "tasksets");
        cluster.mayEverywhere(remade, "admin", "get", "tasksets", "tasksets/log");
        for (List<String> audiences : List.of(List.of(Cluster.AUDIENCE), List.<String>of())) {
            String account = audiences.isEmpty() ? "viewer" : "quiver-reader";
            try (Client client = new Client(server.address(), cluster.token(remade, account, audiences))) {
                assertThat(uids(client.json(200, RUNS, runs))).containsExactly("living");
                assertThat(client.json(200, RUN, runs + "/nightly").get("uid").asText())
                        .as("and not the later one of the earlier namespace")
                        .isEqualTo("living");
                client.json(404, RUN, runs + "/earlier");
                client.json(404, RUN, runs + "/of-nobody");
                assertThat(client.get(runs + "/earlier" + STDOUT).statusCode()).isEqualTo(404);
                assertThat(client.text(runs + "/living" + STDOUT)).isEqualTo("x");
                if (audiences.isEmpty()) {
                    client.json(404, "DELETE " + RUN, runs + "/earlier");
                }
            }
        }
        try (Client admin = new Client(server.address(), cluster.token(remade, "admin", List.of()))) {
            assertThat(uids(admin.json(200, RUNS, runs))).contains("living", "earlier", "of-nobody");
            assertThat(admin.text(runs + "/earlier" + STDOUT)).isEqualTo("x");
            admin.json(403, "DELETE " + RUN, runs + "/earlier");
        }
    }

    private static List<String> uids(JsonNode list) {
        return list.get("items")
                .valueStream()
                .map(run -> run.get("uid").asText())
                .toList();
    }

    @Test
    void anAccountWithoutRightsLearnsNothing() throws Exception {
        cluster.account(team, "nobody");
        try (Client nobody = client("nobody", List.of(Cluster.AUDIENCE))) {
            nobody.json(403, RUNS, base);
            assertThat(nobody.json(403, RUN, base + "/uid-Task")).isEqualTo(nobody.json(403, RUN, base + "/nothing"));
        }
    }

    @Test
    void withoutAGoodTokenOnlyTheDescriptionIsAnswered() throws Exception {
        try (Client stranger = new Client(server.address(), "false")) {
            assertThat(stranger.get("/v1/openapi.json").statusCode()).isEqualTo(200);
            assertThat(stranger.json(401, RUNS, base).get("reason").asText()).isEqualTo("Unauthorized");
            assertThat(stranger.get("/v1/nothing").statusCode()).isEqualTo(401);
        }
        try (HttpClient plain = HttpClient.newHttpClient()) {
            URI address = URI.create("http://127.0.0.1:" + server.address().getPort() + base);
            HttpResponse<Void> answer =
                    plain.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding());
            assertThat(answer.statusCode()).isEqualTo(401);
            assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
        }
        assertThat(Gate.token(Headers.of("Authorization", "bearer one"))).isEqualTo("one");
        assertThat(Gate.token(Headers.of("Authorization", "Bearer one", "Quiver-Token", "two")))
                .isEqualTo("two");
        assertThat(Gate.token(Headers.of("Authorization", "Basic one"))).isEmpty();
    }

    @Test
    void whileTheApiServerIsAwayNobodyIsAdmitted() throws Exception {
        try (KubernetesApi away = new KubernetesApi(URI.create("https://127.0.0.1:1"), cluster.folder());
                ApiServer shut = ApiServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        database,
                        new ReviewedAccess(away),
                        Trusting.NO_LIVE,
                        ABOUT);
                Client client = new Client(shut.address(), "any")) {
            assertThat(client.json(503, RUNS, base).get("message").asText()).contains("API server");
        }
    }
}
