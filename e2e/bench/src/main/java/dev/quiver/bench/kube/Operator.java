package dev.quiver.bench.kube;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import dev.quiver.bench.Lab;
import dev.quiver.bench.process.AotCache;
import dev.quiver.bench.process.Child;
import dev.quiver.bench.process.Http;
import dev.quiver.bench.process.Ports;
import dev.quiver.bench.process.Program;

/** The real operator as a process of this machine. */
public final class Operator implements Closeable {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Child process;
    private final Duration toReady;

    private Operator(Child process, Duration toReady) {
        this.process = process;
        this.toReady = toReady;
    }

    /** The program as its image has it: with an AOT cache from one start. */
    public static Program trained(Lab lab, Path kubeconfig, int redisPort) throws Exception {
        return AotCache.trained(
                lab,
                Program.operator(lab),
                recording -> start(lab, recording, kubeconfig, redisPort).close());
    }

    /** Starts the operator and waits until it is ready: it leads, its caches are warm, its Redis answers. */
    public static Operator start(Lab lab, Program program, Path kubeconfig, int redisPort) throws Exception {
        Path folder = lab.folder("operator");
        Files.writeString(folder.resolve("uri"), "redis://127.0.0.1:" + redisPort);
        int http = Ports.free();
        Map<String, String> environment = new HashMap<>();
        environment.put("KUBECONFIG", kubeconfig.toString());
        environment.put("QUIVER_NAMESPACE", "default");
        environment.put("QUIVER_POD_NAME", "bench");
        environment.put("QUIVER_LEASE_NAME", "quiver-operator");
        environment.put("QUIVER_TENANCY", "shared");
        environment.put("QUIVER_REDIS_DIR", folder.toString());
        environment.put("QUIVER_WORKER_IMAGE", "localhost/quiver/worker:0.1.0");
        environment.put("QUIVER_HTTP_PORT", "" + http);
        environment.put("QUIVER_LOG_FORMAT", "text");
        long from = System.nanoTime();
        Child process = Child.start(folder.resolve("log"), environment, program.command());
        try {
            process.await("a ready operator", PATIENCE, () -> Http.ok(http, "/ready"));
            return new Operator(process, Duration.ofNanos(System.nanoTime() - from));
        } catch (Exception failure) {
            process.close();
            throw failure;
        }
    }

    /** Its process. */
    public Child process() {
        return process;
    }

    /** From the start of the process to ready. */
    public Duration toReady() {
        return toReady;
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
