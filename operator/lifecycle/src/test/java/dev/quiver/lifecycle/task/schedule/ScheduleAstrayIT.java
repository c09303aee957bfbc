package dev.quiver.lifecycle.task.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.commands.ScheduleFire;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeRecord;
import dev.quiver.lifecycle.task.schedule.TaskSchedules.Before;
import dev.quiver.lifecycle.worker.CallBudget;

/** Schedules after a clock that was wrong for a tick, and the openings of runs whose schedule has changed or is gone. */
class ScheduleAstrayIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String UID = "u";

    private World world;
    private TaskSchedules schedules;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        schedules = new Lifecycle(world.store).schedules(world.keyspace, 7);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void put(String cron, String name) {
        TaskTree template = TaskTree.of(UID, World.leaf(name))
                .recorded(Optional.of(
                        new TreeRecord(Recording.DEFAULT, RunOpening.of(RunKind.TASK, "nightly", 1000, 0))));
        schedules.put(ScheduleSpec.of(cron, "Etc/UTC"), template, Before.NONE);
    }

    private Instant next() {
        return Instant.ofEpochMilli(
                Long.parseLong(world.store.ask(redis -> redis.hget(world.keys.schedule(UID), "next_at"))));
    }

    private void fireAt(Instant time) {
        String at = Long.toString(time.toEpochMilli());
        String before = Long.toString(next().toEpochMilli());
        world.store.ask(redis -> redis.zrem(world.keys.commands(), "fire\t" + UID + "\t" + before + "\t\t0"));
        world.store.ask(redis -> redis.hset(world.keys.schedule(UID), "next_at", at));
        world.store.ask(redis ->
                redis.zadd(world.keys.commands(), (double) time.toEpochMilli(), "fire\t" + UID + "\t" + at + "\t\t0"));
    }

    private List<String> commands() {
        return world.store.ask(redis -> redis.zrange(world.keys.commands(), 0, -1));
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 24 * 60, 365 * 24 * 60})
    void aClockThatWasAheadForOneTickDoesNotSilenceAScheduleForAsLong(long minutes) {
        put("* * * * *", "a");
        Instant ahead = next().plus(Duration.ofMinutes(minutes)); // as a tick computed while the clock was ahead
        fireAt(ahead);
        put("* * * * *", "a");
        assertThat(next()).isBefore(ScheduleFire.now(world.store).plusSeconds(61));
        assertThat(commands()).hasSize(1);
    }

    @Test
    void aClockThatIsSetBackALittleBeginsNoRunTwice() {
        put("* * * * *", "a");
        Instant after = next().plus(Duration.ofMinutes(1)); // the run of the next minute has begun already
        fireAt(after);
        put("* * * * *", "a");
        Instant now = ScheduleFire.now(world.store);
        assertThat(next()).isIn(after, after.plus(Duration.ofMinutes(1))).isAfter(now);
        assertThat(commands()).hasSize(1);
    }

    /** Begins a run, as a process that dies before it runs what the fire leaves. */
    private void fire() {
        Instant due = ScheduleFire.now(world.store).minusSeconds(1);
        fireAt(due);
        String command = "fire\t" + UID + "\t" + due.toEpochMilli() + "\t\t0";
        assertThat(new ScheduleFire(world.store, world.keyspace).fire(command, new CallBudget(10)))
                .isPresent();
        assertThat(commands()).filteredOn(left -> left.startsWith("opened\t")).hasSize(1);
    }

    @Test
    void theOpeningOfARunWhoseScheduleWasChangedIsOnRecord() {
        put("@yearly", "a");
        fire();
        put("@yearly", "b");
        world.tick();
        assertThat(RecordedEntries.of(world.store, world.keyspace).of(HistoryEntry.Opened.class))
                .extracting(HistoryEntry.Opened::uid)
                .containsExactly("u-1");
    }

    @Test
    void nothingIsLeftOfARunThatIsGoneWithItsSchedule() {
        put("@yearly", "a");
        fire();
        schedules.drop(UID, 1);
        world.trees.drop("u-1", 1);
        for (int i = 0; i < 3; i++) {
            world.tick();
        }
        assertThat(commands()).isEmpty();
        assertThat(world.store.<List<String>>ask(redis -> redis.zrange(world.keyspace.delayed(), 0, -1)))
                .isEmpty();
        assertThat(world.store.<Boolean>ask(redis -> redis.hexists(world.keyspace.records(), "u-1")))
                .isFalse();
    }
}
