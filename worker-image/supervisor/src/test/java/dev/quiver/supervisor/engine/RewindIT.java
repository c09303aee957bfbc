package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.supervisor.PoolFixture;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.TimedExecutor;

/**
 * Redis comes back with the state of a moment before, as after a failover or a crash of its machine. That happens fifty
 * times, under supervisors that settled and claimed since. Work may run again; nothing hangs and nothing counts twice.
 */
@Execution(ExecutionMode.CONCURRENT)
class RewindIT {

    private static final int ROUNDS = 10;
    private static final int FAILING = 5; // one task in so many

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void everyRunEndsWithItsCounts(long seed) {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        Random random = new Random(seed);
        try (RedisProcess redis = RedisProcess.start("--appendonly", "no");
                PoolFixture pool = new PoolFixture(redis.endpoint()).reaping();
                TimedExecutor one = executor(seed);
                TimedExecutor two = executor(-seed);
                Engine first = engine("a", pool, one);
                Engine second = engine("b", pool, two)) {
            first.start();
            second.start();
            for (int round = 0; round < ROUNDS; round++) {
                int tasks = 40 + random.nextInt(200);
                String small = "small-" + round;
                String large = "large-" + round;
                pool.open(small, 10, limits(), "true");
                pool.open(large, tasks, limits(), "true");
                awaitDecided(pool, large, random.nextInt(tasks / 2));
                redis.keep();
                awaitDecided(pool, large, tasks / 2 + random.nextInt(tasks / 2));
                redis.rewind();
                awaitEnd(pool, small, 10);
                awaitEnd(pool, large, tasks);
            }
            first.drain(DrainCause.TERMINATED).join();
            second.drain(DrainCause.TERMINATED).join();
            List<String> held = pool.store().ask(commands -> commands.keys("*:held:*"));
            assertThat(held).as("nothing is held without a holder").isEmpty();
        }
    }

    private static TaskSetLimits limits() {
        return new TaskSetLimits(2, 3, 0, Duration.ZERO);
    }

    private static TimedExecutor executor(long seed) {
        Random lengths = new Random(seed);
        return new TimedExecutor(4, work -> Duration.ofMillis(lengths.nextInt(30)), RewindIT::fails);
    }

    private static boolean fails(RunnableTask task) {
        return Integer.parseInt(task.name()) % FAILING == 0;
    }

    private static Engine engine(String pod, PoolFixture pool, TimedExecutor executor) {
        return new Engine(
                pool.lifecycle().sessions(pool.keyspace()),
                pool.lifecycle().reaper(pool.keyspace()),
                executor,
                new EngineSettings(PoolFixture.worker(pod, executor.slots()), Duration.ZERO),
                new StoreTrouble());
    }

    private static void awaitDecided(PoolFixture pool, String uid, int tasks) {
        await().pollInterval(Duration.ofMillis(2)).until(() -> {
            TaskSetSnapshot now = pool.snapshot(uid);
            return now.succeeded() + now.failed() >= tasks;
        });
    }

    private static void awaitEnd(PoolFixture pool, String uid, int tasks) {
        await().ignoreExceptionsInstanceOf(StoreException.class)
                .until(() -> pool.snapshot(uid).status().isFinal());
        TaskSetSnapshot end = pool.snapshot(uid);
        int failing = (tasks + FAILING - 1) / FAILING;
        assertThat(end.failed()).as("%s", end).isEqualTo(failing);
        assertThat(end.succeeded()).isEqualTo(tasks - failing);
        assertThat(end.running()).isZero();
    }
}
