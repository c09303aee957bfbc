package dev.quiver.lifecycle.task.tree;

import static dev.quiver.lifecycle.task.World.chain;
import static dev.quiver.lifecycle.task.World.leaf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.commands.ScheduleFire;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.OnceName.Only;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees.Change;
import dev.quiver.lifecycle.task.model.Trees.Created;
import dev.quiver.lifecycle.task.producer.Submission;
import dev.quiver.lifecycle.task.producer.TaskProducer;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;
import dev.quiver.lifecycle.task.schedule.ScheduleSpec;
import dev.quiver.lifecycle.task.schedule.ScheduleSpec.Policy;
import dev.quiver.lifecycle.task.schedule.TaskSchedules;
import dev.quiver.lifecycle.task.schedule.TaskSchedules.Before;

/** Trees of resources with names, which programs have as well. */
class TreeNamesIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String NAME = "sync:7";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;
    private TaskProducer producer;
    private TaskSchedules schedules;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h", "h#plan");
        producer = new TaskProducer(world.store, world.keyspace, () -> {});
        schedules = new Lifecycle(world.store).schedules(world.keyspace, 7);
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static TreeNode twice(String name) {
        return new TreeNode.Leaf("p", Optional.of("h"), 2, 1, World.body(name, "h"));
    }

    private static TaskTree tree(String id, Only only) {
        return TaskTree.of(id, twice(id)).named(Optional.of(new OnceName(NAME, only)));
    }

    private void create(String id, Only only) {
        assertThat(world.trees.create(tree(id, only).owned("Task of-" + id))).isEqualTo(Created.BEGUN);
    }

    private String submit(String id, Only only) {
        TaskTree tree = new TaskTree(
                id,
                twice(id),
                Optional.empty(),
                false,
                Optional.empty(),
                Duration.ZERO,
                Optional.of(Duration.ofHours(1)));
        producer.submit(Submission.named(tree, new OnceName(NAME, only)), PATIENCE);
        return producer.holder(id, NAME);
    }

    private NodeError error(String tree) {
        return world.trees.report(tree, 1).orElseThrow().failure().orElseThrow().error();
    }

    private void assertQueued(String tree, String by) {
        assertThat(error(tree).reason()).isEqualTo("AlreadyQueued");
        assertThat(error(tree).message()).contains(by).contains("under the name \"" + NAME + "\"");
    }

    private boolean isOver(String tree) {
        return world.trees.ended(List.of(tree)).contains(tree);
    }

    private long names() {
        return world.store.ask(redis -> redis.hlen(world.keys.names()));
    }

    @Test
    void treeWhoseNameIsTakenIsOverAndNeverRan() {
        create("a", Only.WHILE_IT_WAITS);
        create("b", Only.WHILE_IT_WAITS);
        assertQueued("b", "Task of-a (a) waits");
        assertThat(isOver("b")).isTrue();
        assertThat(worker.claimNames()).containsExactly("a");
        worker.step(List.of(World.passed(worker.held.getFirst(), "1")), 9);
        assertThat(world.trees.create(tree("b", Only.WHILE_IT_WAITS)))
                .as("the reply was lost, and the operator asks again")
                .isEqualTo(Created.KNOWN);
        assertQueued("b", "Task of-a (a) waits");
        assertThat(worker.claim()).isEmpty();
    }

    @Test
    void programsAndResourcesShareNames() {
        assertThat(submit("a", Only.WHILE_IT_WAITS)).isEqualTo("a");
        create("b", Only.WHILE_IT_WAITS);
        assertQueued("b", "task a waits");
        assertThat(worker.claimNames()).containsExactly("a");
        create("c", Only.WHILE_IT_WAITS);
        assertThat(submit("d", Only.WHILE_IT_WAITS)).isEqualTo("c");
        assertThat(worker.claimNames()).containsExactly("c");
    }

    @Test
    void newestTakesThePlaceOfTheOneThatWaitsWhoseverItWas() {
        submit("a", Only.THE_NEWEST);
        create("b", Only.THE_NEWEST);
        assertThat(error("a").reason()).isEqualTo("Replaced");
        assertThat(error("a").message()).endsWith("took its place while it waited: Task of-b (b)");
        submit("c", Only.THE_NEWEST);
        assertThat(error("b").message())
                .isEqualTo("a newer task of the same name took its place while it waited: task c");
        assertThat(worker.claimNames()).containsExactly("c");
        create("d", Only.THE_NEWEST);
        assertThat(worker.claimNames()).as("what runs goes on").containsExactly("d");
        assertThat(isOver("c")).isFalse();
    }

    @Test
    void taskThatComesBackHasItsNameAgain() {
        create("a", Only.WHILE_IT_WAITS);
        worker.claim();
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        create("b", Only.WHILE_IT_WAITS);
        assertQueued("b", "(a)");
        World.Worker mortal = world.worker("p", "h");
        assertThat(mortal.claimNames()).containsExactly("a");
        mortal.die();
        world.reaper.tick();
        create("c", Only.WHILE_IT_WAITS);
        assertQueued("c", "(a)");
        world.trees.rank(TaskTree.of(
                "a",
                new TreeNode.Leaf(
                        "p",
                        Optional.of("h"),
                        2,
                        1,
                        new Rank(7, List.of("view"), Optional.empty(), List.of()),
                        World.body("a", "h"))));
        create("d", Only.WHILE_IT_WAITS);
        assertQueued("d", "(a)");
    }

    @Test
    void oneThatWasTakenAndComesBackBesideTheNextRunsToo() {
        create("a", Only.WHILE_IT_WAITS);
        worker.claim();
        create("b", Only.WHILE_IT_WAITS);
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        create("c", Only.WHILE_IT_WAITS);
        assertQueued("c", "(b)");
        world.tick();
        assertThat(worker.claimNames()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void oneThatHasItsNameToTheEndKeepsItWhateverTheNextOneSays() {
        create("a", Only.WHILE_IT_GOES_ON);
        worker.claim();
        assertThat(submit("program", Only.THE_NEWEST)).isEqualTo("a");
        create("b", Only.WHILE_IT_WAITS);
        assertQueued("b", "Task of-a (a)");
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        create("c", Only.THE_NEWEST);
        assertQueued("c", "Task of-a (a)");
        assertThat(worker.claimNames()).as("its second trial").containsExactly("a");
    }

    @Test
    void oneThatWaitsAgainKeepsAThirdAway() {
        create("a", Only.WHILE_IT_WAITS);
        worker.claim();
        create("b", Only.WHILE_IT_WAITS);
        World.Worker other = world.worker("p", "h");
        assertThat(other.claimNames()).containsExactly("b");
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        create("c", Only.WHILE_IT_WAITS);
        assertQueued("c", "Task of-a (a) waits");
        other.step(List.of(World.passed(other.held.getFirst(), "1")), 0);
        create("d", Only.WHILE_IT_WAITS);
        assertQueued("d", "Task of-a (a) waits");
        assertThat(world.trees.drop("b", 1)).isNotNull();
        create("e", Only.THE_NEWEST);
        assertThat(error("a").reason()).isEqualTo("Replaced");
        assertThat(worker.claimNames()).containsExactly("e");
        List.of("a", "c", "d", "e").forEach(tree -> world.trees.drop(tree, 1));
        world.tick();
        assertThat(names()).isZero();
    }

    @Test
    void resumedOneIsReplacedThoughAnotherHadTheNameMeanwhile() {
        create("a", Only.THE_NEWEST);
        world.trees.change("a", Change.SUSPEND);
        create("b", Only.WHILE_IT_WAITS);
        assertThat(worker.claimNames()).containsExactly("b");
        worker.step(List.of(World.passed(worker.held.getFirst(), "1")), 0);
        world.trees.change("a", Change.RESUME);
        world.tick();
        create("c", Only.THE_NEWEST);
        assertThat(error("a").reason()).isEqualTo("Replaced");
        assertThat(worker.claimNames()).containsExactly("c");
    }

    @Test
    void droppedOnesLeaveTheNameToThoseBefore() {
        create("a", Only.WHILE_IT_WAITS);
        worker.claim();
        create("b", Only.WHILE_IT_WAITS);
        World.Worker other = world.worker("p", "h");
        other.claim();
        create("c", Only.WHILE_IT_WAITS);
        world.trees.drop("c", 1);
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        world.trees.drop("b", 1);
        create("d", Only.WHILE_IT_WAITS);
        assertQueued("d", "Task of-a (a) waits");
    }

    @Test
    void cancelledAndDroppedOnesHaveNoName() {
        create("a", Only.WHILE_IT_WAITS);
        world.trees.change("a", Change.CANCEL);
        create("b", Only.WHILE_IT_WAITS);
        assertThat(isOver("b")).isFalse();
        world.trees.drop("b", 1);
        create("c", Only.WHILE_IT_WAITS);
        assertThat(worker.claimNames()).containsExactly("c");
        world.trees.drop("c", 1);
        world.trees.drop("a", 1);
        assertThat(names()).isZero();
        assertThat(world.nodes()).isZero();
    }

    /** The operator dies behind the script that drops a tree, and nobody has run what that leaves. */
    @Test
    void nameOfATreeThatIsDroppedIsFreeBeforeItIsSwept() {
        world.trees.create(TaskTree.of("a", chain(leaf("x"), leaf("y")))
                .named(Optional.of(new OnceName(NAME, Only.WHILE_IT_GOES_ON))));
        world.store.run(
                TaskScripts.DROP,
                TaskScripts.DROP.keys(TaskScriptKeys.of(world.keyspace, "a")::key, List.of()),
                "",
                "a",
                "60000",
                "3");
        assertThat(world.nodes()).as("it is not swept").isNotZero();
        create("b", Only.WHILE_IT_GOES_ON);
        assertThat(isOver("b")).isFalse();
        world.tick();
        create("c", Only.WHILE_IT_GOES_ON);
        assertQueued("c", "(b) goes on");
    }

    @Test
    void suspendedOneKeepsNobodyWaitingAndTheNewestEndsIt() {
        create("a", Only.WHILE_IT_WAITS);
        world.trees.change("a", Change.SUSPEND);
        create("b", Only.WHILE_IT_WAITS);
        assertThat(worker.claimNames()).as("it may never be resumed").containsExactly("b");
        create("c", Only.WHILE_IT_WAITS);
        world.trees.change("c", Change.SUSPEND);
        create("d", Only.THE_NEWEST);
        assertThat(error("c").reason()).isEqualTo("Replaced");
        world.trees.change("a", Change.RESUME);
        world.tick();
        assertThat(worker.claimNames()).containsExactlyInAnyOrder("a", "d");
    }

    @Test
    void suspendedOneThatKeepsItsNameToTheEndKeepsIt() {
        create("a", Only.WHILE_IT_GOES_ON);
        world.trees.change("a", Change.SUSPEND);
        create("b", Only.WHILE_IT_GOES_ON);
        assertQueued("b", "(a) goes on");
    }

    @Test
    void postponedOneHasItsNameAndLeavesNoTimer() {
        TaskTree later = new TaskTree(
                "a",
                twice("a"),
                Optional.empty(),
                true,
                Optional.of(Duration.ofHours(1)),
                Duration.ofHours(1),
                Optional.empty());
        world.trees.create(later.named(Optional.of(new OnceName(NAME, Only.WHILE_IT_WAITS))));
        create("b", Only.WHILE_IT_WAITS);
        assertQueued("b", "task a waits");
        create("c", Only.THE_NEWEST);
        assertThat(error("a").reason()).isEqualTo("Replaced");
        long timers = world.store.ask(redis -> redis.zcard(world.keys.commands()));
        assertThat(timers).isZero();
        assertThat(worker.claimNames()).containsExactly("c");
    }

    @Test
    void timeThatIsOverFreesTheName() {
        TaskTree brief = new TaskTree(
                "a",
                twice("a"),
                Optional.empty(),
                true,
                Optional.of(Duration.ofMillis(1)),
                Duration.ZERO,
                Optional.empty());
        world.trees.create(brief.named(Optional.of(new OnceName(NAME, Only.WHILE_IT_WAITS))));
        await().untilAsserted(() -> {
            world.tick();
            assertThat(isOver("a")).isTrue();
        });
        create("b", Only.WHILE_IT_WAITS);
        assertThat(worker.claimNames()).containsExactly("b");
    }

    @Test
    void undoneOneHasNoName() {
        create("a", Only.WHILE_IT_WAITS);
        world.trees.take("a", "u", "undo", Rank.NONE);
        create("b", Only.WHILE_IT_WAITS);
        assertThat(worker.claimNames()).containsExactly("b");
    }

    private static TaskTree composite(String id) {
        return new TaskTree(
                        id,
                        chain(leaf(id + "-x"), leaf(id + "-y")),
                        Optional.of(chain(leaf(id + "-tidy"))),
                        true,
                        Optional.of(Duration.ofHours(1)),
                        Duration.ZERO,
                        Optional.empty())
                .named(Optional.of(new OnceName(NAME, Only.WHILE_IT_GOES_ON)));
    }

    @Test
    void compositeHasItsNameUntilTheNodeAtItsEndIsOver() {
        world.trees.create(composite("a"));
        world.trees.create(composite("b"));
        assertQueued("b", "task a goes on");
        assertThat(isOver("b")).as("the node at its end does not run").isTrue();
        world.tick();
        TreeReport over = world.trees.report("b", 32).orElseThrow();
        assertThat(over.nodes())
                .extracting(node -> node.state())
                .as("each has ended")
                .containsOnly(TreeState.State.FAILED);
        assertThat(over.state().counts().failed()).isEqualTo(over.nodes().size());
        for (String name : List.of("a-x", "a-y", "a-tidy")) {
            world.trees.create(composite("before-" + name));
            assertQueued("before-" + name, "task a");
            assertThat(worker.claimNames()).containsExactly(name);
            worker.step(List.of(World.passed(worker.held.getFirst(), "1")), 0);
        }
        world.trees.create(composite("c"));
        assertThat(worker.claimNames()).containsExactly("c-x");
    }

    @Test
    void treeThatIsMadeAgainAfterALossReplacesNone() {
        create("a", Only.THE_NEWEST);
        world.trees.create(tree("b", Only.THE_NEWEST).again());
        assertThat(worker.claimNames())
                .as("nobody knows which is the newer one")
                .containsExactly("a", "b");
        world.trees.create(tree("c", Only.THE_NEWEST).again());
        create("d", Only.THE_NEWEST);
        assertThat(error("c").reason()).as("it had the name, which was free").isEqualTo("Replaced");
    }

    @Test
    void nameThatMakesNoSenseIsFree() {
        world.store.ask(redis -> redis.hset(world.keys.names(), "n:" + NAME, "x".repeat(100_000)));
        create("a", Only.WHILE_IT_WAITS);
        create("b", Only.WHILE_IT_WAITS);
        assertQueued("b", "(a)");
        world.store.ask(redis -> redis.hset(world.keys.names(), "w:a", "x".repeat(100_000)));
        create("c", Only.WHILE_IT_WAITS);
        assertQueued("c", "task a");
    }

    @Test
    void singleTasksNameIsOfNoComposite() {
        assertThatThrownBy(() -> composite("a").named(Optional.of(new OnceName(NAME, Only.WHILE_IT_WAITS))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"sync:7\" is kept until its task starts");
    }

    private void put(Only only, Policy policy) {
        schedules.put(
                new ScheduleSpec("@yearly", "Etc/UTC", Optional.empty(), policy, false, 9, 9),
                tree("s", only).owned("Task nightly"),
                Before.NONE);
    }

    /** As if it had been put long ago. */
    private void fire() {
        long at = ScheduleFire.now(world.store).minusMillis(500).toEpochMilli();
        String before = world.store.ask(redis -> redis.hget(world.keys.schedule("s"), "next_at"));
        world.store.ask(redis -> redis.zrem(world.keys.commands(), "fire\ts\t" + before + "\t\t0"));
        world.store.ask(redis -> redis.hset(world.keys.schedule("s"), "next_at", Long.toString(at)));
        world.store.ask(redis -> redis.zadd(world.keys.commands(), at, "fire\ts\t" + at + "\t\t0"));
        world.tick();
    }

    private ScheduleReport report() {
        return schedules.report("s").orElseThrow();
    }

    private void claimRuns(int count) {
        assertThat(worker.claim()).hasSize(count);
    }

    @Test
    void runOfAScheduleIsMissedWhileTheLastOneWaits() {
        put(Only.WHILE_IT_WAITS, Policy.ALLOW);
        fire();
        fire();
        fire();
        assertThat(report().missed()).isEqualTo(2);
        assertThat(report().runs()).hasSize(1);
        claimRuns(1);
        fire();
        assertThat(report().runs()).as("the first one runs").hasSize(2);
        create("b", Only.WHILE_IT_WAITS);
        assertQueued("b", "Task nightly (s-2) waits");
        claimRuns(1);
        submit("c", Only.WHILE_IT_WAITS);
        fire();
        assertThat(report().missed()).as("a program's task has the name").isEqualTo(3);
    }

    @Test
    void runOfAScheduleTakesThePlaceOfTheOneThatWaits() {
        put(Only.THE_NEWEST, Policy.ALLOW);
        fire();
        fire();
        assertThat(report().missed()).isZero();
        assertThat(report().runs()).extracting(ScheduleReport.Run::reason).containsExactly("", "Replaced");
        assertThat(error("s-1").message()).endsWith(": Task nightly (s-2)");
        create("b", Only.THE_NEWEST);
        assertThat(error("s-2").message()).endsWith(": Task of-b (b)");
        claimRuns(1);
    }

    @Test
    void runThatTheNextOneCancelsGivesItTheName() {
        put(Only.WHILE_IT_GOES_ON, Policy.REPLACE);
        fire();
        claimRuns(1);
        fire();
        assertThat(report().runs()).extracting(ScheduleReport.Run::reason).containsExactly("", "Cancelled");
        create("b", Only.WHILE_IT_GOES_ON);
        assertQueued("b", "(s-2)");
        schedules.drop("s", 1);
        create("c", Only.WHILE_IT_GOES_ON);
        assertThat(isOver("c")).isFalse();
    }

    @Test
    void runIsMissedWhileTheNodeAtTheEndOfTheLastOneGoesOn() {
        TaskTree tree = new TaskTree(
                "s", leaf("x"), Optional.of(leaf("tidy")), true, Optional.empty(), Duration.ZERO, Optional.empty());
        schedules.put(
                new ScheduleSpec("@yearly", "Etc/UTC", Optional.empty(), Policy.REPLACE, false, 9, 9),
                tree.named(Optional.of(new OnceName(NAME, Only.WHILE_IT_GOES_ON)))
                        .owned("Task n"),
                Before.NONE);
        fire();
        assertThat(worker.claimNames()).containsExactly("x");
        worker.step(List.of(World.passed(worker.held.getFirst(), "1")), 0);
        assertThat(worker.claimNames()).containsExactly("tidy");
        long missed = schedules.report("s").orElseThrow().missed();
        fire();
        assertThat(worker.claimNames()).isEmpty();
        assertThat(schedules.report("s").orElseThrow().missed()).isGreaterThan(missed);
    }

    @Test
    void replacedRunsAreNotKeptAmongThoseThatFailed() {
        schedules.put(
                new ScheduleSpec("@yearly", "Etc/UTC", Optional.empty(), Policy.ALLOW, false, 9, 1),
                TaskTree.of("s", new TreeNode.Leaf("p", Optional.of("h"), 1, 1, World.body("s", "h")))
                        .named(Optional.of(new OnceName(NAME, Only.THE_NEWEST)))
                        .owned("Task n"),
                Before.NONE);
        fire();
        worker.claim();
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        fire();
        fire();
        fire();
        assertThat(schedules.report("s").orElseThrow().runs())
                .extracting(ScheduleReport.Run::number)
                .containsExactlyInAnyOrder(1L, 3L, 4L);
        fire();
        world.tick();
        assertThat(error("s-1").reason()).as("the one that failed").isNotEqualTo("Replaced");
        assertThat(world.trees.report("s-2", 1)).isEmpty();
    }

    @Test
    void scheduleThatLosesItsNameFiresAsBefore() {
        put(Only.WHILE_IT_WAITS, Policy.ALLOW);
        fire();
        schedules.put(ScheduleSpec.of("@yearly", "Etc/UTC"), TaskTree.of("s", twice("s")), Before.NONE);
        fire();
        assertThat(report().runs()).hasSize(2);
    }
}
