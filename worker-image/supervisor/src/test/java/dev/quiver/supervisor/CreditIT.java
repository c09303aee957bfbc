package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.slots.rig.AgentProcess;

/**
 * A supervisor that is killed while it feeds its slots from the prefetch queue, again and again. Each task gets the credit
 * of its own run. Every odd task fails always, so a credit that went astray shows in the counts.
 */
@Execution(ExecutionMode.CONCURRENT)
class CreditIT {

    private static final int SLOTS = 8;
    private static final int TASKS = 80;
    private static final int KILLS = 6;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void noTaskIsCreditedWithTheRunOfAnother() throws Exception {
        AgentProcess.assumeBuilt();
        try (PoolFixture pool = new PoolFixture(REDIS.endpoint()).reaping();
                WorkerPod pod = WorkerPod.of("a", pool, REDIS.endpoint(), SLOTS, Duration.ofMinutes(5))) {
            Path starts = Files.createFile(pod.scratch().resolve("starts"));
            Path ends = Files.createFile(pod.scratch().resolve("ends"));
            pool.open(
                    "set-1",
                    TASKS,
                    new TaskSetLimits(2, 100, 0, Duration.ZERO),
                    "/bin/sh",
                    "-c",
                    "echo $QUIVER_TASK >> " + starts + "; sleep 0.6; echo $QUIVER_TASK >> " + ends
                            + "; exit $((QUIVER_TASK % 2))");
            pod.start();
            for (int kill = 0; kill < KILLS; kill++) {
                long before = Files.readAllLines(ends).size();
                int wave = SLOTS / 2 + kill;
                await().pollInterval(Duration.ofMillis(5))
                        .until(() -> Files.readAllLines(ends).size() >= before + wave);
                pod.supervisor().signal("KILL");
                pod.supervisor().awaitEnd();
                pod.startSupervisor();
            }
            await().until(() -> pool.snapshot("set-1").status().isFinal());
            TaskSetSnapshot end = pool.snapshot("set-1");
            assertThat(end.failed()).as("%s", end).isEqualTo(TASKS / 2);
            assertThat(end.succeeded()).isEqualTo(TASKS / 2);
            assertThat(Files.readAllLines(ends)).as("ran to their end").containsAll(names());
        }
    }

    private static List<String> names() {
        return IntStream.range(0, TASKS).mapToObj(Integer::toString).toList();
    }
}
