package dev.quiver.history;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.history.rig.Certificates;
import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Cluster;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Streams;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.FreePort;
import dev.quiver.lifecycle.redis.RedisServer;

/** The program as a process: from the stream of a real Redis to an answer over HTTP, and its end. */
@ExtendWith(ApiServer.class)
class MainIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @TempDir
    private Path folder;

    @Test
    void persistsAnswersAndEnds(KubernetesClient kubernetes) throws Exception {
        Cluster cluster = new Cluster(kubernetes, Files.createDirectory(folder.resolve("account")));
        cluster.may(kubernetes.getNamespace(), "quiver-history", "create", "", "events");
        Keyspace team = Keyspace.ofNamespace(cluster.namespace("main"));
        cluster.account(team.namespace(), "quiver-reader");
        String token = cluster.token(team.namespace(), "quiver-reader", List.of(Cluster.AUDIENCE));
        Path redis = Files.createDirectory(folder.resolve("redis"));
        Files.writeString(redis.resolve("uri"), REDIS.process().uri());
        kubernetes
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("quiver-store-beats")
                        .endMetadata()
                        .withData(Map.of(team.namespace(), "epoch 1"))
                        .build())
                .create();
        int port = FreePort.next();
        int probe = everywhere();
        int tls = everywhere();
        Certificates certificates =
                new Certificates(Files.createDirectory(folder.resolve("tls"))).make(Certificates.Form.EC_SEC1, "h");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Main.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment()
                .putAll(Map.ofEntries(
                        Map.entry("KUBERNETES_SERVICE_HOST", cluster.address().getHost()),
                        Map.entry(
                                "KUBERNETES_SERVICE_PORT",
                                "" + cluster.address().getPort()),
                        Map.entry("QUIVER_KUBERNETES_DIR", cluster.folder().toString()),
                        Map.entry("QUIVER_REDIS_DIR", redis.toString()),
                        Map.entry("QUIVER_NAMESPACE", kubernetes.getNamespace()),
                        Map.entry("QUIVER_POD_NAME", "quiver-history-0"),
                        Map.entry("QUIVER_POD_UID", "uid-of-the-pod"),
                        Map.entry(
                                "QUIVER_HISTORY_DATABASE",
                                folder.resolve("record.db").toString()),
                        Map.entry("QUIVER_HTTP_PORT", Integer.toString(port)),
                        Map.entry("QUIVER_PROBE_PORT", Integer.toString(probe)),
                        Map.entry("QUIVER_HISTORY_EMPTY_DIR", "true"),
                        Map.entry("QUIVER_HISTORY_TLS_PORT", Integer.toString(tls)),
                        Map.entry(
                                "QUIVER_HISTORY_TLS_DIR", folder.resolve("tls").toString())));
        Files.write(folder.resolve("record.db"), new byte[8192]);
        Files.writeString(folder.resolve("record.db"), "SQLite format 3\0damaged", StandardOpenOption.WRITE);
        Process process = builder.start();
        try (Client client = new Client(new InetSocketAddress("127.0.0.1", port), token)) {
            new Record(null, team)
                    .opened(
                            "u1",
                            T0,
                            RunOpening.of(RunKind.TASK_SET, "specs", T0, 640).within(cluster.uid(team.namespace())))
                    .passes("u1", "s1", 1, 0, 640)
                    // Today: a run that ended 30 days ago is swept.
                    .ended("u1", RunEnd.Status.SUCCEEDED, System.currentTimeMillis(), 640, 0, 640)
                    .entries()
                    .forEach(entry -> Streams.append(REDIS.store(), team, entry));
            Awaitility.await("the record is read, see " + folder.resolve("log"))
                    .ignoreExceptions()
                    .failFast("the program ended", () -> !process.isAlive())
                    .until(() -> client.get("/v1/namespaces/" + team.namespace() + "/runs/specs")
                                    .statusCode()
                            == 200);
            assertThat(client.text("/v1/namespaces/" + team.namespace() + "/runs/specs/trials.ndjson")
                            .lines())
                    .hasSize(640);
            assertThat(client.json(200, "/v1/about", "/v1/about")
                            .get("emptyDir")
                            .asBoolean())
                    .isTrue();
            assertThat(client.get("/v1/about", "X-Groups", "g".repeat(12_000)).statusCode())
                    .describedAs("the bounds of the API hold, not those of the probes")
                    .isEqualTo(200);
            URI ready = URI.create("http://127.0.0.1:" + probe + "/ready");
            assertThat(new String(ready.toURL().openStream().readAllBytes())).contains("ends with this pod");
            try (SSLSocket socket =
                    (SSLSocket) certificates.trusting().getSocketFactory().createSocket("127.0.0.1", tls)) {
                socket.startHandshake();
            }
            List<Event> told = events(kubernetes, 1);
            assertThat(told).singleElement().satisfies(event -> {
                assertThat(event.getReason()).isEqualTo("RecordSetAside");
                assertThat(event.getType()).isEqualTo("Warning");
                assertThat(event.getMessage()).contains("set aside as record.db");
                assertThat(event.getInvolvedObject().getUid()).isEqualTo("uid-of-the-pod");
            });
            // The file is lost while the program runs, and then comes back damaged.
            Files.delete(folder.resolve("record.db"));
            assertThat(events(kubernetes, 2))
                    .filteredOn(event -> event.getReason().equals("RecordReplaced"))
                    .singleElement()
                    .satisfies(event -> assertThat(event.getMessage()).contains("was removed while it was open"));
            Files.writeString(folder.resolve("noise"), "this is no database".repeat(500));
            Files.move(folder.resolve("noise"), folder.resolve("record.db"), StandardCopyOption.REPLACE_EXISTING);
            assertThat(events(kubernetes, 3))
                    .filteredOn(event -> event.getReason().equals("RecordSetAside"))
                    .hasSize(2);
            process.destroy();
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(Streams.length(REDIS.store(), team)).isZero();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Events of the pod, once there are so many. */
    private static List<Event> events(KubernetesClient kubernetes, int count) {
        return Awaitility.await(count + " events")
                .until(
                        () -> kubernetes
                                .v1()
                                .events()
                                .withInvolvedObject(new ObjectReferenceBuilder()
                                        .withName("quiver-history-0")
                                        .build())
                                .list()
                                .getItems(),
                        found -> found.size() == count);
    }

    /** A port of all addresses: those of FreePort are held on another loopback address. */
    private static int everywhere() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void aMissingSettingIsNamed() {
        assertThatThrownBy(() -> HistorySettings.of(Map.of())).hasMessage("KUBERNETES_SERVICE_HOST is not set");
        assertThatThrownBy(() -> HistorySettings.of(Map.of(
                        "KUBERNETES_SERVICE_HOST", "10.0.0.1",
                        "KUBERNETES_SERVICE_PORT", "443",
                        "QUIVER_REDIS_DIR", "/redis",
                        "QUIVER_NAMESPACE", "quiver-system",
                        "QUIVER_HISTORY_DATABASE", "/record.db",
                        "QUIVER_HISTORY_DAYS", "many")))
                .hasMessageContaining("QUIVER_HISTORY_DAYS");
        assertThatThrownBy(() -> HistorySettings.of(Map.of(
                        "KUBERNETES_SERVICE_HOST", "fd00::1",
                        "KUBERNETES_SERVICE_PORT", "443",
                        "QUIVER_REDIS_DIR", "/redis",
                        "QUIVER_NAMESPACE", "quiver-system",
                        "QUIVER_HISTORY_DATABASE", "/record.db",
                        "QUIVER_PROBE_PORT", "65536")))
                .hasMessage("QUIVER_PROBE_PORT is no port: 65536");
    }
}
