package dev.quiver.lifecycle.task;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;

/** A life of a random tree of the own dialect; the same seed gives the same tree. */
final class RandomRepeatedRun extends OwnRepeatedRun {

    /** The given seed, or one for this process. */
    static final long SEED = Long.getLong("quiver.seed", new Random().nextInt(Integer.MAX_VALUE));

    private static final int DEPTH = 2;

    private final long seed;

    RandomRepeatedRun(RedisStore store, Keyspace keyspace, long seed) {
        super(store, keyspace);
        this.seed = seed;
    }

    /** A chain of one node of each kind, in which the rest is random: no tree is too small to be cut in many places. */
    @Override
    protected TaskTree tree() {
        Random random = new Random(seed);
        TreeNode root = World.chain(
                listed(random, DEPTH),
                children(random, DEPTH, true),
                iterator(random),
                children(random, DEPTH, false),
                leaf(random));
        Optional<TreeNode> end = random.nextBoolean() ? Optional.of(leaf(random)) : Optional.empty();
        return new TaskTree(TREE, root, end, true, Optional.empty(), Duration.ZERO, Optional.empty());
    }

    private static TreeNode node(Random random, int depth) {
        if (depth == 0) {
            return leaf(random);
        }
        return switch (random.nextInt(6)) {
            case 0 -> listed(random, depth);
            case 1 -> iterator(random);
            case 2, 3 -> children(random, depth, random.nextBoolean());
            default -> leaf(random);
        };
    }

    private static TreeNode children(Random random, int depth, boolean chain) {
        TreeNode[] children = IntStream.range(0, 1 + random.nextInt(3))
                .mapToObj(_ -> node(random, depth - 1))
                .toArray(TreeNode[]::new);
        return chain ? World.chain(children) : World.group(children);
    }

    private static TreeNode listed(Random random, int depth) {
        return World.chain(
                World.leaf("list", pool(random), "h"),
                World.each(node(random, depth - 1), random.nextInt(3)),
                leaf(random));
    }

    private static TreeNode iterator(Random random) {
        return new TreeNode.IteratorNode(
                pool(random),
                Optional.of("h"),
                1,
                2
                        + random.nextInt(
                                2), // its answers have two children: with room for one it fails, and what runs then is
                // chance
                OnChildError.FAIL,
                Optional.empty(),
                World.body("iterate", "h"));
    }

    private static TreeNode leaf(Random random) {
        return random.nextInt(4) == 0
                ? new TreeNode.Leaf(pool(random), Optional.of("h"), 2, 1, World.body("twice", "h"))
                : World.leaf("a", pool(random), "h");
    }

    private static String pool(Random random) {
        return POOLS.get(random.nextInt(POOLS.size()));
    }
}
