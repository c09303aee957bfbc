package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.history.access.Access;
import dev.quiver.history.access.AccessException;
import dev.quiver.history.access.Caller;
import dev.quiver.history.access.Right;
import dev.quiver.history.access.Writer;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.Packs;
import dev.quiver.history.store.ReceivedEntry;
import dev.quiver.history.store.RecordWriter;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.history.tls.ServerCertificate;
import dev.quiver.history.web.ApiServer;
import dev.quiver.history.web.PackIntake;
import dev.quiver.lifecycle.history.stream.HistoryStream;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/**
 * History beside a worker pod: a database, the intake of packs over TLS, the API on loopback. It reads its stream when a
 * test says so. How history tells tokens apart is tried beside it, against a real API server.
 */
final class PackHistory implements AutoCloseable {

    private static final String TOKEN = "token-of-the-pod";

    private final Path folder;
    private final Keyspace keyspace;
    private final Database database;
    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;
    private Optional<ApiServer> server = Optional.empty();

    /** A holder of the token reads everything. */
    private static final class Open implements Access {

        @Override
        public Caller caller(String token, InetAddress from) {
            return new Caller("somebody", "", List.of(), Map.of(), Optional.empty());
        }

        @Override
        public boolean may(Caller caller, Right right) {
            return true;
        }

        @Override
        public Optional<String> living(String namespace) {
            return Optional.of("uid-of-" + namespace);
        }
    }

    /** With an empty database in that folder, which listens. */
    PackHistory(Path folder, Keyspace keyspace) throws Exception {
        this.folder = folder;
        this.keyspace = keyspace;
        certificate();
        database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
        server = Optional.of(listen(0));
        port = server.get().securedAddress().orElseThrow().getPort();
    }

    /** Gives it another certificate, which it has as soon as it is back. */
    void certificate() throws Exception {
        Process made = new ProcessBuilder(
                        "openssl",
                        "req",
                        "-x509",
                        "-newkey",
                        "rsa:2048",
                        "-nodes",
                        "-keyout",
                        "tls.key",
                        "-out",
                        "tls.crt",
                        "-subj",
                        "/CN=history",
                        "-days",
                        "2",
                        "-addext",
                        "subjectAltName=DNS:localhost")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("openssl.log").toFile())
                .start();
        assertThat(made.waitFor()).isZero();
    }

    private ApiServer listen(int at) throws Exception {
        PackIntake intake = new PackIntake(
                (token, from) -> {
                    if (!token.equals(TOKEN)) {
                        throw new AccessException(AccessException.Kind.UNKNOWN, "false");
                    }
                    return new Writer(keyspace.namespace(), "a");
                },
                new Packs(database, Long.MAX_VALUE, Clock.systemUTC()));
        return ApiServer.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.of(new ApiServer.Secured(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), at),
                        ServerCertificate.of(folder),
                        Optional.of(intake))),
                database,
                new Open(),
                null,
                () -> null);
    }

    /** The pod with the way to this history. */
    WorkerPod knownTo(WorkerPod pod) throws Exception {
        Path token = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        return pod.with("QUIVER_HISTORY_URL", "https://localhost:" + port)
                .with("QUIVER_HISTORY_TOKEN", token.toString())
                .with("QUIVER_HISTORY_CA", folder.resolve("tls.crt").toString());
    }

    /** The address at which it takes packs. */
    URI address() {
        return URI.create("https://localhost:" + port);
    }

    /** Its database. */
    Database database() {
        return database;
    }

    /** The server listens no more. */
    void away() {
        server.ifPresent(ApiServer::close);
        server = Optional.empty();
    }

    /** Somebody listens again. */
    void back() throws Exception {
        server = Optional.of(listen(port));
    }

    /** Writes these entries, as the persister does. */
    void persist(List<ReceivedEntry> entries) throws Exception {
        database.change(connection -> {
            new RecordWriter(database, Clock.systemUTC()).write(connection, keyspace, entries);
            return 0;
        });
    }

    /** Writes all that is in the stream now. */
    void persist(RedisStore store) throws Exception {
        persist(new HistoryStream(store, keyspace)
                .read(10_000).entries().stream()
                        .map(entry -> ReceivedEntry.of(entry.id(), entry.fields()))
                        .toList());
    }

    /** An answer of the API about the keyspace's runs. */
    HttpResponse<byte[]> get(String below, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + server.orElseThrow().address().getPort() + "/v1/namespaces/"
                                + keyspace.namespace() + "/runs/" + below))
                .header("Quiver-Token", "any");
        return client.send(
                headers.length == 0 ? request.build() : request.headers(headers).build(),
                HttpResponse.BodyHandlers.ofByteArray());
    }

    @Override
    public void close() {
        away();
        client.close();
        database.close();
    }
}
