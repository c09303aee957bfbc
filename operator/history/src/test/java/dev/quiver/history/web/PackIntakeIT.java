package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static dev.quiver.history.rig.Record.number;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.access.ReviewedAccess;
import dev.quiver.history.kube.KubernetesApi;
import dev.quiver.history.rig.Certificates;
import dev.quiver.history.rig.Cluster;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Packs;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.history.tls.ServerCertificate;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Packs over TLS, with tokens of pods that a real API server verifies. */
@ExtendWith(dev.quiver.crds.apiserver.ApiServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PackIntakeIT {

    private static final String RESULT = "[" + "1,".repeat(5_000) + "1]";
    private static final String WRITE = "write.history.quiver.dev";

    private KubernetesApi api;
    private SqliteDatabase database;
    private ApiServer server;
    private HttpClient client;
    private Cluster cluster;
    private Keyspace team;
    private String token;

    @BeforeAll
    void begin(KubernetesClient kubernetes, @TempDir Path folder) throws Exception {
        cluster = new Cluster(kubernetes, Files.createDirectory(folder.resolve("account")));
        team = Keyspace.ofNamespace(cluster.namespace("team"));
        cluster.account(team.namespace(), "workers");
        token = cluster.podToken(team.namespace(), "workers", "pod-1", WRITE);
        Certificates files = new Certificates(folder).make(Certificates.Form.EC_PKCS8, "history");
        api = cluster.api();
        database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
        Packs packs = new Packs(database, Long.MAX_VALUE, Clock.systemUTC());
        server = ApiServer.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.of(new ApiServer.Secured(
                        new InetSocketAddress(0),
                        ServerCertificate.of(folder),
                        Optional.of(new PackIntake(new ReviewedAccess(api), packs)))),
                database,
                new Trusting(),
                Trusting.NO_LIVE,
                () -> null);
        client = HttpClient.newBuilder().sslContext(files.trusting()).build();
        new Record(database, team).opened("u1", "specs", T0, 10).write();
    }

    @AfterAll
    void end() {
        client.close();
        server.close();
        database.close();
        api.close();
    }

    private static byte[] body() {
        return new PackBody()
                .add(ResultFormat.JSON, RESULT.getBytes(StandardCharsets.UTF_8))
                .encode();
    }

    private String address(String place, Keyspace keyspace, String run) {
        return "/v1/packs/" + place + "?keyspace="
                + keyspace.prefix().replace("{", "%7B").replace("}", "%7D") + "&run=" + run;
    }

    private HttpResponse<String> send(String method, String address, String its, BodyPublisher body) throws Exception {
        int port = server.securedAddress().orElseThrow().getPort();
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:" + port + address))
                .header("Authorization", "Bearer " + its)
                .method(method, body)
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.body()).contains("\"kind\":\"Status\"", "\"code\":" + answer.statusCode());
        return answer;
    }

    private int put(String address, String its, byte[] body) throws Exception {
        return send("PUT", address, its, BodyPublishers.ofByteArray(body)).statusCode();
    }

    @Test
    void aPodBringsAPackOnceHoweverOftenItSendsIt() throws Exception {
        assertThat(put(address("s1/1", team, "u1"), token, body())).isEqualTo(200);
        assertThat(put(address("s1/1", team, "u1"), token, body())).isEqualTo(200);
        assertThat(number(database, "SELECT COUNT(*) FROM packs WHERE id LIKE '%s1/1'"))
                .isEqualTo(1);
    }

    @Test
    void noOtherTokenBringsOne() throws Exception {
        List<String> others = List.of(
                "false",
                cluster.token(team.namespace(), "workers", List.of()),
                cluster.token(team.namespace(), "workers", List.of(WRITE)),
                cluster.podToken(team.namespace(), "workers", "pod-2", Cluster.AUDIENCE));
        for (String other : others) {
            assertThat(put(address("s1/2", team, "u1"), other, body())).isEqualTo(401);
        }
    }

    @Test
    void aPodWritesNothingOfAnotherNamespace() throws Exception {
        assertThat(put(address("s1/3", Keyspace.ofNamespace("neighbour"), "u1"), token, body()))
                .isEqualTo(403);
        assertThat(put(address("s1/3", Keyspace.of(team.namespace(), "nightly"), "u1"), token, body()))
                .as("a keyspace of its own, where there is no such run")
                .isEqualTo(404);
    }

    @Test
    void whatMakesNoSenseIsRefused() throws Exception {
        String good = address("s1/4", team, "u1");
        assertThat(put(good, token, new byte[0])).isEqualTo(400);
        assertThat(put(good, token, "no pack".getBytes(StandardCharsets.UTF_8))).isEqualTo(400);
        assertThat(put(good, token, new PackBody().encode())).isEqualTo(400);
        assertThat(put(good, token, new byte[PackBody.BODY_BYTES])).isEqualTo(400);
        assertThat(put(good, token, new byte[PackBody.BODY_BYTES + 1])).isEqualTo(413);
        assertThat(send("PUT", good, token, BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body())))
                        .statusCode())
                .as("no length")
                .isEqualTo(411);
        assertThat(send("POST", good, token, BodyPublishers.ofByteArray(body())).statusCode())
                .isEqualTo(405);
        for (String place : List.of("s1/x", "s1", "s1/9999999999999", "..%2fs1/1", "s1/1/1")) {
            assertThat(put(address(place, team, "u1"), token, body())).as(place).isEqualTo(400);
        }
        assertThat(put("/v1/packs/s1/4?keyspace=team&run=u1", token, body())).isEqualTo(400);
        assertThat(put(address("s1/4", team, ""), token, body())).isEqualTo(400);
        assertThat(put(good + "&more=1", token, body())).isEqualTo(400);
        assertThat(number(database, "SELECT COUNT(*) FROM packs WHERE id LIKE '%s1/4'"))
                .isZero();
    }

    @Test
    void aRunThatIsNotOnRecordYetIsAnswered404() throws Exception {
        assertThat(put(address("s1/5", team, "u5"), token, body())).isEqualTo(404);
        new Record(database, team).opened("u5", "late", T0, 10).write();
        assertThat(put(address("s1/5", team, "u5"), token, body())).isEqualTo(200);
    }

    @Test
    void thePlainPortTakesNone() throws Exception {
        URI address = URI.create("http://localhost:" + server.address().getPort() + address("s1/6", team, "u1"));
        HttpRequest request = HttpRequest.newBuilder(address)
                .header("Authorization", "Bearer " + token)
                .PUT(BodyPublishers.ofByteArray(body()))
                .build();
        assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(401);
    }
}
