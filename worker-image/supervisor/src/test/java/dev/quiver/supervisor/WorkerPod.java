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

import dev.quiver.lifecycle.redis.FreePort;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.ChildProcess;
import dev.quiver.slots.rig.Patience;
import dev.quiver.slots.rig.Volumes;

/**
 * A worker pod without Kubernetes: the supervisor's own main and the real agent as two processes over volumes in memory.
 * The tests of the slots have an {@link dev.quiver.slots.rig.AgentPod}, where the board of the test stands for the
 * supervisor.
 */
final class WorkerPod implements AutoCloseable {

    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<String, String> environment = new HashMap<>();
    private final Volumes volumes;
    private final String name;
    private int port;
    private ChildProcess supervisor;
    private AgentProcess agent;
    private String[] handler = {};
    private final Map<String, String> container = new HashMap<>();

    private WorkerPod(String name) {
        this.name = name;
        this.volumes = Volumes.create("quiver-" + name);
    }

    /** Directories and environment of a pod; nothing runs yet. */
    static WorkerPod of(String name, PoolFixture pool, RedisEndpoint redis, int slots, Duration drain)
            throws IOException {
        WorkerPod pod = new WorkerPod(name);
        Path access = Files.createDirectory(pod.volumes.root().resolve("redis"));
        Files.writeString(access.resolve("uri"), redis.uri());
        Files.writeString(access.resolve("mode"), "standalone");
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
        pod.environment.put("QUIVER_IN", pod.volumes.in().toString());
        pod.environment.put("QUIVER_OUT", pod.volumes.out().toString());
        pod.environment.put("QUIVER_WHOLE", pod.volumes.whole().toString());
        pod.environment.put("QUIVER_REDIS", access.toString());
        pod.environment.put("QUIVER_HTTP_HOST", "127.0.0.1");
        return pod;
    }

    /** With the agent's example as handler process of each slot: serves upper and count. */
    WorkerPod handling() {
        handler = new String[] {AgentProcess.EXAMPLE};
        return this;
    }

    /** With this command as handler process of each slot, and variables of the worker's container. */
    WorkerPod serving(List<String> command, Map<String, String> variables) {
        handler = command.toArray(String[]::new);
        container.putAll(variables);
        return this;
    }

    /** With so many bytes for the input of each slot. */
    WorkerPod reading(int bytes) {
        environment.put("QUIVER_INPUT_BYTES", Integer.toString(bytes));
        return this;
    }

    /** With so many bytes for the output of each slot. */
    WorkerPod writing(int bytes) {
        environment.put("QUIVER_OUTPUT_BYTES", Integer.toString(bytes));
        return this;
    }

    /** With so much heap for the supervisor, which ends where that is not enough, as in its image. */
    WorkerPod withHeap(String size) {
        environment.put("JAVA_TOOL_OPTIONS", "-Xmx" + size + " -XX:+ExitOnOutOfMemoryError");
        return this;
    }

    /** With a variable of the supervisor's environment. */
    WorkerPod with(String name, String value) {
        environment.put(name, value);
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
                ChildProcess.java(Main.class), environment, volumes.root().resolve("supervisor.log"));
    }

    void startAgent() {
        Map<String, String> variables = new HashMap<>(container);
        variables.put("QUIVER_POD_NAME", name);
        variables.put("QUIVER_DRAIN_SECONDS", environment.get("QUIVER_DRAIN_SECONDS"));
        agent = AgentProcess.start(volumes, variables, handler);
    }

    ChildProcess supervisor() {
        return supervisor;
    }

    AgentProcess agent() {
        return agent;
    }

    /** The output of {@code quiver-agent slots} in the worker's container. */
    String slots() {
        try (ChildProcess inspector = ChildProcess.start(
                List.of(AgentProcess.BINARY, "slots"),
                Map.of("QUIVER_IN", environment.get("QUIVER_IN")),
                Files.createTempFile(volumes.root(), "slots", ".log"))) {
            inspector.awaitEnd();
            return inspector.output();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The volume for all that commands print. */
    Path whole() {
        return volumes.whole();
    }

    /** A directory that commands of the test may write to. */
    Path scratch() throws IOException {
        return Files.createDirectories(volumes.root().resolve("scratch"));
    }

    /** The answer to a GET: the status, a space, the body; empty while nobody listens. */
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
    public void close() {
        client.close();
        if (supervisor != null) {
            supervisor.close();
        }
        if (agent != null) {
            agent.kill();
        }
        volumes.close();
    }
}
