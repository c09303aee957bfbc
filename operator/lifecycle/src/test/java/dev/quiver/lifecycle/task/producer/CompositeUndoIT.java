package dev.quiver.lifecycle.task.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Settlement;

/** Composites of programs, whose plans say what would undo the whole. */
class CompositeUndoIT {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;
    private TaskProducer producer;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h", "h#plan");
        producer = new TaskProducer(world.store, world.keyspace, () -> {});
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static TreeNode planned(String name) {
        return new TreeNode.Leaf(
                "p", Optional.of("h"), 1, 1, World.body(name, "h").planned(5));
    }

    private void make(String id, TreeNode composite, Duration keep) {
        producer.submit(
                Submission.of(List.of(new TaskTree(
                        id,
                        LeftUndo.undoable(composite),
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.of(keep)))),
                Duration.ofSeconds(60));
    }

    private void make(String id, TreeNode composite) {
        make(id, composite, HOUR);
    }

    private static String task(String name, String more) {
        return "{\"handler\":\"h\",\"name\":\"" + name + "\"" + more + "}";
    }

    private static String task(String name) {
        return task(name, "");
    }

    /** The next plan leaves these; more are fields of it. */
    private void plan(String more, String... undo) {
        worker.claim();
        worker.step(
                List.of(World.brought(
                        worker.held.getFirst(), "{\"undo\":[" + String.join(",", undo) + "]" + more + "}")),
                0);
    }

    private void pass() {
        worker.claim();
        worker.step(worker.held.stream().map(claim -> World.passed(claim, "1")).toList(), 0);
    }

    private void fail() {
        worker.claim();
        worker.step(worker.held.stream().map(World::failed).toList(), 0);
    }

    private Undone undone(String id) {
        return producer.undo(id).orElseThrow();
    }

    private void assertRuns(String id) {
        assertThatThrownBy(() -> producer.undo(id))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ten seconds after its end");
    }

    /** So that its workers have stopped. */
    private void letStop(String id) {
        String facts = world.store.ask(redis -> redis.hget(world.keys.roots(), id));
        world.store.ask(redis -> redis.hset(world.keys.roots(), id, facts.replaceAll("\t\\d{13}\t", "\t1\t")));
    }

    private List<String> runs() {
        List<String> names = worker.claimNames();
        worker.step(worker.held.stream().map(claim -> World.passed(claim, "1")).toList(), 0);
        return names;
    }

    private long bodies() {
        return world.store.ask(redis -> redis.hlen(world.keys.body()));
    }

    @Test
    void whatThePlansLeftIsOneTreeAndTheLastPlanComesFirst() {
        make("t", World.chain(planned("a"), planned("b")));
        plan("", task("a1"), task("a2"));
        pass();
        assertRuns("t");
        plan("", task("b1"));
        assertRuns("t");
        pass();
        Undone undone = undone("t");
        assertThat(undone.cancelled()).isFalse();
        assertThat(undone.tasks()).hasSize(1);
        assertThat(undone("t")).as("the reply was lost").isEqualTo(undone);
        assertThat(runs()).containsExactly("b1");
        assertThat(runs()).containsExactlyInAnyOrder("a1", "a2");
        String tree = undone.tasks().getFirst();
        assertThat(world.state(tree).state()).isEqualTo(TreeState.State.FINISHED);
        world.trees.drop(tree, 5);
        assertThat(undone("t")).as("its tree is gone").isEqualTo(undone);
        assertThat(runs()).as("none is made again").isEmpty();
    }

    @Test
    void aTaskThatFailsStopsNoOther() {
        make("t", World.chain(planned("a"), planned("b")));
        plan("", task("a1"));
        pass();
        plan("", task("b1", ",\"maxTrials\":1"), task("b2", ",\"maxTrials\":1"));
        pass();
        String tree = undone("t").tasks().getFirst();
        fail();
        assertThat(runs()).containsExactly("a1");
        assertThat(world.state(tree).state()).isEqualTo(TreeState.State.FINISHED);
    }

    /** Its first plan has changed something already. */
    @Test
    void oneOfWhichNoFunctionHasRunIsCancelledAndItsPlansAreUndoneInOneStep() {
        for (Duration keep : List.of(HOUR, Duration.ZERO)) {
            String id = keep.isZero() ? "gone" : "kept";
            make(id, World.chain(planned("a"), planned("b")), keep);
            plan(",\"resources\":[\"unknown\"]", task("a1"));
            Undone undone = undone(id);
            assertThat(undone.cancelled()).isTrue();
            assertThat(runs()).containsExactly("a1");
            assertThat(producer.undo(id))
                    .isEqualTo(keep.isZero() ? Optional.empty() : Optional.of(new Undone(false, undone.tasks())));
        }
        assertThat(world.state("kept").error().orElseThrow().reason()).isEqualTo("Cancelled");
        assertThat(worker.claimNames()).isEmpty();
    }

    @Test
    void oneWithoutAnyPlanMadeIsCancelled() {
        make("t", World.group(planned("a"), planned("b")));
        assertThat(undone("t")).isEqualTo(new Undone(true, List.of()));
        assertThat(undone("t")).as("once more").isEqualTo(new Undone(false, List.of()));
        assertThat(worker.claimNames()).isEmpty();
    }

    @Test
    void oneThatIsNotUndoableIsAtMostCancelled() {
        producer.submit(
                Submission.of(List.of(new TaskTree(
                        "t",
                        World.chain(planned("a")),
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.of(HOUR)))),
                Duration.ofSeconds(60));
        plan("", task("a1"));
        pass();
        assertThat(undone("t")).isEqualTo(new Undone(false, List.of()));
        assertThatThrownBy(() -> producer.undo("t.1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("undone as a whole");
        assertThat(producer.undo("never-there")).isEmpty();
    }

    /** A worker may be about to stop, also below a root that passed. */
    @Test
    void oneInWhichANodeFailedIsUndoneTenSecondsAfterItsEnd() {
        make("failed", World.chain(planned("a"), planned("b")));
        plan("", task("a1"));
        fail();
        make("passed", World.group(OnChildError.CONTINUE, List.of(planned("a"))));
        plan("", task("a1"));
        fail();
        make("cancelled", World.chain(planned("a")));
        plan("", task("a1"));
        worker.claim();
        world.trees.change("cancelled", Trees.Change.CANCEL);
        for (String id : List.of("failed", "passed", "cancelled")) {
            assertRuns(id);
            letStop(id);
            assertThat(undone(id).tasks()).hasSize(1);
        }
    }

    /** That worker may be cut off from Redis, and go on for a while. */
    @Test
    void oneWhoseWorkerWasLostIsUndoneTenSecondsAfterItsEnd() {
        make("t", World.chain(planned("a")));
        plan("", task("a1"));
        worker.claim();
        worker.die();
        worker = world.worker("p", "h", "h#plan");
        assertRuns("t");
        pass();
        assertRuns("t");
        letStop("t");
        assertThat(undone("t").tasks()).hasSize(1);
    }

    @Test
    void aTaskThatGoesOnLeavingIsNotUndoneByHalf() {
        make("t", World.chain(planned("a"), planned("b")));
        plan(",\"resources\":[\"unknown\"]", task("a1"));
        String left = left("t", List.of()).text("left");
        assertThat(left("t", List.of("7", "x", "", "0", "0", "0")).text("left"))
                .as("of a call that has read less")
                .isEqualTo(left);
        assertThat(world.state("t").state()).as("nothing was done").isEqualTo(TreeState.State.IDLE);
        assertThatThrownBy(() -> left("t", List.of(Integer.toString(left.length()), "x", "nonsense", "0", "0", "0")))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("cannot be read");
        assertThat(undone("t").tasks()).hasSize(1);
    }

    private ScriptReply left(String id, List<String> tree) {
        List<String> arguments = new ArrayList<>(List.of(id));
        arguments.addAll(tree);
        ScriptReply reply = world.store.run(
                TaskScripts.UNDO,
                TaskScripts.UNDO.keys(TaskScriptKeys.of(world.keyspace, "")::key, List.of()),
                arguments.toArray(String[]::new));
        assertThat(reply.code()).isEqualTo(ScriptCode.INCOMPLETE);
        return reply;
    }

    /** The one who undoes the chain could not mend it. */
    @Test
    void aListOfWhichNoTreeCanBeMadeFailsItsPlan() {
        make("t", World.chain(planned("a")));
        String many = "{\"group\":[" + String.join(",", Collections.nCopies(200, "{\"handler\":\"h\"}")) + "]}";
        for (String bad : List.of(task("u", ",\"args\":[\"$(results.a)\"]"), many, task("u", ",\"maxTrials\":2.0"))) {
            plan("", bad);
            String kept = world.store.ask(redis -> redis.hget(world.keys.body(), "t\0undo"));
            assertThat(kept).isNull();
        }
        assertThat(world.state("t").error().orElseThrow().reason()).isEqualTo("PlanFailed");
    }

    /** Its worker may go on for a while, cut off from Redis, and what it changes leaves nothing. */
    @Test
    void oneWhoseWorkerWasLostWithAPlanIsNotCancelled() {
        make("t", World.group(planned("a"), planned("b")));
        worker.claim();
        worker.step(
                List.of(World.brought(
                        worker.held.getFirst(), "{\"undo\":[" + task("a1") + "],\"resources\":[\"unknown\"]}")),
                0);
        worker.die();
        worker = world.worker("p", "h", "h#plan");
        assertRuns("t");
    }

    @Test
    void theOrderIsThatOfThePlansAlsoWhereTheClockStepsBack() {
        make("t", World.chain(planned("a"), planned("b")));
        plan("", task("a1"));
        String line = world.store.ask(redis -> redis.hget(world.keys.body(), "t\0undo"));
        world.store.ask(redis -> redis.hset(
                world.keys.body(), "t\0undo", line.replaceFirst("\"at\":\"?\\d+\"?", "\"at\":9007199254740991")));
        pass();
        plan("", task("b1"));
        pass();
        undone("t");
        assertThat(runs()).containsExactly("b1");
    }

    /** The mark would stand for a tree that undoes nothing. */
    @Test
    void aTreeThatIsThereOrHasANameIsRefused() {
        make("t", World.chain(planned("a")));
        plan(",\"resources\":[\"unknown\"]", task("a1"));
        make("other", World.chain(planned("x")));
        int bytes = left("t", List.of()).text("left").length();
        String facts = world.store.ask(redis -> redis.hget(world.keys.roots(), "other"));
        String record = world.store.ask(redis -> redis.hget(world.keys.nodes(), "other"));
        for (String id : List.of("other", "fresh name")) {
            String node = id.replace(" name", "");
            assertThatThrownBy(() -> left("t", List.of("" + bytes, id, facts, "0", "1", "1", node, record, "{}")))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("is there, or has a name");
        }
        assertThat(undone("t").tasks()).hasSize(1);
    }

    @Test
    void aTreeThatStaysUntilItIsDroppedIsLeftToResources() {
        world.begin("t", LeftUndo.undoable(World.chain(planned("a"))));
        plan("", task("a1"));
        assertThatThrownBy(() -> producer.undo("t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a Task resource by another one");
        assertThat(world.trees.left("t").taker()).isEmpty();
    }

    @Test
    void manyTasksComeInPieces() {
        make(
                "t",
                World.chain(
                        IntStream.range(0, 5).mapToObj(i -> planned("n" + i)).toArray(TreeNode[]::new)));
        for (int node = 0; node < 5; node++) {
            plan("", IntStream.range(0, 60).mapToObj(i -> task("u")).toArray(String[]::new));
            pass();
        }
        Undone undone = undone("t");
        int ran = 0;
        for (List<String> some = runs(); !some.isEmpty(); some = runs()) {
            ran += some.size();
        }
        assertThat(ran).isEqualTo(300);
        assertThat(world.state(undone.tasks().getFirst()).state()).isEqualTo(TreeState.State.FINISHED);
    }

    @Test
    void namesThatArgumentsReferToAreThoseOfTheirOwnList() {
        make("t", World.chain(planned("a"), planned("b")));
        String chain =
                "{\"chain\":[" + task("n", ",\"args\":[%d]") + "," + task("m", ",\"args\":[\"$(results.n)\"]") + "]}";
        plan("", chain.formatted(1));
        pass();
        plan("", chain.formatted(2));
        pass();
        String tree = undone("t").tasks().getFirst();
        for (int number : List.of(2, 1)) {
            worker.claim();
            assertThat(world.arguments(worker.held.getFirst())).isEqualTo("[" + number + "]");
            worker.step(List.of(World.passed(worker.held.getFirst(), "\"of " + number + "\"")), 0);
            worker.claim();
            assertThat(world.arguments(worker.held.getFirst())).startsWith("[\"of " + number + "\"");
            pass();
        }
        assertThat(world.state(tree).state()).isEqualTo(TreeState.State.FINISHED);
    }

    @Test
    void theUndoOfTheUndoIsThereToo() {
        make("t", World.chain(planned("a"), planned("b")));
        plan("", task("a1", ",\"plan\":true,\"undo\":true"));
        pass();
        plan("", "{\"chain\":[" + task("b1", ",\"plan\":true") + "],\"undo\":true}");
        pass();
        String undo = undone("t").tasks().getFirst();
        plan("", task("b"));
        pass();
        plan("", task("a"));
        pass();
        String again = undone(undo).tasks().getFirst();
        assertThat(runs()).containsExactly("a");
        assertThat(runs()).containsExactly("b");
        assertThat(world.state(again).state()).isEqualTo(TreeState.State.FINISHED);
    }

    @Test
    void tasksOfAListHaveItsPoolAndItsShare() {
        make("t", World.chain(planned("a")));
        plan(",\"fairnessKey\":\"acme\"", task("a1"), task("far", ",\"pool\":\"q\",\"fairnessKey\":\"own\""));
        pass();
        String tree = undone("t").tasks().getFirst();
        List<String> records =
                world.store.ask(redis -> redis.hmget(world.keys.nodes(), tree + ".1", tree + ".2")).stream()
                        .map(value -> value.getValueOrElse(""))
                        .toList();
        assertThat(records.getFirst()).contains("\tp\t").contains("\tacme\t");
        assertThat(records.getLast()).contains("\tq\t").contains("\town\t");
    }

    @Test
    void whatATenantWroteInPlaceOfTheUndoIsRefusedAndTheTaskStays() {
        make("t", World.chain(planned("a")));
        plan("", task("a1"));
        pass();
        for (String written : List.of("nonsense", "{\"tasks\":\"[1]\"}", "{\"at\":1e999}", "x".repeat(300_000))) {
            world.store.ask(redis -> redis.hset(world.keys.body(), "t\0undo", written));
            assertThatThrownBy(() -> producer.undo("t")).isInstanceOf(StoreRefusedException.class);
        }
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.FINISHED);
    }

    @Test
    void nothingStaysOfOneThatIsNotKept() {
        make("t", World.chain(planned("a"), planned("b")), Duration.ZERO);
        for (int node = 0; node < 2; node++) {
            plan("", task("u"));
            pass();
        }
        world.tick();
        assertThat(bodies()).isZero();
        assertThat(producer.undo("t")).isEmpty();
    }

    @Test
    void aCompositeWithoutAPlanIsRefused() {
        assertThatThrownBy(() -> LeftUndo.undoable(World.chain(World.leaf("x"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no task of the composite has a plan");
    }

    /** The worker had not begun it. */
    @Test
    void oneWhoseFunctionWasGivenBackIsUndone() {
        make("t", World.chain(planned("a")));
        plan("", task("a1"));
        worker.claim();
        worker.step(List.of(new Settlement.Returned(worker.held.getFirst())), 0);
        Undone undone = undone("t");
        assertThat(undone.cancelled()).isTrue();
        assertThat(runs()).containsExactly("a1");
    }
}
