package dev.quiver.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.FreePort;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisClusterProcesses;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisMode;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** Jobs on a Redis Cluster, and behind a Sentinel. */
class ClientDeploymentsIT {

    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    @BeforeEach
    void needsRedis() {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
    }

    private static void runsJobs(RedisEndpoint redis, List<RedisEndpoint> servers) throws Exception {
        for (RedisEndpoint server : servers) {
            try (RedisStore alone = PatientStore.open(server, "operator")) {
                alone.ask(all -> all.functionLoad(Lifecycle.LIBRARY.source(), true));
            }
        }
        Keyspace keyspace = Keyspace.ofNamespace("deployed");
        try (RedisStore operator = PatientStore.open(redis, "operator", Lifecycle.LIBRARY)) {
            Lifecycle lifecycle = new Lifecycle(operator);
            Awaitility.await().ignoreExceptions().atMost(LONG).until(() -> {
                lifecycle.health(keyspace, 1).observe(Optional.empty());
                return true;
            });
            lifecycle.pools(keyspace, 1).announce("default", "default-uid");
            WorkerIdentity identity = new WorkerIdentity("default", "default-uid", "pod", "pod-uid", "node", 8);
            try (QuiverClient quiver = QuiverClient.open(redis, keyspace, "default", LONG);
                    WorkerSession session = ((WorkerSessions.Outcome.Opened)
                                    lifecycle.sessions(keyspace).open(identity))
                            .session()) {
                List<Handle> all = quiver.submit(List.of(
                        Job.call("echo"), Job.chain(Job.call("echo"), Job.group(Job.call("echo"), Job.call("echo")))));
                work(session);
                quiver.awaitAll(all, LONG);
                assertThat(quiver.results(all).stream()
                                .map(result -> result.get().toString()))
                        .containsExactly("7", "[7,7]");
            }
        }
    }

    /** Settles four calls with 7. */
    private static void work(WorkerSession session) {
        var source = session.source("tasks:default").orElseThrow();
        List<Place> places =
                IntStream.range(0, 8).mapToObj(i -> Place.slot(i, 1)).toList();
        List<Settlement> settlements = List.of();
        int ran = 0;
        while (ran < 4 || !settlements.isEmpty()) {
            var done = (StepCall.Outcome.Done) source.prepare(new StepRequest(settlements, places, List.of("echo")))
                    .run();
            settlements = done.claims().stream()
                    .<Settlement>map(claim ->
                            new Settlement.Passed(claim, Duration.ofMillis(1), Optional.of(TaskResult.of("7"))))
                    .toList();
            ran += settlements.size();
            done.rest().ifPresent(Runnable::run);
        }
    }

    @Test
    void jobsRunOnACluster() throws Exception {
        try (RedisClusterProcesses cluster = new RedisClusterProcesses()) {
            runsJobs(cluster.endpoint(), cluster.servers());
        }
    }

    @Test
    void jobsRunBehindASentinel() throws Exception {
        try (RedisProcess master = RedisProcess.start()) {
            int port = FreePort.next();
            Path config = folder.resolve("sentinel.conf");
            Files.write(
                    config,
                    List.of(
                            "port " + port,
                            "bind 127.0.0.1",
                            "dir " + folder,
                            "sentinel monitor m 127.0.0.1 " + master.port() + " 1"));
            Process sentinel = new ProcessBuilder("redis-server", config.toString(), "--sentinel")
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("sentinel.log").toFile())
                    .start();
            try {
                runsJobs(
                        new RedisEndpoint(
                                "redis-sentinel://127.0.0.1:" + port + "#m", RedisMode.SENTINEL, Optional.empty()),
                        List.of(master.endpoint()));
            } finally {
                sentinel.destroyForcibly();
                sentinel.waitFor();
            }
        }
    }
}
