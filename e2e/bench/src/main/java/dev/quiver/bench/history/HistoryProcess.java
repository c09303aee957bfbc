package dev.quiver.bench.history;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

import dev.quiver.bench.Lab;
import dev.quiver.bench.process.Child;
import dev.quiver.bench.process.Http;
import dev.quiver.bench.process.Ports;
import dev.quiver.bench.process.ProcessMemory;
import dev.quiver.bench.process.Program;

/** The real program as a process of this machine, started as its image starts it, and a reader of its API. */
final class HistoryProcess implements Closeable {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Child process;
    private final Duration toReady;
    private final int port;
    private final Readers.Reader reader;
    private final HttpClient client = HttpClient.newHttpClient();

    private HistoryProcess(Child process, Duration toReady, int port, Readers.Reader reader) {
        this.process = process;
        this.toReady = toReady;
        this.port = port;
        this.reader = reader;
    }

    /**
     * Starts it for one namespace and waits until it is ready.
     *
     * @param database variables that name the database
     */
    static HistoryProcess start(
            Lab lab, Program program, Readers readers, String namespace, int redisPort, Map<String, String> database)
            throws Exception {
        Path folder = lab.folder("history");
        Files.writeString(folder.resolve("uri"), "redis://127.0.0.1:" + redisPort);
        int port = Ports.free();
        int probe = Ports.free();
        Readers.Reader reader = readers.admit(namespace);
        Map<String, String> environment = new HashMap<>(database);
        environment.put("KUBERNETES_SERVICE_HOST", readers.address().getHost());
        environment.put("KUBERNETES_SERVICE_PORT", "" + readers.address().getPort());
        environment.put("QUIVER_KUBERNETES_DIR", readers.folder().toString());
        environment.put("QUIVER_REDIS_DIR", folder.toString());
        environment.put("QUIVER_NAMESPACE", Readers.SYSTEM);
        environment.put("QUIVER_HISTORY_KEYSPACES", namespace);
        environment.putIfAbsent(
                "QUIVER_HISTORY_DATABASE", folder.resolve("record.db").toString());
        environment.put("QUIVER_HTTP_PORT", "" + port);
        environment.put("QUIVER_PROBE_PORT", "" + probe);
        environment.put("QUIVER_LOG_FORMAT", "text");
        long from = System.nanoTime();
        Child process = Child.start(folder.resolve("log"), environment, program.command());
        try {
            process.await("a ready history", PATIENCE, () -> Http.ok(probe, "/ready"));
            return new HistoryProcess(process, Duration.ofNanos(System.nanoTime() - from), port, reader);
        } catch (Exception failure) {
            process.close();
            throw failure;
        }
    }

    /** The variables for a PostgreSQL. Without any, it is SQLite in a folder of its own. */
    static Map<String, String> in(PostgresServer postgres) {
        return Map.of("QUIVER_HISTORY_DATABASE", postgres.url(), "QUIVER_HISTORY_USER", postgres.user());
    }

    /** Its memory, see {@link ProcessMemory#pssMiB}. */
    double pssMiB() {
        try {
            return ProcessMemory.pssMiB(process.pid());
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    /** Its processor time so far, in seconds. */
    double cpuSeconds() throws IOException {
        return ProcessMemory.cpuSeconds(process.pid());
    }

    /** From the start of the process to ready. */
    Duration toReady() {
        return toReady;
    }

    /** The namespace whose record it keeps. */
    String namespace() {
        return reader.namespace();
    }

    /** Its uid. */
    String namespaceUid() {
        return reader.namespaceUid();
    }

    /** The page, with the reader's token in the fragment. */
    String page() {
        return "http://127.0.0.1:" + port + "/#token=" + reader.token();
    }

    /** The status of an answer, whose body is read and thrown away. */
    int status(String path) throws IOException, InterruptedException {
        return client.send(request(path), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    /** Bytes of an answer of 200, whose body is read and thrown away. */
    long bytes(String path) throws IOException, InterruptedException {
        HttpResponse<InputStream> answer = client.send(request(path), HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            long bytes = body.transferTo(java.io.OutputStream.nullOutputStream());
            if (answer.statusCode() != 200) {
                throw new IOException(path + " is answered with " + answer.statusCode());
            }
            return bytes;
        }
    }

    /** Whether the text of an answer of 200 is as wanted. */
    boolean answers(String path, Predicate<String> wanted) throws IOException, InterruptedException {
        HttpResponse<String> answer = client.send(request(path), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() == 200 && wanted.test(answer.body());
    }

    /** A path below the runs of the namespace. */
    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + port + "/v1/namespaces/" + reader.namespace() + "/runs" + path))
                .header("Quiver-Token", reader.token())
                .build();
    }

    @Override
    public void close() throws IOException {
        process.close();
        client.close();
    }
}
