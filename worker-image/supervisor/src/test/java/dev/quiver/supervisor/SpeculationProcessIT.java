package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.slots.rig.AgentProcess;

/**
 * Tasks that hang where they run first, set after set, and their copies, while the processes of the pods are killed, stopped
 * and drained. Every count is exact at the end of each set. {@code -Dquiver.speculated=…} says how many copies have to run.
 */
class SpeculationProcessIT {

    private static final int COPIES = Integer.getInteger("quiver.speculated", 40);
    private static final int PODS = 3;
    private static final int SLOTS = 8;

    /** So many hang at most that other slots are free. */
    private static final int TASKS = PODS * SLOTS / 2;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @TempDir
    private Path folder;

    private final List<WorkerPod> pods = new ArrayList<>();

    @Test
    void everyTaskPassesOnceWhateverBecomesOfItsHolders() throws IOException {
        AgentProcess.assumeBuilt();
        long seed = Optional.ofNullable(Long.getLong("quiver.seed")).orElseGet(() -> new Random().nextLong() >>> 1);
        Random random = new Random(seed);
        long copies = 0;
        try (PoolFixture pool = new PoolFixture(REDIS.endpoint()).reaping()) {
            for (int i = 0; i < PODS; i++) {
                pods.add(WorkerPod.of("pod-" + i, pool, REDIS.endpoint(), SLOTS, Duration.ofSeconds(1))
                        .start());
            }
            for (int set = 0; copies < COPIES; set++) {
                copies += run(pool, "set-" + set, random, seed);
            }
        } finally {
            pods.forEach(WorkerPod::close);
        }
        System.out.printf("%d copies ran%n", copies);
    }

    /** How many copies ran. */
    private long run(PoolFixture pool, String set, Random random, long seed) throws IOException {
        Path marks = Files.createDirectory(folder.resolve(set));
        ExecutionSpec spec = new ExecutionSpec(
                        set,
                        List.of("sh", "-c", "if mkdir " + marks + "/$QUIVER_INDEX; then exec sleep 600; fi"),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        new ExecutionSpec.TaskSource.Count(TASKS))
                .speculating(true);
        Files.createDirectory(marks.resolve("0")); // the first task passes at once: the others have a mean
        TaskSetLimits limits = new TaskSetLimits(3, 100, 0, Duration.ZERO);
        pool.control().open(TaskSetOpening.of(set, PoolFixture.POOL, spec, limits));
        await(set + " has begun, seed " + seed).until(() -> {
            try (Stream<Path> all = Files.list(marks)) {
                return all.count() > 1;
            }
        });
        accident(pods.get(random.nextInt(PODS)), random.nextInt(6));
        await(set + " has ended, seed " + seed)
                .untilAsserted(() -> assertThat(pool.snapshot(set).status())
                        .as("%s", pool.snapshot(set))
                        .isEqualTo(TaskSetState.SUCCEEDED));
        TaskSetSnapshot now = pool.snapshot(set);
        assertThat(now)
                .as("seed %d", seed)
                .returns((long) TASKS, TaskSetSnapshot::succeeded)
                .returns((long) TASKS, TaskSetSnapshot::trials)
                .returns(0L, TaskSetSnapshot::failed);
        await("no session holds a task of " + set)
                .untilAsserted(() -> assertThat(pool.places()).isEmpty());
        pool.control().drop(set);
        return now.speculated();
    }

    private static void accident(WorkerPod pod, int kind) {
        switch (kind) {
            case 0 -> {
                pod.supervisor().signal("KILL");
                pod.supervisor().awaitEnd();
                pod.startSupervisor();
            }
            case 1 -> {
                pod.agent().signal("KILL");
                pod.agent().awaitEnd();
                pod.startAgent();
            }
            case 2 -> {
                pod.supervisor().signal("KILL");
                pod.supervisor().awaitEnd();
                pod.agent().signal("KILL");
                pod.agent().awaitEnd();
                pod.start();
            }
            case 3 -> {
                pod.supervisor().signal("TERM");
                pod.supervisor().awaitEnd();
                pod.startSupervisor();
            }
            case 4 -> {
                pod.supervisor().signal("STOP");
                await("its lease ends")
                        .pollDelay(Duration.ofSeconds(12))
                        .timeout(Duration.ofMinutes(1))
                        .until(() -> true);
                pod.supervisor().signal("CONT");
            }
            default -> {
                // Nothing happens to this set.
            }
        }
    }
}
