package dev.quiver.lifecycle.task.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;

/** A deep and wide tree, at which workers die at random, ends with each leaf counted once. */
class DeepTreeIT {

    /** Leaves about; {@code -Dquiver.leaves=100000} for a large one. */
    private static final int LEAVES = Integer.getInteger("quiver.leaves", 5_000);

    /** A child of the iterator has five leaves, an element of the list four. */
    private static final int CHILDREN = LEAVES * 17 / 100;

    private static final int ELEMENTS = Math.min(10_000, LEAVES / 40);
    private static final int WORKERS = 6;

    /** A worker dies in one of so many rounds. */
    private static final int RISK = 15;

    /** Rounds after a death without another one: the third loss ends a leaf. */
    private static final int PEACE = 4;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private final Random random = new Random(20260101);

    private static TreeNode leaf(int number) {
        return World.leaf("leaf", number % 2 == 0 ? "p" : "q", "h");
    }

    /** Groups and chains in turn, three children each, so many levels deep. */
    private static TreeNode nested(int levels) {
        if (levels == 0) {
            return leaf(0);
        }
        TreeNode[] children = IntStream.range(0, 3)
                .mapToObj(i -> i == 1 ? leaf(i) : nested(levels - 1))
                .toArray(TreeNode[]::new);
        return levels % 2 == 0 ? World.chain(children) : World.group(children);
    }

    private static TreeNode tree() {
        TreeNode iterator = new TreeNode.IteratorNode(
                "q", Optional.of("h"), 1, 200, OnChildError.FAIL, Optional.empty(), World.body("iterate", "h"));
        TreeNode each = World.chain(leaf(0), World.group(leaf(1), leaf(0), leaf(1)));
        return World.group(
                World.chain(World.leaf("list"), World.each(each, 100), World.leaf("end")), iterator, nested(7));
    }

    private Settlement settlement(Claim claim) {
        return switch (claim.task().name()) {
            case "list" -> World.passed(claim, "[0" + ",1".repeat(ELEMENTS - 1) + "]");
            case "iterate" -> World.passed(claim, answer(((TaskLeaf) claim.task()).progress()));
            default -> random.nextInt(50) == 0 ? new Settlement.Returned(claim) : World.passed(claim, "1");
        };
    }

    private static String answer(String progress) {
        String[] numbers = progress.split(" ", 4);
        int more = Math.min(CHILDREN - Integer.parseInt(numbers[0]), Math.min(50, Integer.parseInt(numbers[2])));
        String leaf = "{\"handler\":\"h\",\"name\":\"leaf\",\"pool\":\"p\"}";
        String other = leaf.replace("\"p\"", "\"q\"");
        String child = "{\"chain\":[" + leaf + ",{\"group\":[" + other + "," + leaf + "," + other + "]}," + leaf + "]}";
        return more == 0 ? "null" : "{\"tasks\":[" + String.join(",", Collections.nCopies(more, child)) + "]}";
    }

    private static World.Worker worker(World world, int number) {
        return world.worker(number % 2 == 0 ? "p" : "q", "h");
    }

    @Test
    void endsHoweverWorkersDie() {
        try (World world = new World(REDIS)) {
            world.begin("t", tree());
            List<World.Worker> workers = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                workers.add(worker(world, i));
            }
            int deaths = 0;
            int peace = PEACE;
            for (int round = 0; !world.state("t").over(); round++) {
                assertThat(round).as("rounds without an end").isLessThan(LEAVES);
                for (World.Worker worker : workers) {
                    List<Settlement> some = worker.held.stream()
                            .filter(_ -> random.nextInt(10) > 0)
                            .map(this::settlement)
                            .toList();
                    worker.step(some, Math.min(64, 64 - worker.held.size() + some.size()));
                }
                world.tick();
                if (peace-- <= 0 && random.nextInt(RISK) == 0) {
                    deaths++;
                    peace = PEACE;
                    int dead = random.nextInt(WORKERS);
                    workers.get(dead).die();
                    workers.set(dead, worker(world, dead));
                }
            }
            TreeState end = world.state("t");
            assertThat(end.state()).as("after %s deaths: %s", deaths, end).isEqualTo(TreeState.State.FINISHED);
            long leaves = 2 + 4L * ELEMENTS + 5L * CHILDREN + nestedLeaves(7);
            assertThat(end.progress()).isEqualTo(end.total()).isEqualTo(leaves);
            assertThat(deaths).isPositive();
            long parked = world.store.ask(redis -> redis.zcard(world.keys.parked()));
            assertThat(parked).isZero();
        }
    }

    private static long nestedLeaves(int levels) {
        return levels == 0 ? 1 : 1 + 2 * nestedLeaves(levels - 1);
    }
}
