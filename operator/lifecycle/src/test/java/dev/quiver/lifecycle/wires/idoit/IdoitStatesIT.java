package dev.quiver.lifecycle.wires.idoit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.TrialFailure;

/**
 * The keys and fields that a task has in each state are those of recordings of npm's idoit 4.0.0, but for what
 * {@link WireKeys} leaves out. Here Quiver alone creates the tasks and works at them.
 */
class IdoitStatesIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    /** The pool of the recordings. */
    private static final String POOL = "default";

    private static final String ROOT = "recorded-root";

    private IdoitWorld world;
    private IdoitTrees trees;
    private IdoitWorld.Worker worker;
    private final List<WireKeys> seen = new ArrayList<>();

    @BeforeEach
    void begin() {
        world = new IdoitWorld(REDIS);
        world.pool(POOL);
        trees = new IdoitTrees(new LeaderCalls(world.store, world.keyspace, 1), world.prefix, POOL);
        worker = world.worker(POOL, "mul", "flaky", "boom");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static TreeNode leaf(String handler, Object... args) {
        return IdoitWorld.leafIn(POOL, handler, args);
    }

    private void create(TreeNode root) {
        trees.create(TaskTree.of(ROOT, root));
        look();
    }

    private void look() {
        seen.add(WireKeys.of(world, ROOT));
    }

    private Claim claimed() {
        worker.step(List.of(), 0);
        look();
        return locked();
    }

    private Claim locked() {
        Claim claim = worker.claimOne();
        look();
        return claim;
    }

    private void pass(Claim claim, String json) {
        worker.pass(claim, json);
        look();
    }

    private void fail(Claim claim) {
        worker.step(
                List.of(new Settlement.Failed(
                        claim,
                        Duration.ofMillis(1),
                        TrialFailure.of(
                                claim.task().name(), claim.trial(), Optional.empty(), Optional.empty(), "Error", "x"))),
                0);
        look();
    }

    private static void assertRecorded(List<WireKeys> seen, IdoitRecording recording) {
        assertThat(recording.states().getLast()).as("read and computed").isEqualTo(recording.end());
        assertThat(seen).isEqualTo(recording.states());
    }

    @Test
    void plainTask() {
        create(leaf("mul", 6, 7));
        pass(claimed(), "42");
        assertRecorded(seen, new IdoitRecording("plain"));
        assertThat(seen).as("waiting, startable, locked, finished").hasSize(4);
    }

    @Test
    void taskThatFailsOnce() {
        create(leaf("flaky"));
        fail(claimed());
        world.hurry("restart");
        world.tick(POOL);
        look();
        pass(locked(), "\"ok\"");
        assertRecorded(seen, new IdoitRecording("retry"));
        assertThat(seen).as("with restart, startable, locked").hasSize(7);
    }

    @Test
    void taskThatFails() {
        create(new TreeNode.Leaf(POOL, Optional.of("boom"), 1, 1, IdoitWorld.body("boom")));
        fail(claimed());
        assertRecorded(seen, new IdoitRecording("fail"));
    }

    /** The result before a task is its last argument. */
    @Test
    void chain() {
        create(IdoitWorld.chain(leaf("mul", 2, 3), leaf("mul", 7)));
        worker.pass(worker.claimOne(), "6");
        Claim second = worker.claimOne();
        assertThat(IdoitWorld.arguments(second)).isEqualTo("[7,6]");
        worker.pass(second, "42");
        assertEnds("chain");
    }

    @Test
    void group() {
        create(IdoitWorld.group(leaf("mul", 2, 3), leaf("mul", 7, 1)));
        List<Claim> claims = worker.claim();
        assertThat(claims).hasSize(2);
        for (Claim claim : claims) {
            worker.pass(claim, IdoitWorld.arguments(claim).equals("[2,3]") ? "6" : "7");
        }
        assertEnds("group");
    }

    private void assertEnds(String name) {
        worker.step(List.of(), 0); // the commands to the root
        look();
        IdoitRecording recording = new IdoitRecording(name);
        assertThat(seen).containsExactly(recording.states().getFirst(), recording.end());
    }
}
