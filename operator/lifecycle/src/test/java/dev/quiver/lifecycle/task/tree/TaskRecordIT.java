package dev.quiver.lifecycle.task.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.NodeRange;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRowsReader;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.chunks.ChunkTasks;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeRecord;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.queue.ChunkKind;
import dev.quiver.lifecycle.task.schedule.ScheduleSpec;
import dev.quiver.lifecycle.task.schedule.TaskSchedules;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.TrialFacts;

/** The record of trees, as its reader finds it in a real Redis; workers and commands have a tenant's rights. */
class TaskRecordIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final long ROOM = 1 << 30;

    private World world;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        room(ROOM);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void room(long bytes) {
        new Lifecycle(world.store).health(world.keyspace, 1).recording(bytes).beat();
    }

    private static TreeRecord recordOf(RunKind kind) {
        return new TreeRecord(Recording.DEFAULT, RunOpening.of(kind, "nightly", 1000, 0));
    }

    private void create(String tree, TreeNode root) {
        assertThat(world.trees.create(TaskTree.of(tree, root).recorded(Optional.of(recordOf(RunKind.TASK)))))
                .isEqualTo(Trees.Created.BEGUN);
    }

    private RecordedEntries entries() {
        return RecordedEntries.of(world.store, world.keyspace);
    }

    private RunEnd end(String tree) {
        return entries().of(HistoryEntry.Ended.class).stream()
                .filter(ended -> ended.uid().equals(tree))
                .map(HistoryEntry.Ended::end)
                .reduce((one, other) -> {
                    throw new AssertionError("two ends of " + tree);
                })
                .orElseThrow();
    }

    private void assertNothingIsLeft() {
        Map<String, String> left = world.store.ask(redis -> redis.hgetall(world.keyspace.records()));
        assertThat(left).isEmpty();
    }

    @Test
    void aTreeHasItsNodesItsTrialsAndItsEnd() {
        create("t", World.chain(World.leaf("one"), World.group(World.leaf("two"), World.leaf("three"))));
        World.Worker worker = world.worker("p", "h");
        world.work(worker, claim -> Optional.of("1"));
        world.tick();

        RecordedEntries entries = entries();
        assertThat(entries.of(HistoryEntry.Opened.class)).hasSize(1);
        assertThat(entries.of(HistoryEntry.Named.class).getFirst().names().nodes())
                .extracting(node -> node.ordinal() + " " + node.parent() + " " + node.kind() + " " + node.name())
                .containsExactly(
                        "0 -1 chain chain", "1 0 leaf one", "2 0 group group", "3 2 leaf two", "4 2 leaf three");
        assertThat(entries.rows()).extracting(RecordedEntries.Row::task).containsExactlyInAnyOrder(1L, 3L, 4L);
        assertThat(entries.rows())
                .allMatch(row -> row.run().equals("t"))
                .allMatch(row -> row.kind() == StepRowsReader.Kind.PASS);
        RunEnd end = end("t");
        assertThat(end.status()).isEqualTo(RunEnd.Status.SUCCEEDED);
        assertThat(List.of(end.tasks(), end.succeeded(), end.failed(), end.trials(), end.lost()))
                .containsExactly(3L, 3L, 0L, 3L, 0L);
        assertThat(end.startedAt()).isPresent();
        assertNothingIsLeft();
    }

    @Test
    void aRepeatedCreationBeginsOneRecord() {
        create("t", World.leaf("one"));
        TaskTree again = TaskTree.of("t", World.leaf("one")).recorded(Optional.of(recordOf(RunKind.TASK)));
        world.trees.create(again);
        world.work(world.worker("p", "h"), claim -> Optional.of("1"));
        world.tick();
        world.trees.create(again); // the operator began anew
        assertThat(entries().of(HistoryEntry.Opened.class)).hasSize(1);
        assertThat(end("t").succeeded()).isOne();
        assertNothingIsLeft();
    }

    @Test
    void rowsOfSeveralTreesNameTheirs() {
        create("a", World.leaf("one"));
        create("b", World.leaf("one"));
        world.trees.create(TaskTree.of("c", World.leaf("one")));
        world.work(world.worker("p", "h"), claim -> Optional.of("1"));
        assertThat(entries().rows()).extracting(RecordedEntries.Row::run).containsExactlyInAnyOrder("a", "b");
        assertThat(end("a").trials()).isOne();
        assertThat(end("b").trials()).isOne();
    }

    @Test
    void aFailureIsTheReasonOfTheRun() {
        create("t", World.chain(World.leaf("one"), World.leaf("two")));
        world.work(world.worker("p", "h"), claim -> Optional.empty());
        world.tick();
        RunEnd end = end("t");
        assertThat(end.status()).isEqualTo(RunEnd.Status.FAILED);
        assertThat(end.reason().orElse("")).isNotEmpty().isNotEqualTo("Deleted");
        assertThat(end.failed()).isOne();
        assertThat(entries().rows().getFirst().trial().reason()).isEqualTo(end.reason());
    }

    @Test
    void cancelAndDropAreEnds() {
        create("cancelled", World.chain(World.leaf("one"), World.leaf("two")));
        create("dropped", World.leaf("one"));
        world.trees.change("cancelled", Trees.Change.CANCEL);
        world.trees.drop("dropped", 1);
        world.tick();
        assertThat(end("cancelled").status()).isEqualTo(RunEnd.Status.CANCELLED);
        assertThat(end("cancelled").reason()).contains("Cancelled");
        assertThat(end("dropped").reason()).contains("Deleted");
        assertNothingIsLeft();
    }

    @Test
    void aTreeThatDidNotBeginForItsNameIsCancelledAndHasNoRow() {
        for (String tree : List.of("replaced", "waits", "queued")) {
            OnceName.Only only = tree.equals("queued") ? OnceName.Only.WHILE_IT_WAITS : OnceName.Only.THE_NEWEST;
            world.trees.create(TaskTree.of(tree, World.leaf("one"))
                    .recorded(Optional.of(recordOf(RunKind.TASK)))
                    .named(Optional.of(new OnceName("sync", only))));
        }
        world.tick();
        assertThat(end("replaced").status()).isEqualTo(RunEnd.Status.CANCELLED);
        assertThat(end("replaced").reason()).contains("Replaced");
        assertThat(end("queued").status()).isEqualTo(RunEnd.Status.CANCELLED);
        assertThat(end("queued").reason()).contains("AlreadyQueued");
        assertThat(entries().rows()).isEmpty();
    }

    @Test
    void aNodeThatRunsWhenItsTreeIsCancelledHasARowThatCountsNothing() {
        create("t", World.group(World.leaf("one"), World.leaf("two")));
        World.Worker worker = world.worker("p", "h");
        List<Claim> claims = worker.claim();
        assertThat(claims).hasSize(2);
        world.trees.change("t", Trees.Change.CANCEL);
        world.tick();
        worker.step(
                List.of(
                        new Settlement.Returned(
                                claims.get(0),
                                Optional.of(new Settlement.Stopped(
                                        Duration.ofMillis(700),
                                        "CalledOff",
                                        "the task was cancelled or suspended",
                                        TrialFacts.NONE))),
                        World.passed(claims.get(1), "1")),
                0);
        HistoryEntry.Step step = entries().of(HistoryEntry.Step.class).getLast();
        assertThat(step.verdicts()).isEqualTo("kk");
        assertThat(end("t").trials()).isZero();
        assertNothingIsLeft();
    }

    @Test
    void aDeadWorkersTasksAreLosses() {
        create("t", World.leaf("one"));
        for (int i = 0; i < 3; i++) {
            World.Worker worker = world.worker("p", "h");
            assertThat(worker.claim()).hasSize(1);
            worker.die();
        }
        world.tick();
        List<HistoryEntry.Loss> losses = new ArrayList<>();
        entries().of(HistoryEntry.Reaped.class).forEach(reaped -> losses.addAll(reaped.losses()));
        assertThat(losses).extracting(HistoryEntry.Loss::ended).containsExactly(false, false, true);
        assertThat(losses).extracting(HistoryEntry.Loss::trial).containsExactly(1, 2, 3);
        assertThat(end("t").lost()).isEqualTo(3);
        assertThat(end("t").failed()).isOne();
        assertNothingIsLeft();
    }

    private static TreeNode chunks(int chunks, int fanIn) {
        List<JsonNode> given = IntStream.range(0, chunks)
                .<JsonNode>mapToObj(JsonNodeFactory.instance::numberNode)
                .toList();
        return new TreeNode.Chunks(
                "p",
                Optional.of("h"),
                2,
                new ChunkWork(
                        Optional.of(World.bare("combine", "h")), 2, fanIn, false, 1 << 20, false, Optional.of(given)),
                Optional.empty(),
                World.bare("chunks", "h"));
    }

    @Test
    void chunksAndCombinesAreTrialsOfTheTree() {
        create("job", World.chain(chunks(4, 2), World.leaf("reduce")));
        world.tick();
        World.Worker worker = world.worker("p", "h");
        String source = ChunkKind.source("job.1");
        for (int round = 0; round < 20; round++) {
            worker.at(source).ifPresent(entered -> {
                List<Claim> claims = worker.claim(entered, 8);
                List<Settlement> settled = claims.stream()
                        .map(claim -> World.passed(worker.completed(entered, claim), "1"))
                        .toList();
                worker.step(entered, settled, 0);
            });
            world.tick();
        }
        world.work(worker, claim -> Optional.of("1"));
        world.tick();
        long first = ChunkTasks.firstOf("job.1");
        assertThat(entries().rows())
                .extracting(RecordedEntries.Row::task)
                .containsExactlyInAnyOrder(first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6, 2L);
        assertThat(entries().of(HistoryEntry.Ranged.class)).singleElement().satisfies(ranged -> {
            assertThat(ranged.uid()).isEqualTo("job");
            assertThat(ranged.range()).isEqualTo(new NodeRange(NodeRange.Kind.COMBINES, 1, first, 4, 2, 0));
        });
        assertThat(end("job").succeeded()).isEqualTo(4 + 3 + 1);
        assertThat(end("job").trials()).isEqualTo(8);
        assertNothingIsLeft();
    }

    @Test
    void aForEachTellsOnceWhichNumbersItsChildrenHave() {
        TreeNode each = new TreeNode.ForEach(
                World.chain(World.leaf("load"), World.leaf("store")),
                0,
                TreeNode.OnChildError.FAIL,
                Optional.empty(),
                TaskBody.named("pages"));
        create("t", World.chain(World.leaf("fetch"), each));
        World.Worker worker = world.worker("p", "h");
        for (int round = 0; round < 10; round++) {
            world.work(worker, claim -> Optional.of(claim.task().name().equals("fetch") ? "[1,2,3]" : "1"));
            world.tick();
        }
        assertThat(entries().of(HistoryEntry.Named.class).getFirst().names().nodes())
                .extracting(node -> node.ordinal() + " " + node.parent() + " " + node.kind() + " " + node.name())
                .contains("2 0 forEach pages", "3 2 chain chain", "4 3 leaf load", "5 3 leaf store");
        assertThat(entries().of(HistoryEntry.Ranged.class)).singleElement().satisfies(ranged -> {
            assertThat(ranged.uid()).isEqualTo("t");
            assertThat(ranged.range()).isEqualTo(new NodeRange(NodeRange.Kind.EACH, 2, 6, 3, 3, 3));
        });
        assertThat(entries().rows())
                .extracting(RecordedEntries.Row::task)
                .containsExactlyInAnyOrder(1L, 7L, 8L, 10L, 11L, 13L, 14L);
        assertNothingIsLeft();
    }

    @Test
    void childrenOfAnIteratorAreRecordedAndItsAnswersTellTheirNumbers() {
        TreeNode rows = new TreeNode.IteratorNode(
                "p", Optional.of("h"), 1, 10, TreeNode.OnChildError.FAIL, Optional.empty(), World.bare("rows", "h"));
        create("t", World.chain(rows, World.leaf("end")));
        String single = "{\"handler\": \"h\"}";
        String pair = "{\"chain\": [" + single + ", " + single + "]}";
        List<String> answers = new ArrayList<>(List.of(
                "{\"state\": 1, \"tasks\": [" + single + "," + single + "," + pair + "," + pair + "]}",
                "{\"state\": 2, \"tasks\": [" + single + "]}",
                "null"));
        World.Worker worker = world.worker("p", "h");
        for (int round = 0; round < 10; round++) {
            world.work(worker, claim -> Optional.of(claim.task().name().equals("rows") ? answers.removeFirst() : "1"));
            world.tick();
        }
        assertThat(answers).isEmpty();
        assertThat(entries().of(HistoryEntry.Ranged.class))
                .extracting(HistoryEntry.Ranged::range)
                .containsExactly(
                        new NodeRange(NodeRange.Kind.MADE, 1, 3, 2, 1, 0),
                        new NodeRange(NodeRange.Kind.MADE, 1, 5, 2, 3, 2),
                        new NodeRange(NodeRange.Kind.MADE, 1, 11, 1, 1, 4));
        assertThat(entries().rows())
                .extracting(RecordedEntries.Row::task)
                .containsExactlyInAnyOrder(1L, 1L, 1L, 3L, 4L, 6L, 7L, 9L, 10L, 11L, 2L);
        assertThat(end("t").status()).isEqualTo(RunEnd.Status.SUCCEEDED);
        assertNothingIsLeft();
    }

    @Test
    void childrenOfAnIteratorThatIsNotRecordedAreNotEither() {
        world.trees.create(TaskTree.of(
                "t",
                new TreeNode.IteratorNode(
                        "p",
                        Optional.of("h"),
                        1,
                        10,
                        TreeNode.OnChildError.FAIL,
                        Optional.empty(),
                        World.bare("rows", "h"))));
        List<String> answers = new ArrayList<>(List.of("{\"state\": 1, \"tasks\": [{\"handler\": \"h\"}]}", "null"));
        World.Worker worker = world.worker("p", "h");
        for (int round = 0; round < 5; round++) {
            world.work(worker, claim -> Optional.of(claim.task().name().equals("rows") ? answers.removeFirst() : "1"));
            world.tick();
        }
        assertThat(entries().rows()).isEmpty();
        assertThat(entries().of(HistoryEntry.Ranged.class)).isEmpty();
    }

    @Test
    void aLossOfAChunkHasTheNumberOfTheChunk() {
        create("job", chunks(2, 2));
        world.tick();
        World.Worker worker = world.worker("p", "h");
        String source = ChunkKind.source("job");
        assertThat(worker.claim(worker.at(source).orElseThrow(), 8)).hasSize(2);
        worker.die();
        HistoryEntry.Reaped reaped = entries().of(HistoryEntry.Reaped.class).getFirst();
        assertThat(reaped.uid()).isEqualTo("job");
        assertThat(reaped.losses())
                .extracting(HistoryEntry.Loss::task)
                .containsExactlyInAnyOrder(ChunkTasks.firstOf("job"), ChunkTasks.firstOf("job") + 1);
        world.trees.drop("job", 1);
        world.tick();
        assertThat(end("job").lost()).isEqualTo(2);
        assertNothingIsLeft();
    }

    @Test
    void aRunOfAScheduleIsARunOfItsClass() {
        TaskSchedules schedules = new TaskSchedules(new LeaderCalls(world.store, world.keyspace, 1));
        TaskTree template = TaskTree.of("uid", World.chain(World.leaf("one"), World.leaf("two")))
                .recorded(Optional.of(recordOf(RunKind.TASK)));
        schedules.put(ScheduleSpec.of("* * * * *", "UTC"), template, TaskSchedules.Before.NONE);
        Instant due = Instant.ofEpochSecond(Instant.now().getEpochSecond() / 60 * 60);
        fire("uid", due);
        world.work(world.worker("p", "h"), claim -> Optional.of("1"));
        world.tick();
        RunOpening run = entries().of(HistoryEntry.Opened.class).getFirst().opening();
        assertThat(run.name()).isEqualTo("nightly-1");
        assertThat(run.runClass()).contains("nightly");
        assertThat(run.parentRun()).contains("uid");
        assertThat(run.firedAt()).contains(due.toEpochMilli());
        assertThat(entries().of(HistoryEntry.Named.class).getFirst().names().nodes())
                .extracting(RunNames.Node::name)
                .containsExactly("chain", "one", "two");
        assertThat(end("uid-1").succeeded()).isEqualTo(2);
        assertNothingIsLeft();
    }

    private void fire(String uid, Instant due) {
        String at = Long.toString(due.toEpochMilli());
        String schedule = world.keys.schedule(uid);
        String before = world.store.ask(redis -> redis.hget(schedule, "next_at"));
        world.store.ask(redis -> redis.zrem(world.keys.commands(), "fire\t" + uid + "\t" + before + "\t\t0"));
        world.store.ask(redis -> redis.hset(schedule, "next_at", at));
        world.store.ask(
                redis -> redis.zadd(world.keys.commands(), due.toEpochMilli(), "fire\t" + uid + "\t" + at + "\t\t0"));
        world.tick();
    }

    @Test
    void whatFindsNoRoomIsCounted() {
        create("t", World.group(World.leaf("one"), World.leaf("two")));
        world.store.ask(redis -> redis.hset(world.keyspace.meta(), "history_bytes", Long.toString(ROOM + 1)));
        world.work(world.worker("p", "h"), claim -> Optional.of("1"));
        assertThat(entries().rows()).isEmpty();
        assertThat(end("t").notRecorded()).isEqualTo(2);
        assertThat(end("t").succeeded()).isEqualTo(2);
    }

    @Test
    void nothingIsWrittenWhereNobodyReads() {
        create("t", World.leaf("one"));
        int before = entries().all().size();
        room(0); // the next operator has no history
        world.work(world.worker("p", "h"), claim -> Optional.of("1"));
        world.tick();
        assertThat(entries().all()).hasSize(before);
        assertNothingIsLeft();
    }

    /** The states that the end of a tree has told, by number. */
    private Map<Long, String> ends(String tree) {
        Map<Long, String> ends = new TreeMap<>();
        entries().of(HistoryEntry.Named.class).stream()
                .filter(named -> named.uid().equals(tree))
                .flatMap(named -> named.names().nodes().stream())
                .filter(node -> !node.state().isEmpty())
                .forEach(node -> ends.put(node.ordinal(), node.state()));
        return ends;
    }

    @Test
    void theEndOfATreeTellsHowEachOfItsNodesEnded() {
        create("good", World.chain(World.leaf("one"), World.group(World.leaf("two"), World.leaf("three"))));
        world.work(world.worker("p", "h"), claim -> Optional.of("1"));
        world.tick();
        assertThat(ends("good").values()).hasSize(5).containsOnly("succeeded");

        create("bad", World.chain(World.leaf("one"), World.leaf("two")));
        world.work(world.worker("p", "h"), claim -> Optional.empty());
        world.tick();
        assertThat(ends("bad"))
                .containsExactly(Map.entry(0L, "failed"), Map.entry(1L, "failed"), Map.entry(2L, "notRun"));
    }

    @Test
    void whatAForEachMadeHasItsEndsToo() {
        TreeNode each = new TreeNode.ForEach(
                World.chain(World.leaf("load"), World.leaf("store")),
                0,
                TreeNode.OnChildError.CONTINUE,
                Optional.empty(),
                TaskBody.named("pages"));
        create("t", World.chain(World.leaf("fetch"), each));
        World.Worker worker = world.worker("p", "h");
        for (int round = 0; round < 10; round++) {
            world.work(worker, claim -> switch (claim.task().name()) {
                case "fetch" -> Optional.of("[1,2]");
                case "store" -> Optional.empty();
                default -> Optional.of("1");
            });
            world.tick();
        }
        assertThat(ends("t"))
                .containsExactly(
                        Map.entry(0L, "succeeded"),
                        Map.entry(1L, "succeeded"),
                        Map.entry(2L, "succeeded"),
                        Map.entry(6L, "failed"),
                        Map.entry(7L, "succeeded"),
                        Map.entry(8L, "failed"),
                        Map.entry(9L, "failed"),
                        Map.entry(10L, "succeeded"),
                        Map.entry(11L, "failed"));
        RunEnd end = end("t");
        assertThat(end.status()).isEqualTo(RunEnd.Status.SUCCEEDED);
        assertThat(end.reason()).contains("SomeTasksFailed");
        assertThat(end.message().orElse("")).startsWith("2 of 5 tasks failed");
    }

    @Test
    void aRecordThatMakesNoSenseHasNoEnd() {
        create("t", World.chain(World.leaf("one"), World.leaf("two")));
        world.store.ask(redis -> redis.hset(world.keys.nodes(), "t.2", "L\tq\t\u0000"));
        world.trees.change("t", Trees.Change.CANCEL);
        world.tick();
        assertThat(ends("t")).containsOnlyKeys(0L, 1L);
        assertThat(end("t").status()).isEqualTo(RunEnd.Status.CANCELLED);
    }
}
