package dev.quiver.lifecycle.task.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.QueueTaskNumber;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRowsReader;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeRecord;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.Takeover;

/** Trees without a resource are tasks of one run for each hour of their pool. */
class QueueRecordIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final Recording FAILURES =
            new Recording(Recording.Keep.FAILURES, Recording.Output.FAILED, Recording.Results.NONE, false);

    private World world;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        new Lifecycle(world.store).health(world.keyspace, 1).recording(1 << 30).beat();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void record(Optional<Recording> how) {
        PoolControl pools = new Lifecycle(world.store).pools(world.keyspace, 1);
        pools.record(
                "p",
                "p-uid",
                how.map(recording -> new PoolControl.QueueRecord(recording, RunOpening.of(RunKind.QUEUE, "p", 0, 0))));
    }

    private RecordedEntries entries() {
        return RecordedEntries.of(world.store, world.keyspace);
    }

    private String begin(TreeNode root) {
        String tree = TreeIds.fresh();
        world.begin(tree, root);
        return tree;
    }

    /** Lets the hour of the run pass. */
    private void endHour() {
        List<String> commands = world.store.ask(redis -> redis.zrange(world.keys.commands(), 0, -1));
        commands.stream()
                .filter(command -> command.startsWith("recorded\tqueue:"))
                .forEach(command -> world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, command)));
        world.tick();
    }

    private RunEnd end() {
        return entries().of(HistoryEntry.Ended.class).getLast().end();
    }

    @Test
    void failuresAreRowsWithTheIdsOfTheirTasksAndTheOthersAreCounted() {
        record(Optional.of(FAILURES));
        String failing = begin(World.leaf("a"));
        begin(World.leaf("b"));
        begin(World.group(World.leaf("c"), World.leaf("d")));
        world.work(
                world.worker("p", "h"),
                claim -> Optional.of("1").filter(_ -> !claim.id().equals(failing)));
        RecordedEntries entries = entries();
        HistoryEntry.Opened opened = entries.of(HistoryEntry.Opened.class).getFirst();
        assertThat(opened.uid()).matches("queue:p:\\d+");
        assertThat(opened.opening().kind()).isEqualTo(RunKind.QUEUE);
        assertThat(opened.opening().inHour(0).name()).isEqualTo("p-1970-01-01T00");
        assertThat(entries.of(HistoryEntry.Opened.class)).hasSize(1);
        assertThat(entries.rows()).singleElement().satisfies(row -> {
            assertThat(row.run()).isEqualTo(opened.uid());
            assertThat(row.task()).isEqualTo(QueueTaskNumber.number(failing));
            assertThat(row.trial().status()).isEqualTo(TrialStatus.FAILED);
        });
        assertThat(entries.of(HistoryEntry.Named.class)).singleElement().satisfies(named -> {
            assertThat(named.uid()).isEqualTo(opened.uid());
            assertThat(named.names().nodes())
                    .containsExactly(new RunNames.Node(QueueTaskNumber.number(failing), -1, "leaf", failing, "", 0, 0));
        });
        assertThat(entries.of(HistoryEntry.Ended.class)).isEmpty();
        endHour();
        assertThat(List.of(end().tasks(), end().succeeded(), end().failed(), end().trials(), end().notRecorded()))
                .containsExactly(4L, 3L, 1L, 4L, 0L);
        assertThat(end().status()).isEqualTo(RunEnd.Status.SUCCEEDED);
        assertThat(end().reason()).contains("HourEnded");
        Map<String, String> left = world.store.ask(redis -> redis.hgetall(world.keyspace.records()));
        assertThat(left).isEmpty();
    }

    @Test
    void aTaskThatASuccessorAdoptsIsRecordedAtOnce() {
        record(Optional.of(FAILURES));
        begin(World.leaf("a"));
        World.Worker worker = world.worker("p", "h");
        worker.claim();
        World.Worker next = worker.successor();
        List<Takeover> running = next.session.orphans().stream()
                .map(orphan -> Takeover.running(orphan, orphan.place().slot(), 9))
                .toList();
        assertThat(next.session.adopt(running))
                .singleElement()
                .satisfies(claim -> assertThat(claim.task().recorded()).isPresent());
    }

    @Test
    void allOfThemAreRowsWhereThePoolWantsThat() {
        record(Optional.of(Recording.DEFAULT));
        String tree = begin(World.chain(World.leaf("a"), World.leaf("b")));
        world.work(world.worker("p", "h"), claim -> Optional.of("1"));
        assertThat(entries().rows())
                .extracting(RecordedEntries.Row::task)
                .containsExactlyInAnyOrder(QueueTaskNumber.number(tree + ".1"), QueueTaskNumber.number(tree + ".2"));
        assertThat(entries().rows()).allMatch(row -> row.kind() == StepRowsReader.Kind.PASS);
        endHour();
        assertThat(end().trials()).isEqualTo(2);
    }

    @Test
    void rowsOfTreesWithARecordOfTheirOwnStayTheirs() {
        record(Optional.of(Recording.DEFAULT));
        String tree = begin(World.leaf("a"));
        world.trees.create(TaskTree.of("u", World.leaf("b"))
                .recorded(Optional.of(
                        new TreeRecord(Recording.DEFAULT, RunOpening.of(RunKind.TASK, "nightly", 1000, 0)))));
        begin(World.leaf("c"));
        world.work(world.worker("p", "h"), claim -> Optional.of("1"));
        String hour = entries().of(HistoryEntry.Step.class).getFirst().uid();
        assertThat(entries().rows())
                .filteredOn(row -> row.run().equals("u"))
                .extracting(RecordedEntries.Row::task)
                .containsExactly(0L);
        assertThat(entries().rows())
                .filteredOn(row -> row.run().equals(hour))
                .hasSize(2)
                .extracting(RecordedEntries.Row::task)
                .contains(QueueTaskNumber.number(tree));
        endHour();
        assertThat(entries().of(HistoryEntry.Ended.class))
                .extracting(ended -> ended.uid() + " " + ended.end().trials())
                .containsExactlyInAnyOrder("u 1", hour + " 2");
    }

    @Test
    void lossesWithTheirWorkerAreThoseOfTheHour() {
        record(Optional.of(FAILURES));
        String tree = begin(World.leaf("a"));
        for (int i = 0; i < 3; i++) {
            World.Worker worker = world.worker("p", "h");
            assertThat(worker.claim()).hasSize(1);
            worker.die();
        }
        HistoryEntry.Opened opened = entries().of(HistoryEntry.Opened.class).getFirst();
        List<HistoryEntry.Reaped> losses = entries().of(HistoryEntry.Reaped.class);
        assertThat(losses).hasSize(3).allMatch(reaped -> reaped.uid().equals(opened.uid()));
        assertThat(losses.getLast().losses()).containsExactly(HistoryEntry.Loss.of(tree, 3, true));
        endHour();
        assertThat(List.of(end().tasks(), end().failed(), end().trials(), end().lost()))
                .containsExactly(1L, 1L, 0L, 3L);
    }

    @Test
    void aLossIsRecordedNowhereWithoutARecordOfTheQueue() {
        begin(World.leaf("a"));
        World.Worker worker = world.worker("p", "h");
        assertThat(worker.claim()).hasSize(1);
        worker.die();
        assertThat(entries().of(HistoryEntry.Opened.class)).isEmpty();
        assertThat(entries().of(HistoryEntry.Reaped.class)).isEmpty();
    }

    @Test
    void nothingIsRecordedWhereThePoolWantsNoneOrNobodyReads() {
        record(Optional.of(FAILURES));
        record(Optional.empty());
        begin(World.leaf("a"));
        world.work(world.worker("p", "h"), claim -> Optional.empty());
        record(Optional.of(FAILURES));
        new Lifecycle(world.store).health(world.keyspace, 1).beat();
        begin(World.leaf("b"));
        world.work(world.worker("p", "h"), claim -> Optional.empty());
        assertThat(entries().of(HistoryEntry.Opened.class)).isEmpty();
        assertThat(entries().rows()).isEmpty();
    }

    @Test
    void anotherPoolsUidChangesNothing() {
        new Lifecycle(world.store)
                .pools(world.keyspace, 1)
                .record(
                        "p",
                        "another-uid",
                        Optional.of(new PoolControl.QueueRecord(FAILURES, RunOpening.of(RunKind.QUEUE, "p", 0, 0))));
        String history = world.store.ask(redis -> redis.hget(world.keyspace.pool("p"), "history"));
        assertThat(history).isNull();
    }
}
