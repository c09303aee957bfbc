package dev.quiver.supervisor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.quiver.lifecycle.redis.FreePort;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.slots.rig.ChildProcess;

/**
 * A worker pod without Kubernetes: the supervisor's own main and the real agent as two processes over two memory
 * directories.
 */
final class WorkerPod implements AutoCloseable {

    private static final Path AGENT =
            Path.of("../agent/build/quiver-agent").toAbsolutePath().normalize();

    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<String, String> environment = new HashMap<>();
    private final Path directory;
    private final String name;
    private int port;
    private ChildProcess supervisor;
    private ChildProcess agent;
    private List<String> command = List.of(AGENT.toString(), "run");

    private WorkerPod(String name, Path directory) {
        this.name = name;
        this.directory = directory;
    }

    /** The agent's binary, which the build makes before these tests. */
    static boolean agentBuilt() {
        return Files.isExecutable(AGENT);
    }

    /** Directories and environment of a pod; nothing runs yet. */
    static WorkerPod of(String name, PoolFixture pool, RedisEndpoint redis, int slots, Duration drain)
            throws IOException {
        WorkerPod pod = new WorkerPod(name, Files.createTempDirectory(Path.of("/dev/shm"), "quiver-" + name));
        Files.createDirectories(pod.directory.resolve("in"));
        Files.createDirectories(pod.directory.resolve("out"));
        Files.createDirectories(pod.directory.resolve("redis"));
        Files.writeString(pod.directory.resolve("redis/uri"), redis.uri());
        Files.writeString(pod.directory.resolve("redis/mode"), "standalone");
        pod.environment.putAll(Map.of(
                "QUIVER_POOL",
                PoolFixture.POOL,
                "QUIVER_POOL_UID",
                PoolFixture.POOL_UID,
                "QUIVER_POD_NAME",
                name,
                "QUIVER_POD_UID",
                "uid-of-" + name,
                "QUIVER_NODE",
                "node-1",
                "QUIVER_KEYSPACE_PREFIX",
                pool.keyspace().prefix(),
                "QUIVER_SLOTS",
                Integer.toString(slots),
                "QUIVER_INPUT_BYTES",
                "65536",
                "QUIVER_OUTPUT_BYTES",
                "65536"));
        pod.environment.put("QUIVER_DRAIN_SECONDS", Long.toString(drain.toSeconds()));
        pod.environment.put("QUIVER_IN", pod.directory.resolve("in").toString());
        pod.environment.put("QUIVER_OUT", pod.directory.resolve("out").toString());
        pod.environment.put("QUIVER_REDIS", pod.directory.resolve("redis").toString());
        pod.environment.put("QUIVER_HTTP_HOST", "127.0.0.1");
        return pod;
    }

    /** With the agent's example as handler process of each slot: serves upper and count. */
    WorkerPod handling() {
        command = List.of(
                AGENT.toString(), "run", "--", AGENT.resolveSibling("example").toString());
        return this;
    }

    /** Both containers. */
    WorkerPod start() {
        startSupervisor();
        startAgent();
        return this;
    }

    void startSupervisor() {
        port = FreePort.next();
        environment.put("QUIVER_HTTP_PORT", Integer.toString(port));
        supervisor = ChildProcess.start(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx96m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName()),
                environment,
                directory.resolve("supervisor.log"));
    }

    void startAgent() {
        agent = ChildProcess.start(
                command,
                Map.of(
                        "QUIVER_IN", environment.get("QUIVER_IN"),
                        "QUIVER_OUT", environment.get("QUIVER_OUT"),
                        "QUIVER_POD_NAME", name,
                        "QUIVER_DRAIN_SECONDS", environment.get("QUIVER_DRAIN_SECONDS")),
                directory.resolve("agent.log"));
    }

    ChildProcess supervisor() {
        return supervisor;
    }

    ChildProcess agent() {
        return agent;
    }

    /** What {@code quiver-agent slots} prints in the worker's container. */
    String slots() throws InterruptedException {
        try (ChildProcess inspector = ChildProcess.start(
                List.of(AGENT.toString(), "slots"),
                Map.of("QUIVER_IN", environment.get("QUIVER_IN")),
                Files.createTempFile(directory, "slots", ".log"))) {
            inspector.awaitExit();
            return inspector.output();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A directory that commands of the test may write to. */
    Path scratch() throws IOException {
        return Files.createDirectories(directory.resolve("scratch"));
    }

    /** What a GET says: the status, a space, the body; empty while nobody listens. */
    String get(String path) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Patience.LIMIT)
                .build();
        try {
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (IOException e) {
            return "";
        }
    }

    boolean ready() throws InterruptedException {
        return get("/ready").startsWith("200");
    }

    @Override
    public void close() throws IOException {
        client.close();
        for (ChildProcess child : new ChildProcess[] {supervisor, agent}) {
            if (child != null) {
                child.close();
            }
        }
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
