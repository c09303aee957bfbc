package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.supervisor.PoolFixture;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.TimedExecutor;

/**
 * Redis comes back with the state of a moment before, as after a failover or a crash of its machine. It does so under
 * supervisors that settled leaves of trees since. Leaves may run again; each tree ends as it would have, and nothing
 * counts twice.
 */
@org.junit.jupiter.api.parallel.Execution(ExecutionMode.CONCURRENT)
class TreeRewindIT {

    private static final int ROUNDS = 4;
    private static final int TREES = 6;
    private static final int DEPTH = 4;
    private static final String FAILING = "fails";

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyTreeEndsAsItWouldHave(long seed) {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        Random random = new Random(seed);
        try (RedisProcess redis = RedisProcess.start("--appendonly", "no");
                PoolFixture pool = new PoolFixture(redis.endpoint()).reaping();
                TimedExecutor one = executor(seed);
                TimedExecutor two = executor(-seed);
                Engine first = engine("a", pool, one);
                Engine second = engine("b", pool, two)) {
            TaskTrees trees = pool.lifecycle().trees(pool.keyspace());
            first.start();
            second.start();
            for (int round = 0; round < ROUNDS; round++) {
                List<Planted> planted = new ArrayList<>();
                for (int i = 0; i < TREES; i++) {
                    planted.add(plant(trees, "tree-" + round + "-" + i, node(random, DEPTH)));
                }
                long all = planted.stream().mapToLong(Planted::leaves).sum();
                awaitProgress(trees, planted, random.nextLong(all / 2));
                redis.keep();
                awaitProgress(trees, planted, all / 2 + random.nextLong(all / 2));
                redis.rewind();
                planted.forEach(tree -> assertEnds(trees, tree));
            }
            first.drain(DrainCause.TERMINATED).join();
            second.drain(DrainCause.TERMINATED).join();
            List<String> held = pool.store().ask(commands -> commands.keys("*:held:*"));
            assertThat(held).as("nothing is held without a holder").isEmpty();
        }
    }

    /** A tree that was created, and its leaves, all of which run, since no failure stops their parent. */
    private record Planted(String id, long leaves) {}

    private static Planted plant(TaskTrees trees, String id, TreeNode root) {
        trees.create(TaskTree.of(id, root));
        return new Planted(id, leaves(root));
    }

    private static long leaves(TreeNode node) {
        return switch (node) {
            case TreeNode.Chain chain ->
                chain.children().stream().mapToLong(TreeRewindIT::leaves).sum();
            case TreeNode.Group group ->
                group.children().stream().mapToLong(TreeRewindIT::leaves).sum();
            default -> 1;
        };
    }

    private static TreeNode node(Random random, int depth) {
        if (depth == 0 || depth < DEPTH && random.nextInt(4) == 0) {
            return leaf(random.nextInt(6) == 0 ? FAILING : "passes");
        }
        List<TreeNode> children = IntStream.range(0, 2 + random.nextInt(3))
                .mapToObj(_ -> node(random, depth - 1))
                .toList();
        return depth % 2 == 0
                ? new TreeNode.Group(children, 0, OnChildError.CONTINUE, Optional.empty(), TaskBody.named("group"))
                : new TreeNode.Chain(children, OnChildError.CONTINUE, Optional.empty(), TaskBody.named("chain"));
    }

    private static TreeNode leaf(String name) {
        Execution command = new Execution.Command(List.of("/bin/true"), List.of(), Optional.empty());
        TaskBody body =
                new TaskBody(name, Optional.of(command), List.of(), Map.of(), Optional.empty(), RetryBackoff.NONE);
        return new TreeNode.Leaf(PoolFixture.POOL, Optional.empty(), 1, 1, body);
    }

    private static TimedExecutor executor(long seed) {
        Random lengths = new Random(seed);
        return new TimedExecutor(
                4,
                _ -> Duration.ofMillis(lengths.nextInt(30)),
                task -> task.name().equals(FAILING));
    }

    private static Engine engine(String pod, PoolFixture pool, TimedExecutor executor) {
        return new Engine(
                pool.lifecycle().sessions(pool.keyspace()),
                pool.lifecycle().reaper(pool.keyspace()),
                executor,
                new EngineSettings(PoolFixture.worker(pod, executor.slots()), Duration.ZERO),
                new StoreTrouble());
    }

    private static void awaitProgress(TaskTrees trees, List<Planted> planted, long leaves) {
        await().pollInterval(Duration.ofMillis(2))
                .until(() -> planted.stream()
                                .mapToLong(tree ->
                                        trees.find(tree.id()).orElseThrow().progress())
                                .sum()
                        >= leaves);
    }

    private static void assertEnds(TaskTrees trees, Planted tree) {
        await(tree.id())
                .ignoreExceptionsInstanceOf(StoreException.class)
                .until(() -> trees.find(tree.id()).orElseThrow().over());
        TreeState end = trees.find(tree.id()).orElseThrow();
        assertThat(end).as("%s", end).returns(TreeState.State.FINISHED, TreeState::state);
        assertThat(end.progress()).as("%s", end).isEqualTo(end.total()).isEqualTo(tree.leaves());
        assertThat(end.counts().locked()).isZero();
    }
}
