package dev.quiver.bench.quiver;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import dev.quiver.bench.Folders;
import dev.quiver.bench.Lab;
import dev.quiver.bench.process.Child;
import dev.quiver.bench.process.Http;
import dev.quiver.bench.process.Ports;
import dev.quiver.bench.process.Program;

/**
 * The parts of a worker pod as processes of this machine, over slots in /dev/shm. They are an executor and the
 * supervisor, started as its image starts it.
 */
public final class Worker implements Closeable {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Container supervisor;
    private final Container executor;
    private final Path shared;
    private final long startedNanos;
    private final Duration toReady;

    private Worker(Container supervisor, Container executor, Path shared, long startedNanos, Duration toReady) {
        this.supervisor = supervisor;
        this.executor = executor;
        this.shared = shared;
        this.startedNanos = startedNanos;
        this.toReady = toReady;
    }

    /** A container of the pod: a process that can be started anew. */
    private static final class Container implements Closeable {
        private final Path log;
        private final Map<String, String> environment;
        private final List<String> command;
        private Child process;

        Container(Path log, Map<String, String> environment, List<String> command) throws IOException {
            this.log = log;
            this.environment = environment;
            this.command = command;
            this.process = Child.start(log, environment, command);
        }

        void revive() throws IOException {
            if (!process.alive()) {
                process.close();
                process = Child.start(log, environment, command);
            }
        }

        @Override
        public void close() throws IOException {
            process.close();
        }
    }

    /**
     * The pod that the worker plays.
     *
     * @param namespace of its keyspace
     * @param pool its name
     * @param poolUid its uid, announced already
     * @param podName of the pod
     * @param podUid of the pod
     * @param slots tasks at a time
     * @param regionBytes of a slot's input, and of its output
     */
    public record Post(
            String namespace, String pool, String poolUid, String podName, String podUid, int slots, int regionBytes) {

        private static final int REGION_BYTES = 64 << 10;

        /** A pod with regions for small tasks. */
        public Post(String namespace, String pool, String poolUid, String podName, String podUid, int slots) {
            this(namespace, pool, poolUid, podName, podUid, slots, REGION_BYTES);
        }

        /** A new pod. */
        public Post(String namespace, String pool, String poolUid, int slots) {
            this(namespace, pool, poolUid, pool + "-0", UUID.randomUUID().toString(), slots);
        }

        /** The same with other regions. */
        public Post withRegions(int bytes) {
            return new Post(namespace, pool, poolUid, podName, podUid, slots, bytes);
        }
    }

    /**
     * Starts both and waits until the supervisor is ready.
     *
     * @param program the supervisor
     * @param redisPort of the Redis that the supervisor uses
     * @param executor in the container's place
     */
    public static Worker start(Lab lab, Program program, Post post, int redisPort, ExecutorProgram executor)
            throws Exception {
        Path shared = Files.createTempDirectory(Path.of("/dev/shm"), "quiver-bench-");
        Path in = Files.createDirectory(shared.resolve("in"));
        Path out = Files.createDirectory(shared.resolve("out"));
        Path redis = lab.folder("endpoint");
        Files.writeString(redis.resolve("uri"), "redis://127.0.0.1:" + redisPort);
        int http = Ports.free();
        Map<String, String> environment = new HashMap<>();
        environment.put("QUIVER_POOL", post.pool());
        environment.put("QUIVER_POOL_UID", post.poolUid());
        environment.put("QUIVER_POD_NAME", post.podName());
        environment.put("QUIVER_POD_UID", post.podUid());
        environment.put("QUIVER_NODE", "here");
        environment.put("QUIVER_KEYSPACE_PREFIX", "quiver:{" + post.namespace() + "}:");
        environment.put("QUIVER_SLOTS", "" + post.slots());
        environment.put("QUIVER_INPUT_BYTES", "" + post.regionBytes());
        environment.put("QUIVER_OUTPUT_BYTES", "" + post.regionBytes());
        environment.put("QUIVER_DRAIN_SECONDS", "0");
        environment.put("QUIVER_IN", in.toString());
        environment.put("QUIVER_OUT", out.toString());
        environment.put("QUIVER_REDIS", redis.toString());
        environment.put("QUIVER_HTTP_PORT", "" + http);
        Path logs = lab.folder("worker");
        long from = System.nanoTime();
        Container supervisor = new Container(logs.resolve("supervisor"), environment, program.command());
        Map<String, String> around = new HashMap<>(executor.environment());
        around.putAll(environment);
        Container agent = new Container(logs.resolve("executor"), around, executor.command());
        try {
            supervisor.process.await("a ready supervisor", PATIENCE, () -> Http.ok(http, "/ready"));
        } catch (Exception failure) {
            failure.addSuppressed(new IOException(agent.process.lastWords()));
            new Worker(supervisor, agent, shared, from, Duration.ZERO).close();
            throw failure;
        }
        return new Worker(supervisor, agent, shared, from, Duration.ofNanos(System.nanoTime() - from));
    }

    /** The supervisor's process. */
    public Child supervisor() {
        return supervisor.process;
    }

    /** The executor's process; each of its runners is a child of it. */
    public Child executor() {
        return executor.process;
    }

    /** Starts again what has ended, as the kubelet does. */
    public void revive() throws IOException {
        supervisor.revive();
        executor.revive();
    }

    /** When the supervisor's process was started first, by {@link System#nanoTime()}. */
    public long startedNanos() {
        return startedNanos;
    }

    /** From the start of the process to ready: slots laid out, Redis session held, executor connected. */
    public Duration toReady() {
        return toReady;
    }

    @Override
    public void close() throws IOException {
        supervisor.close();
        executor.close();
        Folders.delete(shared);
    }
}
