package dev.quiver.lifecycle.task;

import java.util.Optional;

import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeRecord;

/**
 * A tree that is recorded, made and worked at as in earnest. Its parts are fetch, then a part that passes beside a part
 * that fails, and a report behind both. For tests of what its record becomes.
 */
public final class WorkedTree implements AutoCloseable {

    private final World world;
    private final World.Worker worker;

    /** In a fresh keyspace. */
    public WorkedTree(RedisServer redis) {
        world = new World(redis);
        world.record(1 << 30);
        worker = world.worker("p", "h");
    }

    /** Where it is. */
    public Keyspace keyspace() {
        return world.keyspace;
    }

    /** A connection with all rights. */
    public RedisStore store() {
        return world.store;
    }

    /** Begins it. */
    public WorkedTree begin(String id) {
        TreeNode parts = new TreeNode.Group(
                java.util.List.of(World.leaf("good"), World.leaf("bad")),
                0,
                TreeNode.OnChildError.CONTINUE,
                Optional.empty(),
                TaskBody.named("parts"));
        TreeNode root = World.chain(World.leaf("fetch"), parts, World.leaf("report"));
        world.trees.create(TaskTree.of(id, root)
                .recorded(Optional.of(new TreeRecord(Recording.DEFAULT, RunOpening.of(RunKind.TASK, id, 1000, 0)))));
        return this;
    }

    /** Claims what is there, and settles it: the part called bad fails. */
    public WorkedTree work() {
        world.work(worker, claim -> claim.task().name().equals("bad") ? Optional.empty() : Optional.of("1"));
        world.tick();
        return this;
    }

    /** One round: what is there is claimed and settled, and what follows is not. */
    public WorkedTree step() {
        worker.step(
                worker.claim().stream().map(claim -> World.passed(claim, "1")).toList(), 0);
        return this;
    }

    @Override
    public void close() {
        world.close();
    }
}
