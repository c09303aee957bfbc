package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.StoreChange;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.lifecycle.taskset.World;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.WorkerSession;

/** On a real Redis Cluster: the contract's main path, and a slot that moves while steps run. */
class SlotMigrationIT {

    private static final int TASKS = 6000;

    private static RedisClusterProcesses cluster;
    private static RedisStore store;

    @BeforeAll
    static void start() {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        cluster = new RedisClusterProcesses();
        store = PatientStore.open(cluster.endpoint(), "cluster");
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            store.close();
            cluster.close();
        }
    }

    @Test
    void losesAndDoublesNoTaskWhileTheSlotMoves() throws Exception {
        World world = new World(new Lifecycle(store));
        int slot = SlotHash.getSlot(world.keyspace.meta());
        world.control.open(
                TaskSetOpening.of("u", "p", World.spec(new ExecutionSpec.TaskSource.Lines()), World.limits(2, 3, 0)));
        for (int offset = 0; offset < TASKS; offset += 200) {
            world.control.feed(
                    "u",
                    offset,
                    IntStream.range(offset, offset + 200)
                            .mapToObj(i -> "line " + i)
                            .toList(),
                    offset + 200 == TASKS);
        }

        Set<Long> passed = ConcurrentHashMap.newKeySet();
        AtomicLong trials = new AtomicLong();
        try (ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                WorkerSession session = world.session("w" + i);
                running.add(workers.submit(() -> work(session, passed, trials)));
            }
            try {
                int moves = 0;
                while (running.stream().noneMatch(Future::isDone)) {
                    cluster.moveSlot(slot);
                    moves++;
                }
                for (Future<?> future : running) {
                    future.get(5, TimeUnit.MINUTES);
                }
                assertThat(moves).as("the slot moved while steps ran").isPositive();
            } finally {
                // Whoever is left after a failure would step for ever.
                workers.shutdownNow();
            }
        }

        TaskSetSnapshot end = world.look("u");
        assertThat(end.status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(end.succeeded()).isEqualTo(TASKS);
        assertThat(passed).hasSize(TASKS);
        assertThat(end.trials()).isEqualTo(trials.get()).isEqualTo(TASKS + TASKS / 10);
        assertThat(end.running()).isZero();
        assertThat(world.lifecycle
                        .health(world.keyspace, 1)
                        .observe(Optional.empty())
                        .change())
                .isEqualTo(new StoreChange.Same());
        world.close();
        world.control.drop("u");
        List<String> left = store.ask(redis -> redis.keys(world.keyspace.prefix() + "taskset*"));
        assertThat(left).allMatch(key -> key.endsWith(":tombstone"));
    }

    /** Every tenth task fails once. */
    private static Void work(WorkerSession session, Set<Long> passed, AtomicLong trials) throws InterruptedException {
        List<Settlement> settlements = List.of();
        while (true) {
            StepCall.Outcome.Done done =
                    (StepCall.Outcome.Done) World.stepUntilKnown(session, "u", settlements, World.places(16));
            for (int i = 0; i < settlements.size(); i++) {
                trials.incrementAndGet();
                boolean fails = settlements.get(i) instanceof Settlement.Failed;
                assertThat(done.verdicts().get(i))
                        .isEqualTo(fails ? StepCall.Verdict.RETRIED : StepCall.Verdict.COUNTED);
                assertThat(fails || passed.add(World.id(settlements.get(i).claim())))
                        .isTrue();
            }
            if (done.status() == SourceStatus.OVER) {
                return null;
            }
            settlements = done.claims().stream()
                    .map(claim -> claim.task().trial() == 1 && World.id(claim) % 10 == 0
                            ? World.failed(claim)
                            : World.passed(claim))
                    .toList();
        }
    }
}
