package dev.quiver.lifecycle.task.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskBody.Undo;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.tree.TaskTrees.Taken;
import dev.quiver.lifecycle.worker.Settlement;

/** The undo of trees that stay until they are dropped. */
class TreeUndoIT {

    /** The place of the time of its end among the facts of a tree. */
    private static final int ENDED = 8;

    private static final String BACK = "{\"handler\":\"h\",\"name\":\"back\",\"args\":[1.0]}";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h", "h#plan");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static TreeNode planned(String name) {
        return new TreeNode.Leaf(
                "p", Optional.of("h"), 1, 1, World.body(name, "h").planned(5).undoable(Undo.AS_ONE_TREE));
    }

    private void plan(String... undo) {
        worker.claim();
        worker.step(List.of(World.brought(worker.held.getFirst(), "{\"undo\":[" + String.join(",", undo) + "]}")), 0);
    }

    private void execute() {
        worker.claim();
        worker.step(List.of(World.passed(worker.held.getFirst(), "1")), 0);
    }

    private Taken take(String tree, String uid) {
        return world.trees.take(tree, uid, "name-of-" + uid, Rank.NONE);
    }

    private LeftUndo taken(String tree, String uid) {
        return ((Taken.Left) take(tree, uid)).undo();
    }

    private void create(String tree, LeftUndo left) {
        world.begin(tree, left.tree(Undo.NOT));
    }

    private long bodies() {
        return world.store.ask(redis -> redis.hlen(world.keys.body()));
    }

    @Test
    void whatAPlanLeftIsTakenByOneAndByNoOtherAndAgainAfterACrash() {
        world.begin("t", planned("task"));
        assertThat(world.trees.left("t")).isEqualTo(LeftUndo.NOTHING);
        plan(BACK, "{\"handler\":\"far\",\"pool\":\"q\"}");
        assertThat(world.trees.left("t")).returns(2, LeftUndo::tasks).returns(List.of("h", "far"), LeftUndo::handlers);
        execute();
        LeftUndo first = taken("t", "u1");
        assertThat(first.taker()).contains(new LeftUndo.Taker("u1", "name-of-u1", false));
        assertThat(taken("t", "u1"))
                .as("the operator went down before it made them")
                .isEqualTo(first);
        assertThat(taken("t", "u2").taker()).as("another").isEqualTo(first.taker());
        create("u1", first);
        assertThat(world.trees.create(TaskTree.of("u1", first.tree(Undo.NOT))))
                .as("and again before it knew of that")
                .isEqualTo(Trees.Created.KNOWN);
        assertThat(world.arguments(worker.claim().getFirst())).isEqualTo("[1.0]");
        assertThat(world.worker("q", "far").claimNames()).containsExactly("far");
        assertThat(worker.claimNames()).as("none is made twice").isEmpty();
        assertThat(world.trees.left("t").taker()).isEqualTo(first.taker());
    }

    @Test
    void itStaysUntilTheTreeIsDropped() {
        world.begin("t", World.chain(planned("a"), planned("b")));
        plan(BACK);
        execute();
        plan(BACK);
        execute();
        letStop("t");
        taken("t", "u1");
        assertThat(bodies()).isEqualTo(4);
        world.trees.drop("t", 3);
        world.tick();
        assertThat(bodies()).isZero();
        assertThat(take("t", "u2")).isEqualTo(new Taken.Gone());
        assertThat(world.trees.left("t")).isEqualTo(LeftUndo.NOTHING);
    }

    @Test
    void aTreeOfWhichNobodyHasHadAPartIsCancelled() {
        world.begin("t", planned("task"));
        LeftUndo undo = taken("t", "u1");
        assertThat(undo.taker()).contains(new LeftUndo.Taker("u1", "name-of-u1", true));
        assertThat(undo.lists()).isEmpty();
        assertThat(world.state("t").error().orElseThrow())
                .returns("Cancelled", error -> error.reason())
                .returns("it was undone by name-of-u1", error -> error.message());
        assertThat(worker.claimNames()).isEmpty();
        create("u1", undo);
        assertThat(world.state("u1").state()).as("nothing is to do").isEqualTo(TreeState.State.FINISHED);
        assertThat(taken("t", "u1")).isEqualTo(undo);
    }

    /** Its plan has changed something already. */
    @Test
    void aTreeThatIsPlannedAndWaitsIsCancelledAndWhatItsPlanChangedIsUndone() {
        world.begin("t", planned("task"));
        plan(BACK);
        LeftUndo undo = taken("t", "u1");
        assertThat(undo.taker().orElseThrow().cancelled()).isTrue();
        create("u1", undo);
        assertThat(worker.claimNames()).containsExactly("back");
    }

    @Test
    void aTreeThatRunsIsNotUndone() {
        world.begin("t", World.chain(planned("a"), planned("b")));
        worker.claim();
        assertThat(take("t", "u1")).as("it is planned").isEqualTo(new Taken.Runs(0, 3));
        worker.step(List.of(World.brought(worker.held.getFirst(), "{\"undo\":[" + BACK + "]}")), 0);
        worker.claim();
        assertThat(take("t", "u1")).as("it is executed").isEqualTo(new Taken.Runs(0, 3));
        execute();
        assertThat(take("t", "u1")).as("another node is to come").isEqualTo(new Taken.Runs(1, 3));
        assertThat(world.trees.left("t").taker()).isEmpty();
    }

    /** Its record does not tell whether a worker has its call. */
    @Test
    void anIteratorThatWasQueuedHasBegun() {
        TreeNode iterator = new TreeNode.IteratorNode(
                "p", Optional.of("h"), 1, 1, TreeNode.OnChildError.FAIL, Optional.empty(), World.body("i", "h"));
        world.begin("t", World.chain(planned("a"), iterator));
        assertThat(taken("t", "u1").taker().orElseThrow().cancelled())
                .as("its turn has not come")
                .isTrue();
        world.begin("i", iterator);
        worker.claim();
        assertThat(take("i", "u1")).isEqualTo(new Taken.Runs(0, 1));
    }

    /** It passes on with no word of workers that it has lost, and its children go with their ends. */
    @Test
    void aTreeWithAnIteratorIsUndoneTenSecondsAfterItsEndAndOneThatPassedWithoutAtOnce() {
        TreeNode iterator = new TreeNode.IteratorNode(
                "p", Optional.of("h"), 1, 1, TreeNode.OnChildError.FAIL, Optional.empty(), World.body("i", "h"));
        for (String tree : List.of("passed", "iterates")) {
            world.begin(tree, tree.equals("passed") ? World.chain(planned("a")) : World.chain(planned("a"), iterator));
            plan(BACK);
            execute();
        }
        world.work(worker, _ -> Optional.of("null"));
        assertThat(world.state("iterates").state()).isEqualTo(TreeState.State.FINISHED);
        assertThat(take("iterates", "u1")).isInstanceOf(Taken.Runs.class);
        assertThat(take("passed", "u2")).isInstanceOf(Taken.Left.class);
        letStop("iterates");
        assertThat(take("iterates", "u1")).isInstanceOf(Taken.Left.class);
    }

    @Test
    void aTaskThatWaitsForAnotherTrialIsCancelledAndUndone() {
        world.begin("t", planned("task"));
        plan(BACK);
        worker.claim();
        worker.step(List.of(new Settlement.Returned(worker.held.getFirst())), 0);
        LeftUndo undo = taken("t", "u1");
        assertThat(undo.taker().orElseThrow().cancelled()).isTrue();
        create("u1", undo);
        assertThat(worker.claimNames()).containsExactly("back");
    }

    @Test
    void aTreeThatFailedIsUndone() {
        world.begin("t", planned("task"));
        plan(BACK);
        worker.claim();
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        assertThat(take("t", "u1"))
                .as("workers may be about to stop others of it")
                .isInstanceOf(Taken.Runs.class);
        letStop("t");
        create("u1", taken("t", "u1"));
        assertThat(worker.claimNames()).containsExactly("back");
    }

    /** A failure below a group with {@code Continue} leaves others of it to workers that have not been told. */
    @Test
    void aTreeThatPassedWhileAWorkerHasAPartOfItIsWaitedFor() {
        world.begin(
                "t",
                new TreeNode.Group(
                        List.of(World.group(planned("a"), planned("b")), planned("c")),
                        0,
                        TreeNode.OnChildError.CONTINUE,
                        Optional.empty(),
                        TaskBody.named("all")));
        worker.claim();
        worker.step(
                worker.held.stream()
                        .map(claim -> World.brought(claim, "{\"undo\":[" + BACK + "]}"))
                        .toList(),
                0);
        worker.claim();
        worker.held.sort(Comparator.comparing(claim -> claim.task().name()));
        worker.step(List.of(World.failed(worker.held.getFirst()), World.passed(worker.held.getLast(), "1")), 0);
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.FINISHED);
        assertThat(worker.held).as("the third one goes on").hasSize(1);
        assertThat(take("t", "u1")).isInstanceOf(Taken.Runs.class);
        letStop("t");
        assertThat(taken("t", "u1").tasks()).isEqualTo(3);
    }

    /** Ten seconds pass. */
    private void letStop(String tree) {
        String facts = world.store.ask(redis -> redis.hget(world.keys.roots(), tree));
        String[] fields = facts.split("\t", -1);
        fields[ENDED] = "1";
        world.store.ask(redis -> redis.hset(world.keys.roots(), tree, String.join("\t", fields)));
    }

    @Test
    void theNodeThatWasPlannedLastIsUndoneFirstAndNoTaskGetsTheResultOfAnother() {
        world.begin("t", World.chain(planned("a"), planned("b")));
        plan("{\"handler\":\"h\",\"name\":\"a1\"}", "{\"handler\":\"h\",\"name\":\"a2\"}");
        execute();
        plan("{\"handler\":\"h\",\"name\":\"b1\",\"maxTrials\":1}");
        execute();
        letStop("t");
        create("u1", taken("t", "u1"));
        assertThat(worker.claimNames()).containsExactly("b1");
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        assertThat(worker.claimNames()).as("a failure stops nothing").containsExactlyInAnyOrder("a1", "a2");
        assertThat(world.arguments(worker.held.getFirst())).isEqualTo("[]");
    }

    @Test
    void listsMayHaveTheSameNamesInThem() {
        world.begin("t", World.chain(planned("a"), planned("b")));
        for (String who : List.of("a", "b")) {
            plan("{\"chain\":[{\"handler\":\"h\",\"name\":\"x\",\"args\":[\"" + who + "\"]},"
                    + "{\"handler\":\"h\",\"args\":[\"$(results.x)\"]}]}");
            execute();
        }
        letStop("t");
        create("u1", taken("t", "u1"));
        for (String who : List.of("b", "a")) {
            worker.claim();
            assertThat(world.arguments(worker.held.getFirst())).isEqualTo("[\"" + who + "\"]");
            worker.step(List.of(World.passed(worker.held.getFirst(), "\"" + who + "!\"")), 0);
            worker.claim();
            assertThat(world.arguments(worker.held.getFirst())).startsWith("[\"" + who + "!\"");
            execute();
        }
        assertThat(world.state("u1").state()).isEqualTo(TreeState.State.FINISHED);
    }

    @Test
    void theUndoOfTheUndoIsThereWhereItIsAskedFor() {
        world.begin("t", planned("task"));
        plan("{\"handler\":\"h\",\"plan\":true,\"undo\":true}");
        execute();
        LeftUndo undo = taken("t", "u1");
        world.begin("u1", undo.tree(Undo.AS_ONE_TREE));
        plan(BACK);
        execute();
        letStop("u1");
        assertThat(taken("u1", "u2").tasks()).isEqualTo(1);
    }

    @Test
    void aListThatIsTooLargeOrHasAFaultFailsThePlan() {
        world.begin("once", planned("task"));
        plan("{\"handler\":\"h\",\"once\":{\"name\":\"n\"}}");
        assertThat(world.trees.left("once")).isEqualTo(LeftUndo.NOTHING);
        worker.held.clear();
        world.trees.change("once", Trees.Change.CANCEL);
        String large = "{\"handler\":\"h\",\"args\":[\"" + "x".repeat(16_000) + "\"]}";
        world.begin("t", World.group(TreeNode.OnChildError.CONTINUE, Collections.nCopies(17, planned("n"))));
        worker.claim();
        List.copyOf(worker.held)
                .forEach(claim -> worker.step(List.of(World.brought(claim, "{\"undo\":[" + large + "]}")), 0));
        assertThat(world.trees.left("t").tasks()).as("of one tree 256 KiB").isEqualTo(16);
    }

    @Test
    void senselessEntriesAreRefused() {
        world.begin("t", planned("task"));
        String field = "t\0undo";
        for (String text : List.of("x", "{\"tasks\":\"[1]\"}", "=a\n", "{\"tasks\":\"[{}]\",\"pool\":\"p\"}")) {
            world.store.ask(redis -> redis.hset(world.keys.body(), field, text));
            assertThatThrownBy(() -> world.trees.left("t")).isInstanceOf(StoreException.class);
        }
        world.store.ask(redis -> redis.hset(world.keys.body(), field, "x".repeat(300_000)));
        assertThatThrownBy(() -> world.trees.left("t"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("bytes");
    }

    /** Its function may have done what it does. */
    @Test
    void aTreeWithANodeInDoubtIsWaitedFor() {
        TreeNode.Leaf leaf = (TreeNode.Leaf) planned("task");
        world.begin(
                "t", new TreeNode.Leaf("p", Optional.of("h"), 1, 1, leaf.body().withContingency()));
        plan(BACK);
        worker.claim();
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        assertThat(take("t", "u1")).isEqualTo(new Taken.Runs(0, 1));
    }
}
