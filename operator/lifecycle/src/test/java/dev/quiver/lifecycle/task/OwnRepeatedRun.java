package dev.quiver.lifecycle.task;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** A life of the own dialect. */
class OwnRepeatedRun extends RepeatedRun {

    OwnRepeatedRun(RedisStore store, Keyspace keyspace) {
        super(store, keyspace);
    }

    @Override
    protected TaskTrees trees() {
        return lifecycle.trees(keyspace);
    }

    @Override
    protected TaskTree tree() {
        TreeNode iterator = new TreeNode.IteratorNode(
                "q", Optional.of("h"), 1, 2, OnChildError.FAIL, Optional.empty(), World.body("iterate", "h"));
        TreeNode twice = new TreeNode.Leaf("p", Optional.of("h"), 2, 1, World.body("twice", "h"));
        TreeNode root = World.chain(
                World.leaf("list"),
                World.each(World.leaf("page", "q", "h"), 1),
                World.group(twice, World.leaf("a", "q", "h"), iterator),
                World.leaf("end"));
        return new TaskTree(
                TREE, root, Optional.of(World.leaf("tidy")), true, Optional.empty(), Duration.ZERO, Optional.empty());
    }

    @Override
    protected boolean over() {
        return trees().find(TREE).orElseThrow().over();
    }

    @Override
    protected WorkerSessions sessions() {
        return lifecycle.sessions(keyspace);
    }

    @Override
    protected String source(String pool) {
        return TaskQueues.source(pool);
    }

    @Override
    protected List<String> served() {
        return List.of("h");
    }

    @Override
    protected void promote() {
        new TaskQueues(store, keyspace).promote("tasks:", new CallBudget(100));
    }

    @Override
    protected boolean first(Claim claim) {
        return ((TaskLeaf) claim.task()).progress().startsWith("0 ");
    }
}
