package dev.quiver.lifecycle.task.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeRecord;
import dev.quiver.lifecycle.task.schedule.TaskSchedules.Before;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.WorkSource;

/** A run is opened before the leader has told the keyspace how much room the record has: nothing of it may be lost. */
class FirstRunsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final long ROOM = 1 << 30;

    /** The words about the record that the keyspace was told before the run is opened. */
    enum Known {
        /** It is new: nobody has told it anything. */
        NOTHING(world -> world.store.ask(redis -> redis.hdel(world.keyspace.meta(), "history_most"))),
        /** It was emptied under an operator that had told it. */
        EMPTIED(world -> world.store.ask(redis -> redis.del(world.keyspace.meta()))),
        /** It had told so, and the store went back to a time before that. */
        REWOUND(world -> {
            health(world).recording(ROOM).beat();
            world.store.ask(redis -> redis.hdel(world.keyspace.meta(), "history_most"));
            world.store.ask(redis -> redis.hset(world.keyspace.meta(), "beat", "0"));
        }),
        /** The operator before this one had no history. */
        NO_HISTORY(world -> health(world).beat()),
        /** The usual order. */
        ROOM_OF_THE_RECORD(world -> health(world).recording(ROOM).beat());

        private final Consumer<World> before;

        Known(Consumer<World> before) {
            this.before = before;
        }
    }

    private World world;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static KeyspaceHealth health(World world) {
        return new Lifecycle(world.store).health(world.keyspace, 1);
    }

    private RecordedEntries entries() {
        return RecordedEntries.of(world.store, world.keyspace);
    }

    private void assertRecorded(String run, int trials) {
        assertThat(entries().of(HistoryEntry.Opened.class))
                .extracting(HistoryEntry.Opened::uid)
                .containsExactly(run);
        assertThat(entries().rows()).hasSize(trials);
        assertThat(entries().of(HistoryEntry.Ended.class))
                .extracting(HistoryEntry.Ended::uid)
                .containsExactly(run);
    }

    private static TaskTree tree(String id) {
        return TaskTree.of(id, World.chain(World.leaf("one"), World.leaf("two")))
                .recorded(Optional.of(
                        new TreeRecord(Recording.DEFAULT, RunOpening.of(RunKind.TASK, "nightly", 1000, 0))));
    }

    private void workAll() {
        world.work(world.worker("p", "h"), claim -> Optional.of("1"));
        world.tick();
    }

    @ParameterizedTest
    @EnumSource
    void ofATree(Known known) {
        known.before.accept(world);
        world.trees.create(tree("t"));
        workAll();
        assertRecorded("t", 2);
    }

    @ParameterizedTest
    @EnumSource
    void ofATaskSet(Known known) {
        known.before.accept(world);
        ExecutionSpec spec = new ExecutionSpec(
                        "nightly",
                        List.of("true"),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        new ExecutionSpec.TaskSource.Count(2))
                .recorded(Optional.of(Recording.DEFAULT));
        RunOpening run = RunOpening.of(RunKind.TASK_SET, "nightly", 1000, 2);
        new Lifecycle(world.store)
                .control(world.keyspace, 1)
                .open(TaskSetOpening.of("u", "p", spec, TaskSetLimits.DEFAULT)
                        .recorded(Optional.of(new RunRecord(run, false))));
        World.Worker worker = world.worker("p", "h");
        WorkSource source = worker.at("u").orElseThrow();
        worker.step(
                source,
                worker.claim(source, 2).stream()
                        .map(claim -> World.passed(claim, "1"))
                        .toList(),
                0);
        assertRecorded("u", 2);
    }

    @ParameterizedTest
    @EnumSource
    void ofASchedule(Known known) {
        known.before.accept(world);
        TaskSchedules schedules = new TaskSchedules(new LeaderCalls(world.store, world.keyspace, 1));
        schedules.put(ScheduleSpec.of("* * * * *", "UTC"), tree("uid"), Before.NONE);
        String due = Long.toString(Instant.now().toEpochMilli() / 60_000 * 60_000);
        String schedule = world.keys.schedule("uid");
        String next = world.store.ask(redis -> redis.hget(schedule, "next_at"));
        world.store.ask(redis -> redis.zrem(world.keys.commands(), "fire\tuid\t" + next + "\t\t0"));
        world.store.ask(redis -> redis.hset(schedule, "next_at", due));
        world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, "fire\tuid\t" + due + "\t\t0"));
        world.tick();
        workAll();
        assertRecorded("uid-1", 2);
    }

    @ParameterizedTest
    @EnumSource
    void ofTreesWithoutAResource(Known known) {
        known.before.accept(world);
        new Lifecycle(world.store)
                .pools(world.keyspace, 1)
                .record(
                        "p",
                        "p-uid",
                        Optional.of(new PoolControl.QueueRecord(
                                Recording.DEFAULT, RunOpening.of(RunKind.QUEUE, "p", 0, 0))));
        world.begin(TreeIds.fresh(), World.leaf("one"));
        workAll();
        assertThat(entries().of(HistoryEntry.Opened.class))
                .singleElement()
                .satisfies(opened -> assertThat(opened.uid()).startsWith("queue:p:"));
        assertThat(entries().rows()).hasSize(1);
    }

    /** The room that an opening has made lasts until the leader names it, and never beyond. */
    @ParameterizedTest
    @EnumSource
    void andTheLeaderNamesTheRoomAfterwards(Known known) {
        known.before.accept(world);
        world.trees.create(tree("t"));
        health(world).recording(ROOM).observe(Optional.empty());
        assertThat(world.store.<Map<String, String>>ask(redis -> redis.hgetall(world.keyspace.meta())))
                .containsEntry("history_most", Long.toString(ROOM));
        health(world).beat();
        assertThat(world.store.<String>ask(redis -> redis.hget(world.keyspace.meta(), "history_most")))
                .isEqualTo("0");
    }
}
