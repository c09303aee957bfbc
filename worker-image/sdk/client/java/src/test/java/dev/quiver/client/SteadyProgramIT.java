package dev.quiver.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.LossyProxy;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisServer;

/** The program that takes part in the chaos on a cluster, beside accidents of its way to Redis and of Redis' memory. */
class SteadyProgramIT {

    /** Longer than the program is patient. */
    private static final Duration ACCIDENT = Duration.ofSeconds(4);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void whatItWasToldOfIsThereOnceAndRight() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        try (Workers workers = new Workers(REDIS.process(), "steady").start();
                LossyProxy proxy = new LossyProxy(REDIS.process().port())) {
            int port = Integer.parseInt(proxy.endpoint().uri().replaceAll(".*:", ""));
            CompletableFuture<SteadyProgram.Report> program = CompletableFuture.supplyAsync(
                    () -> run(RedisEndpoint.standalone(Workers.uri(port)), workers, stop), Thread::startVirtualThread);
            for (boolean reply : List.of(true, false, true)) {
                int seen = trees(workers).size();
                Awaitility.await("more jobs").until(() -> trees(workers).size() > seen);
                proxy.loseAllAfter(0, reply);
                Awaitility.await("more than its patience").pollDelay(ACCIDENT).until(() -> true);
                proxy.disarm();
            }
            stop.set(true);
            SteadyProgram.Report report = program.get(5, TimeUnit.MINUTES);
            assertThat(report.wrong()).isEmpty();
            assertThat(report.troubles()).containsKey("StoreUnreachableException");
            assertThat(trees(workers)).containsExactlyInAnyOrderElementsOf(report.jobs());
        }
    }

    private static SteadyProgram.Report run(RedisEndpoint redis, Workers workers, AtomicBoolean stop) {
        try {
            return SteadyProgram.run(redis, workers.keyspace, "default", stop::get);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> trees(Workers workers) {
        return List.copyOf(workers.lifecycle.trees(workers.keyspace).present("*"));
    }
}
