package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.wires.queue.QueueType;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/**
 * A pod of real parts beside work that waits and that nobody is given. It asks for it now and then, and not at once
 * again.
 */
class IdleWorkersIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final long TERM = 1;
    private static final long ROOM = 1_600_000;
    private static final int SECONDS = 4;

    /** A worker that is idle makes about three; one that is woken by its own token makes thousands. */
    private static final int CALLS_A_SECOND = 40;

    private PoolFixture pool;
    private WorkerPod pod;

    @BeforeEach
    void startPod() throws IOException {
        AgentProcess.assumeBuilt();
        REDIS.store().ask(redis -> redis.flushall());
        pool = new PoolFixture(REDIS.endpoint());
        pod = WorkerPod.of("a", pool, REDIS.endpoint(), 2, Patience.LIMIT)
                .handling()
                .start();
        await("the pod is ready").until(pod::ready);
    }

    @AfterEach
    void close() throws IOException {
        if (pod != null) {
            pod.close();
        }
        if (pool != null) {
            pool.close();
        }
    }

    private static long calls() {
        return REDIS.store()
                .<String>ask(redis -> redis.info("commandstats"))
                .lines()
                .filter(line -> line.matches("cmdstat_(fcall|evalsha|eval|blpop):.*"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("^[^:]*:calls=(\\d+),.*", "$1")))
                .sum();
    }

    private static void assertNobodySpins() {
        await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
        long before = calls();
        await().pollDelay(Duration.ofSeconds(SECONDS)).until(() -> true);
        assertThat((calls() - before) / SECONDS).isLessThan(CALLS_A_SECOND);
    }

    private void fill(long bytes) {
        pool.store()
                .ask(redis -> redis.hset(
                        pool.keyspace().meta(),
                        Map.of("history_most", Long.toString(ROOM), "history_bytes", Long.toString(bytes))));
    }

    private void openWaiting(String uid) {
        ExecutionSpec spec = new ExecutionSpec(
                        uid,
                        List.of("true"),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        new ExecutionSpec.TaskSource.Count(10))
                .recorded(Optional.of(Recording.DEFAULT));
        RunOpening run = RunOpening.of(RunKind.TASK_SET, uid, 1000, 10);
        pool.control()
                .open(TaskSetOpening.of(uid, PoolFixture.POOL, spec, TaskSetLimits.DEFAULT)
                        .recorded(Optional.of(new RunRecord(run, true))));
    }

    private void awaitPassed(String uid, long tasks) {
        await(uid).until(() -> pool.snapshot(uid).succeeded() == tasks);
    }

    @Test
    void setsThatWaitForTheRecordHideNoOtherSet() {
        fill(ROOM * 6 / 16);
        for (int i = 0; i < 8; i++) {
            openWaiting("waits-" + i);
        }
        assertNobodySpins();
        pool.open("free", 20, TaskSetLimits.DEFAULT, "true");
        awaitPassed("free", 20);
        assertThat(pool.snapshot("waits-0").succeeded()).isZero();
        fill(0);
        awaitPassed("waits-0", 10);
        awaitPassed("waits-7", 10);
    }

    @Test
    void aSuspendedSetWakesNobody() {
        pool.open("set", 100_000, TaskSetLimits.DEFAULT, "true");
        await().until(() -> pool.snapshot("set").succeeded() > 0);
        pool.end("set", new StatusChange.Suspend());
        assertNobodySpins();
    }

    @Test
    void jobsOfATypeThatNobodyRunsWakeNobody() {
        String prefix = "queue:";
        pool.lifecycle()
                .queueGrants(pool.keyspace(), TERM)
                .grant(
                        PoolFixture.POOL,
                        prefix,
                        List.of(new QueueType("upper", "upper", 2, Duration.ofMillis(50), Duration.ofSeconds(3))));
        for (int i = 0; i < 3; i++) {
            String job = prefix + "other:" + i;
            pool.store()
                    .ask(redis ->
                            redis.hset(job, Map.of("data", "1", "type", "other", "retries", "0", "state", "pending")));
            pool.store().ask(redis -> redis.sadd(prefix + "pending", job));
        }
        assertNobodySpins();
    }

    @Test
    void tasksAndCommandsOfIdoitThatNobodyRunsWakeNobody() {
        String prefix = "idoit:";
        pool.lifecycle().grants(pool.keyspace(), TERM).grant(PoolFixture.POOL, prefix, List.of());
        for (int i = 0; i < 3; i++) {
            String id = "00000000000000" + i;
            pool.store()
                    .ask(redis -> redis.hset(
                            prefix + id,
                            Map.of(
                                    "id", "\"" + id + "\"",
                                    "name", "\"other\"",
                                    "uid", "\"uid\"",
                                    "state", "\"startable\"",
                                    "pool", "\"" + PoolFixture.POOL + "\"",
                                    "args", "[]")));
            pool.store().ask(redis -> redis.sadd(prefix + PoolFixture.POOL + ":startable", id));
        }
        pool.store().ask(redis -> redis.zadd(prefix + PoolFixture.POOL + ":commands", 1, "{\"type\":\"npm's own\"}"));
        assertNobodySpins();
    }
}
