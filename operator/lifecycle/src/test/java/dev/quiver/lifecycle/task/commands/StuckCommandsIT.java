package dev.quiver.lifecycle.task.commands;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.task.schedule.ScheduleSpec;
import dev.quiver.lifecycle.task.schedule.TaskSchedules;
import dev.quiver.lifecycle.task.schedule.TaskSchedules.Before;
import dev.quiver.lifecycle.worker.CallBudget;

/** Commands that cannot be run keep no other ones back, however many they are, and run when they can. */
class StuckCommandsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final int KEPT = 300;

    /** Ticks in which everything that can be run is to be run. */
    private static final int TICKS = 4;

    private World world;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
    }

    @AfterEach
    void close() {
        full(false);
        world.close();
    }

    private void full(boolean full) {
        world.store.ask(redis -> redis.configSet("maxmemory", full ? "1" : "0"));
    }

    private long kept() {
        return world.store.<Long>ask(redis -> redis.hlen(world.keys.results()));
    }

    /** Trees that have ended and are due to be swept, behind all commands that are put before now. */
    private void keepResults() {
        for (int i = 0; i < KEPT; i++) {
            world.trees.create(new TaskTree(
                    "t" + i,
                    World.leaf("x"),
                    Optional.empty(),
                    false,
                    Optional.empty(),
                    Duration.ZERO,
                    Optional.of(Duration.ofHours(1))));
        }
        world.work(world.worker("p", "h"), claim -> Optional.of("\"" + "r".repeat(1000) + "\""));
    }

    /** As a tick of the upkeep does. */
    private void promote() {
        new TaskQueues(world.store, world.keyspace).promote("tasks:", new CallBudget(500));
    }

    private void sweepNow() {
        double now = ScheduleFire.now(world.store).toEpochMilli();
        world.store.<List<String>>ask(redis -> redis.zrange(world.keys.commands(), 0, -1)).stream()
                .filter(command -> command.startsWith("sweep\t"))
                .forEach(sweep -> world.store.ask(redis -> redis.zadd(world.keys.commands(), now, sweep)));
    }

    private void assertSwept() {
        for (int tick = 0; tick < TICKS && kept() > 0; tick++) {
            promote();
        }
        assertThat(kept()).isZero();
    }

    private void fireInTheLastHour(int schedules) {
        TaskSchedules control = new Lifecycle(world.store).schedules(world.keyspace, 7);
        String hour = Long.toString(ScheduleFire.now(world.store).toEpochMilli() - 60_000);
        for (int i = 0; i < schedules; i++) {
            String uid = "s" + i;
            control.put(ScheduleSpec.of("@hourly", "Etc/UTC"), TaskTree.of(uid, World.leaf("a")), Before.NONE);
            String schedule = world.keys.schedule(uid);
            String next = world.store.ask(redis -> redis.hget(schedule, "next_at"));
            world.store.ask(redis -> redis.zrem(world.keys.commands(), "fire\t" + uid + "\t" + next + "\t\t0"));
            world.store.ask(redis -> redis.hset(schedule, "next_at", hour));
            world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, "fire\t" + uid + "\t" + hour + "\t\t0"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 63, 200, 600})
    void schedulesThatWaitForMemoryDoNotKeepTheSweepsBackThatFreeIt(int stuck) {
        keepResults();
        fireInTheLastHour(stuck);
        sweepNow();
        full(true);
        assertSwept();
        full(false);
        for (int tick = 0; tick < 2 + stuck / 100; tick++) {
            promote();
        }
        for (int i = 0; i < stuck; i++) {
            assertThat(world.trees.find("s" + i + "-1")).isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nobody\tknows\tit\t\t", "begin\tno node\t\tp\t", "opened\tx-1\t\t\t", "iterate\tx\t\tno pool\t"
            })
    void commandsThatNobodyCanRunKeepNoOtherOneBack(String command) {
        for (int i = 0; i < 3000; i++) {
            String each = command + i;
            world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, each));
        }
        keepResults();
        sweepNow();
        assertSwept();
    }

    @Test
    void aCommandIsPutOffForLongerEachTimeAndKeepsNoTickBusy() {
        String stuck = "nobody\tknows\tit\t\t1";
        world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, stuck));
        world.store.ask(redis -> redis.zadd(world.keyspace.delayed(), 1, "tasks:"));
        double wait = 0;
        for (int times = 1; times <= 20; times++) {
            long before = ScheduleFire.now(world.store).toEpochMilli();
            promote();
            double score = world.store.<Double>ask(redis -> redis.zscore(world.keys.commands(), stuck));
            assertThat(score - before)
                    .isGreaterThanOrEqualTo(Math.min(wait, 10_000))
                    .isLessThan(70_000);
            wait = Math.min(1000 * Math.pow(2, times - 1), 10_000);
            assertThat(score - before).isGreaterThanOrEqualTo(wait);
            assertThat(world.store.<Double>ask(redis -> redis.zscore(world.keyspace.delayed(), "tasks:")))
                    .isEqualTo(score);
            double fraction = score - Math.floor(score);
            assertThat(fraction).isEqualTo(Math.min(times, 15) / 16.0);
            world.store.ask(redis -> redis.zadd(world.keys.commands(), 1 + fraction, stuck));
            world.store.ask(redis -> redis.zadd(world.keyspace.delayed(), 1, "tasks:"));
        }
    }
}
