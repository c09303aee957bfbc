package dev.quiver.lifecycle.task.tree;

import static dev.quiver.lifecycle.task.World.chain;
import static dev.quiver.lifecycle.task.World.each;
import static dev.quiver.lifecycle.task.World.failed;
import static dev.quiver.lifecycle.task.World.group;
import static dev.quiver.lifecycle.task.World.leaf;
import static dev.quiver.lifecycle.task.World.passed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.World.Worker;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.Trees.Change;
import dev.quiver.lifecycle.task.model.Trees.Measured;
import dev.quiver.lifecycle.worker.Claim;

/** The operator's side of trees: what it changes under its term, and what it reads within bounds. */
class TreeControlIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void create(String tree, TreeNode root, Duration deadline) {
        world.trees.create(new TaskTree(
                tree,
                root,
                Optional.of(leaf("clean up")),
                true,
                Optional.of(deadline),
                Duration.ZERO,
                Optional.empty()));
    }

    private TreeReport report(String tree) {
        return world.trees.report(tree, 32).orElseThrow();
    }

    private boolean isOverAt(String tree) {
        world.tick();
        return report(tree).state().state().isOver();
    }

    @Test
    void leaderThatWasReplacedChangesNothing() {
        Lifecycle lifecycle = new Lifecycle(world.store);
        TaskTrees before = lifecycle.trees(world.keyspace, 4);
        before.create(TaskTree.of("t", leaf("a")));
        lifecycle.trees(world.keyspace, 5).change("t", Change.SUSPEND);
        assertThatThrownBy(() -> before.change("t", Change.RESUME)).isInstanceOf(StaleLeaderException.class);
        assertThatThrownBy(() -> before.limit("t", Optional.of(Duration.ofMillis(1))))
                .isInstanceOf(StaleLeaderException.class);
        assertThatThrownBy(() -> before.drop("t", 0)).isInstanceOf(StaleLeaderException.class);
        assertThatThrownBy(() -> before.create(TaskTree.of("u", leaf("a")))).isInstanceOf(StaleLeaderException.class);
        assertThat(report("t").suspended()).isTrue();
        assertThat(world.trees.find("u")).isEmpty();
        assertThat(world.trees.change("t", Change.RESUME)).as("nobody's term").isTrue();
    }

    @Test
    void changedDeadlineIsTheOneThatCounts() {
        create("t", chain(leaf("a")), Duration.ofMillis(200));
        assertThat(world.trees.limit("t", Optional.of(Duration.ofMillis(200)))).isFalse();
        assertThat(world.trees.limit("t", Optional.of(Duration.ofHours(1)))).isTrue();
        Awaitility.await().during(Duration.ofMillis(500)).until(() -> isOverAt("t"), over -> !over);
        assertThat(world.trees.limit("t", Optional.empty())).isTrue();
        assertThat(world.trees.limit("t", Optional.of(Duration.ofMillis(300)))).isTrue();
        assertThat(isOverAt("t")).as("it counts from the start").isTrue();
        assertThat(report("t").failure().map(it -> it.error().reason())).hasValue("DeadlineExceeded");
        assertThat(world.trees.limit("t", Optional.empty())).as("it is over").isFalse();
    }

    @Test
    void suspendStopsTheClockAndResumeStartsItAnew() {
        create("t", chain(leaf("a")), Duration.ofMillis(400));
        assertThat(world.trees.change("t", Change.SUSPEND)).isTrue();
        Awaitility.await().during(Duration.ofMillis(700)).until(() -> isOverAt("t"), over -> !over);
        var begun = report("t").startedAt().orElseThrow();
        assertThat(world.trees.change("t", Change.RESUME)).isTrue();
        assertThat(report("t").startedAt().orElseThrow()).isAfter(begun.plusMillis(600));
        assertThat(isOverAt("t")).isFalse();
        Awaitility.await().until(() -> isOverAt("t"));
    }

    /** A cancelled Task is resumed for its node at the end; the root does not begin again by that. */
    @Test
    void startStaysWhereASuspendedTreeIsCancelled() {
        create("t", chain(leaf("a")), Duration.ofHours(1));
        Worker worker = world.worker("p", "h");
        world.tick();
        world.trees.change("t", Change.SUSPEND);
        var begun = report("t").startedAt().orElseThrow();
        assertThat(world.trees.change("t", Change.CANCEL)).isTrue();
        Awaitility.await().until(() -> report("t").storeTime(), now -> now.isAfter(begun.plusMillis(50)));
        assertThat(world.trees.change("t", Change.RESUME)).isTrue();
        world.tick();
        assertThat(worker.claimNames()).containsExactly("clean up");
        worker.step(List.of(passed(worker.held.getFirst(), "1")), 0);
        assertThat(report("t"))
                .returns(Optional.of(begun), TreeReport::startedAt)
                .satisfies(it -> assertThat(it.state().over()).isTrue());
    }

    @Test
    void suspendedTreeWithholdsTheNodeAtItsEndToo() {
        create("t", leaf("a"), Duration.ofHours(1));
        Worker worker = world.worker("p", "h");
        Claim held = worker.claim().getFirst();
        world.trees.change("t", Change.SUSPEND);
        worker.step(List.of(passed(held, "1")), 8);
        assertThat(worker.claimNames()).isEmpty();
        assertThat(report("t")).returns(true, TreeReport::suspended).returns(Optional.empty(), TreeReport::finishedAt);
        assertThat(world.trees.change("t", Change.RESUME)).isTrue();
        world.tick();
        assertThat(worker.claimNames()).containsExactly("clean up");
        worker.step(List.of(failed(worker.held.getFirst())), 8);
        TreeReport over = report("t");
        assertThat(over.state().over()).isTrue();
        assertThat(over.finishedAt()).isPresent();
        assertThat(over.failure()).isEmpty();
        assertThat(over.endFailure())
                .hasValueSatisfying(end -> assertThat(end.name()).isEqualTo("clean up"));
        long parked = world.store.ask(redis -> redis.zcard(world.keys.parked()));
        assertThat(parked).isZero();
    }

    @Test
    void delayedTreeHasNotStarted() {
        world.trees.create(new TaskTree(
                "t", leaf("a"), Optional.empty(), true, Optional.empty(), Duration.ofHours(1), Optional.empty()));
        assertThat(report("t").startedAt()).isEmpty();
        world.trees.change("t", Change.SUSPEND);
        world.trees.change("t", Change.RESUME);
        assertThat(report("t").startedAt()).isEmpty();
    }

    @Test
    void failureIsThatOfTheNodeThatFailedFirst() {
        world.begin("t", chain(leaf("list"), each(chain(leaf("page")), 0)));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(passed(worker.claim().getFirst(), "[1,2]")), 8);
        worker.step(List.of(failed(worker.held.getLast())), 0);
        TreeReport report = report("t");
        assertThat(report.failure().orElseThrow().name()).isEqualTo("page");
        assertThat(report.failure().orElseThrow().error().reason()).isEqualTo("Error");
        assertThat(report.nodes()).extracting(NodeState::name).contains("page", "list");
        assertThat(report.nodes().getFirst().message()).isEqualTo("no");
    }

    @Test
    void reportCopiesNothingLarge() {
        world.begin("t", group(leaf("a"), leaf("b")));
        String large = "x".repeat(2 << 20);
        world.store.ask(redis -> redis.hset(world.keys.nodes(), "t.1", "L\ts\t" + large));
        world.store.ask(redis -> redis.hset(world.keys.body(), "t.2", "{\"name\":\"" + large + "\"}"));
        assertThat(report("t").nodes()).extracting(NodeState::name).containsExactly("group", "t.2");
        world.store.ask(redis -> redis.hset(world.keys.roots(), "t", large));
        assertThatThrownBy(() -> report("t"))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("task:roots");
        world.store.ask(redis -> redis.hset(world.keys.roots(), "t", "a\tb"));
        assertThatThrownBy(() -> report("t"))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("makes no sense");
    }

    @Test
    void treesThatEndedOrAreGoneAreFound() {
        world.begin("going", leaf("a"));
        create("cleaning", leaf("b"), Duration.ofHours(1));
        world.begin("over", leaf("c"));
        world.trees.change("cleaning", Change.CANCEL);
        world.trees.change("over", Change.CANCEL);
        assertThat(world.trees.ended(List.of("going", "cleaning", "over", "unknown")))
                .containsExactlyInAnyOrder("over", "unknown");
        assertThat(world.trees.ended(List.of())).isEmpty();
    }

    @Test
    void treesOfAFormAreFoundAmongThousands() {
        String uid = "0d1f9a3e-5c56-4a5e-9d5b-1a2b3c4d5e6f";
        for (int i = 0; i < 5000; i++) {
            String id = "client" + i;
            world.store.ask(redis -> redis.hset(world.keys.roots(), id, ""));
        }
        world.begin(uid, leaf("a"));
        world.store.ask(redis -> redis.hset(world.keys.roots(), uid + "-r1", ""));
        assertThat(world.trees.present("????????-????-????-????-????????????*")).isEqualTo(Set.of(uid, uid + "-r1"));
    }

    @Test
    void keyspaceWithATreeIsNotRetired() {
        var health = new Lifecycle(world.store).health(world.keyspace, 1);
        world.begin("t", leaf("a"));
        assertThat(health.retire()).isFalse();
        while (!world.trees.drop("t", 1000)) {}
        assertThat(health.retire()).isTrue();
    }

    @Test
    void resultIsMeasuredAndReadWhereItIsSmall() {
        world.begin(
                "t",
                group(
                        OnChildError.CONTINUE,
                        List.of(leaf("text"), chain(leaf("first"), leaf("list")), leaf("bad"), leaf("void"))));
        world.work(world.worker("p", "h"), claim -> switch (claim.task().name()) {
            case "text" -> Optional.of("\"ä\"");
            case "list" -> Optional.of("[1, 2]");
            case "bad" -> Optional.empty();
            default -> Optional.of("null");
        });
        String json = world.trees.result("t", 1000);
        assertThat(json).isEqualTo("[\"ä\",[1, 2],null,null]");
        assertThat(world.trees.measure("t", 1000))
                .isEqualTo(new Measured(Optional.of((long) World.bytes(json)), Optional.of(json)));
        assertThat(world.trees.measure("t", World.bytes(json)).json()).hasValue(json);
        assertThat(world.trees.measure("t", World.bytes(json) - 1))
                .isEqualTo(new Measured(Optional.of((long) World.bytes(json)), Optional.empty()));
    }

    @Test
    void largeResultsAreMeasuredWithoutBeingRead() {
        TreeNode[] leaves =
                IntStream.range(0, 1200).mapToObj(i -> leaf("n" + i)).toArray(TreeNode[]::new);
        world.begin("t", group(leaves));
        String value = "\"" + "x".repeat(2000) + "\"";
        world.work(world.worker("p", "h"), claim -> Optional.of(value));
        assertThat(world.trees.measure("t", 4096))
                .isEqualTo(new Measured(Optional.of(1200L * (value.length() + 1) + 1), Optional.empty()));
    }

    /** The deadlines among the commands. */
    private List<String> deadlines() {
        return world.store.ask(redis -> redis.zrange(world.keys.commands(), 0, -1)).stream()
                .filter(command -> command.startsWith("expire"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"success", "failure", "cancel", "drop", "suspend"})
    void deadlineThatIsNotNeededIsNoCommandAnyMore(String how) {
        Optional<Duration> day = Optional.of(Duration.ofDays(1));
        TreeNode inner =
                new TreeNode.Group(List.of(leaf("a"), leaf("b")), 0, OnChildError.FAIL, day, TaskBody.named("inner"));
        TreeNode empty = new TreeNode.Chain(List.of(), OnChildError.FAIL, day, TaskBody.named("empty"));
        create("t", chain(empty, inner), Duration.ofHours(1));
        assertThat(deadlines()).hasSize(2);
        world.trees.limit("t", Optional.of(Duration.ofHours(2)));
        assertThat(deadlines()).hasSize(2);
        Worker worker = world.worker("p", "h");
        switch (how) {
            case "cancel" -> world.trees.change("t", Change.CANCEL);
            case "drop" -> world.trees.drop("t", 5);
            case "suspend" -> {
                world.trees.change("t", Change.SUSPEND);
                assertThat(deadlines()).singleElement().asString().startsWith("expire\tt.2\t");
                world.trees.change("t", Change.RESUME);
                assertThat(deadlines()).hasSize(2);
                world.trees.change("t", Change.CANCEL);
            }
            case "success" -> world.work(worker, claim -> Optional.of("1"));
            default -> worker.step(List.of(World.failed(worker.claim().getFirst())), 0);
        }
        world.tick();
        assertThat(deadlines()).isEmpty();
    }
}
