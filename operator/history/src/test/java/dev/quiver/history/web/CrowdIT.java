package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.access.Writer;
import dev.quiver.history.rig.Certificates;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Packs;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.history.tls.ServerCertificate;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Many callers at a time of a process with the heap of the chart's default memory; an OutOfMemoryError would end it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrowdIT {

    private static final String TIMELINE = "/v1/namespaces/team-a/runs/large/timeline";
    private static final String NEIGHBOUR = "/v1/namespaces/team-b/runs/small/tasks";
    private static final int TRIALS = 200_000;

    private Process process;
    private Path folder;
    private int plain;
    private int secured;
    private SSLContext trust;
    private HttpClient client;

    /** The program, with a large run of one namespace and a small one of another. Pods are of the namespace that they say. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            About about = new About("SQLite", Optional.empty(), Optional.empty(), Optional.empty(), true);
            SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
            new Record(database, Keyspace.ofNamespace("team-a"))
                    .opened("large", "large", T0, TRIALS)
                    .passes("large", "s1", 1, 0, TRIALS)
                    .write();
            new Record(database, Keyspace.ofNamespace("team-b"))
                    .opened("small", "small", T0, 10)
                    .passes("small", "s1", 1, 0, 10)
                    .write();
            PackIntake packs = new PackIntake(
                    (token, from) -> new Writer(token, "pod"), new Packs(database, Long.MAX_VALUE, Clock.systemUTC()));
            ApiServer server = ApiServer.listen(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    Optional.of(new ApiServer.Secured(
                            new InetSocketAddress(0), ServerCertificate.of(folder), Optional.of(packs))),
                    database,
                    new Trusting(),
                    Trusting.NO_LIVE,
                    () -> about);
            Path ports = folder.resolve("ports.part");
            Files.writeString(
                    ports,
                    server.address().getPort() + " "
                            + server.securedAddress().orElseThrow().getPort());
            Files.move(ports, folder.resolve("ports"));
            System.in.read(); // until the test closes it
            System.exit(0);
        }
    }

    @BeforeAll
    void begin(@TempDir Path temporary) throws Exception {
        folder = temporary;
        trust = new Certificates(folder)
                .make(Certificates.Form.EC_PKCS8, "history")
                .trusting();
        client = HttpClient.newBuilder().sslContext(trust).build();
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:+UseCompactObjectHeaders",
                        "-XX:MaxNewSize=24m",
                        "-Xmx192m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Program.class.getName(),
                        folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> Files.exists(folder.resolve("ports")) || !process.isAlive());
        String[] ports = Files.readString(folder.resolve("ports")).split(" ");
        plain = Integer.parseInt(ports[0]);
        secured = Integer.parseInt(ports[1]);
    }

    @AfterAll
    void end() throws Exception {
        client.close();
        process.destroyForcibly().waitFor();
    }

    private HttpRequest get(String address) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + plain + address))
                .header("Quiver-Token", Trusting.TOKEN)
                .timeout(Duration.ofMinutes(2))
                .build();
    }

    private int neighbour() throws Exception {
        return client.send(get(NEIGHBOUR), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private void assertItLives() throws IOException {
        assertThat(process.isAlive())
                .as(Files.readString(folder.resolve("log")))
                .isTrue();
    }

    /**
     * The places that another test's readers hold go a moment after they have gone: a crowd that comes too early is
     * told so.
     */
    @Test
    void manyReadersOfALargeTimelineAreAllAnswered() {
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> {
            int whole = crowd(60);
            assertItLives();
            return whole > 0;
        });
    }

    /** How many of so many readers get the whole timeline; the others are told to come again. */
    private int crowd(int readers) throws Exception {
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
            answers.add(client.sendAsync(get(TIMELINE), HttpResponse.BodyHandlers.ofByteArray()));
        }
        assertThat(neighbour()).isEqualTo(200);
        int whole = 0;
        for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
            HttpResponse<byte[]> got = answer.get();
            if (got.statusCode() == 200) {
                assertThat(got.body()).hasSizeGreaterThan(TRIALS * 23);
                whole++;
            } else {
                assertThat(got.statusCode()).isEqualTo(503);
                assertThat(got.headers().firstValue("Retry-After")).isPresent();
            }
        }
        return whole;
    }

    @Test
    void readersThatTakeNothingKeepNobodyOut() throws Exception {
        List<Socket> readers = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) {
                Socket socket = new Socket();
                socket.setReceiveBufferSize(1 << 12);
                socket.connect(new InetSocketAddress("127.0.0.1", plain));
                socket.getOutputStream()
                        .write(("GET " + TIMELINE + " HTTP/1.1\r\nHost: localhost\r\nQuiver-Token: " + Trusting.TOKEN
                                        + "\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                readers.add(socket);
            }
            for (int i = 0; i < 20; i++) {
                assertThat(neighbour()).isEqualTo(200);
            }
            HttpResponse<byte[]> own = client.send(get(TIMELINE), HttpResponse.BodyHandlers.ofByteArray());
            if (own.statusCode() != 200) {
                assertThat(own.statusCode()).isEqualTo(503);
                assertThat(own.headers().firstValue("Retry-After")).isPresent();
            }
            assertItLives();
        } finally {
            for (Socket socket : readers) {
                socket.close();
            }
        }
    }

    @Test
    void sendersThatDribbleKeepNoPackOut() throws Exception {
        List<Socket> dribbling = new ArrayList<>();
        try {
            for (int i = 0; i < 12; i++) {
                Socket socket = trust.getSocketFactory().createSocket("localhost", secured);
                OutputStream out = socket.getOutputStream();
                out.write(("PUT " + packs("team-a", "large", i) + " HTTP/1.1\r\nHost: localhost\r\n"
                                + "Authorization: Bearer team-a\r\nContent-Length: 4000000\r\n\r\nx")
                        .getBytes(StandardCharsets.US_ASCII));
                out.flush();
                dribbling.add(socket);
            }
            for (String[] run : new String[][] {{"team-b", "small"}, {"team-a", "large"}}) {
                byte[] body = new PackBody()
                        .add(ResultFormat.JSON, "{}".getBytes(StandardCharsets.UTF_8))
                        .encode();
                HttpRequest put = HttpRequest.newBuilder(
                                URI.create("https://localhost:" + secured + packs(run[0], run[1], 99)))
                        .header("Authorization", "Bearer " + run[0])
                        .PUT(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build();
                assertThat(client.send(put, HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .as(run[0])
                        .isEqualTo(200);
            }
            for (Socket socket : dribbling) {
                socket.setSoTimeout(60_000);
                assertThat(socket.getInputStream().read()).as("it is cut off").isNegative();
            }
        } finally {
            for (Socket socket : dribbling) {
                socket.close();
            }
        }
        assertItLives();
    }

    private static String packs(String namespace, String run, int number) {
        return "/v1/packs/s1/" + number + "?keyspace="
                + Keyspace.ofNamespace(namespace).prefix().replace("{", "%7B").replace("}", "%7D") + "&run=" + run;
    }
}
