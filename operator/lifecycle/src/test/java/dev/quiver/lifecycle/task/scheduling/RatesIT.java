package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Permits;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees.Change;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;

/** Only as many tasks start with a resource in a window of time as it says; the first start begins the window. */
class RatesIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void declare(Map<String, PoolOrder.Declared> names) {
        new Lifecycle(world.store)
                .order(world.keyspace, 1)
                .arrange("p", new PoolOrder.Wishes(Map.of(), 0, Optional.empty(), names, Map.of()));
    }

    private static TreeNode leaf(String name, String... names) {
        Rank rank = new Rank(0, List.of(), Optional.empty(), List.of(names));
        return new TreeNode.Leaf("p", Optional.of("h"), 3, 1, rank, World.body(name, "h"));
    }

    private void make(String id, String... names) {
        world.begin(id, leaf(id, names));
    }

    private static List<String> names(List<Claim> claims) {
        return claims.stream().map(claim -> claim.task().name()).toList();
    }

    private Resources.State state(String name) {
        return new Resources(world.store, world.keyspace)
                .read("p", Resources.MOST_READ).resources().stream()
                        .filter(state -> state.name().equals(name))
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    void soManyStartInAWindowAndPlainOnesBesideThem() {
        declare(Map.of("api!*", Declarations.rate(5, 1)));
        IntStream.range(0, 17).forEach(i -> make("t" + i, "api!x"));
        IntStream.range(0, 3).forEach(i -> make("plain" + i));
        List<Claim> first = worker.step(List.of(), 64).claims();
        assertThat(names(first)).containsExactly("t0", "t1", "t2", "t3", "t4", "plain0", "plain1", "plain2");
        List<Settlement> passed = first.stream()
                .<Settlement>map(claim -> World.passed(claim, "1"))
                .toList();
        assertThat(worker.step(passed, 64).claims()).as("none is given back").isEmpty();
        List<Integer> started = new ArrayList<>(List.of(5));
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            world.tick();
            int claims = worker.step(List.of(), 64).claims().size();
            if (claims > 0) {
                started.add(claims);
            }
            return started.stream().mapToInt(n -> n).sum() == 17;
        });
        assertThat(started).containsExactly(5, 5, 5, 2);
        world.work(worker, _ -> Optional.of("1"));
        String classes = world.keys.queue("p").get(7);
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
            world.tick();
            long windows = world.store.ask(redis -> redis.hkeys(classes)).stream()
                    .filter(field -> field.startsWith("v"))
                    .count();
            return windows == 0;
        });
        new Lifecycle(world.store).order(world.keyspace, 1).forget("p");
        long left = world.store.ask(redis ->
                redis.exists(world.keys.queue("p").get(6), world.keys.queue("p").get(7)));
        assertThat(left).as("keys").isZero();
    }

    @Test
    void whatWaitsForTheNextWindowSaysSo() {
        declare(Map.of("api!*", Declarations.rate(1, 60)));
        make("runs", "api!x");
        TreeNode root = leaf("waits", "api!x");
        world.begin("waits", root);
        make("free", "api!y");
        assertThat(names(worker.step(List.of(), 5).claims())).containsExactly("runs", "free");
        Permits all = new Permits(1, 1, Optional.of(Duration.ofMinutes(1)), List.of());
        assertThat(state("api!x").permits()).contains(all);
        assertThat(world.trees.blockage(TaskTree.of("waits", root)).missing())
                .singleElement()
                .satisfies(missing -> assertThat(missing.permits()).contains(all));
        declare(Map.of("api!*", Declarations.rate(2, 60)));
        assertThat(names(worker.step(List.of(), 5).claims()))
                .as("two a minute now")
                .containsExactly("waits");
        make("last", "api!x");
        assertThat(worker.step(List.of(), 5).claims()).isEmpty();
        declare(Map.of("api!*", PoolOrder.Declared.uncounted(true)));
        assertThat(names(worker.step(List.of(), 5).claims()))
                .as("without a rate")
                .containsExactly("last");
    }

    /** The window is over by the clock, and the command that says so has not run when another class begins the next one. */
    @Test
    void whatWaitsForAWindowComesUpWhereANewcomerBeginsTheNextOne() {
        declare(Map.of("api!*", Declarations.rate(2, 1)));
        IntStream.range(0, 2).forEach(i -> make("first" + i, "api!x"));
        IntStream.range(0, 3).forEach(i -> world.begin("high" + i, tagged("high" + i, 5, "view")));
        assertThat(worker.step(List.of(), 2).claims()).hasSize(2);
        assertThat(worker.step(List.of(), 2).claims()).isEmpty();
        Awaitility.await()
                .pollDelay(Duration.ofMillis(1100))
                .untilAsserted(() -> world.begin("low", tagged("low", -5, "other")));
        List<String> next = new ArrayList<>(names(worker.step(List.of(), 1).claims()));
        next.addAll(names(worker.step(List.of(), 1).claims()));
        assertThat(next).anyMatch(name -> name.startsWith("high"));
    }

    private static TreeNode tagged(String name, int priority, String tag) {
        Rank rank = new Rank(priority, List.of(tag), Optional.empty(), List.of("api!x"));
        return new TreeNode.Leaf("p", Optional.of("h"), 3, 1, rank, World.body(name, "h"));
    }

    /** They were taken out of the queue, and did not start. */
    @Test
    void tasksOfASuspendedTreeUseNoStarts() {
        declare(Map.of("api!*", Declarations.rate(2, 3600)));
        TreeNode[] leaves =
                IntStream.range(0, 4).mapToObj(i -> leaf("l" + i, "api!x")).toArray(TreeNode[]::new);
        world.begin("tree", World.group(leaves));
        world.trees.change("tree", Change.SUSPEND);
        make("other", "api!x");
        assertThat(names(worker.step(List.of(), 5).claims())).containsExactly("other");
    }

    @Test
    void aWindowNeedsANumber() {
        assertThatThrownBy(() -> new PoolOrder.Declared(true, Optional.empty(), Optional.of(1), false, false))
                .hasMessage("perSeconds needs permits");
        assertThatThrownBy(() -> Declarations.rate(1, 0)).hasMessageContaining("perSeconds");
        assertThatThrownBy(() -> Declarations.permits(10_001)).hasMessageContaining("permits");
    }
}
