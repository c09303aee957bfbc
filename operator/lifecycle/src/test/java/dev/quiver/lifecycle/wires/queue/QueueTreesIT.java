package dev.quiver.lifecycle.wires.queue;

import static dev.quiver.lifecycle.wires.queue.QueueWorld.SUM;
import static dev.quiver.lifecycle.wires.queue.QueueWorld.failed;
import static dev.quiver.lifecycle.wires.queue.QueueWorld.passed;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.node.IntNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.mapreduce.ChunkCounts;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.TreeState.State;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;

/** Jobs of the queue's wire as the operator sees them: trees of map, chunks and reduce. */
class QueueTreesIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String JOB = "job-1";

    private QueueWorld world;
    private QueueTrees trees;
    private QueueWorld.Worker worker;

    @BeforeEach
    void begin() {
        world = new QueueWorld(REDIS);
        trees = new QueueTrees(world.jobs, "sum");
        worker = world.worker(SUM);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static TaskTree tree(Duration delay) {
        TreeNode map = new TreeNode.Leaf(
                "p", Optional.of("sum.map"), 1, 1, body("map").bringing().about(IntNode.valueOf(3)));
        TreeNode chunks = new TreeNode.Chunks(
                "p",
                Optional.of("sum.process"),
                1,
                new ChunkWork(Optional.empty(), 1, 2, true, 1 << 20, false, Optional.empty()),
                Optional.empty(),
                body("process"));
        TreeNode reduce = new TreeNode.Leaf("p", Optional.of("sum.reduce"), 1, 1, body("reduce"));
        return new TaskTree(
                JOB,
                new TreeNode.Chain(
                        List.of(map, chunks, reduce), OnChildError.FAIL, Optional.empty(), TaskBody.named("job")),
                Optional.empty(),
                true,
                Optional.empty(),
                delay,
                Optional.empty());
    }

    private static TaskBody body(String part) {
        return new TaskBody(
                part,
                Optional.of(new Execution.Handler("sum." + part)),
                List.of(),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
    }

    private TreeReport report() {
        return trees.report(JOB, 5).orElseThrow();
    }

    private void assertStates(State root, State... parts) {
        assertThat(report().state().state()).isEqualTo(root);
        assertThat(report().nodes()).extracting(NodeState::state).containsExactly(parts);
        assertThat(report().nodes()).extracting(NodeState::id).containsExactly(JOB + ".1", JOB + ".2", JOB + ".3");
    }

    private ChunkCounts chunks() {
        return trees.find(JOB).orElseThrow().chunks().orElseThrow();
    }

    @Test
    void showsWhereAJobIsAndKeepsItsResult() {
        assertThat(trees.create(tree(Duration.ZERO))).isEqualTo(Trees.Created.BEGUN);
        assertThat(trees.create(tree(Duration.ZERO))).isEqualTo(Trees.Created.KNOWN);
        assertStates(State.IDLE, State.STARTABLE, State.WAITING, State.WAITING);
        assertThat(report().startedAt()).isPresent();
        Claim map = worker.claimOne();
        assertThat(worker.argument(map)).isEqualTo("3");
        assertStates(State.IDLE, State.LOCKED, State.WAITING, State.WAITING);
        assertThat(trees.find(JOB).orElseThrow().chunks()).isEmpty();
        worker.step(List.of(passed(map, "[1,2,3,4]")), 0);
        List<Claim> chunks = worker.claim(2);
        assertStates(State.IDLE, State.FINISHED, State.IDLE, State.WAITING);
        assertThat(chunks())
                .returns(4L, ChunkCounts::total)
                .returns(2L, ChunkCounts::running)
                .returns(0L, ChunkCounts::done);
        worker.step(List.of(passed(chunks.get(0), "7"), failed(chunks.get(1))), 0);
        assertThat(chunks())
                .returns(1L, ChunkCounts::done)
                .returns(1L, ChunkCounts::delayed)
                .returns(0L, ChunkCounts::skipped);
        Claim reduce = reduceBehind(chunks.get(1).id());
        assertStates(State.IDLE, State.FINISHED, State.FINISHED, State.LOCKED);
        assertThat(worker.argument(reduce)).isEqualTo("[7,7,7]");
        worker.step(List.of(passed(reduce, "{\"sum\":21}")), 0);
        assertStates(State.FINISHED, State.FINISHED, State.FINISHED, State.FINISHED);
        assertThat(chunks()).returns(3L, ChunkCounts::done).returns(1L, ChunkCounts::skipped);
        assertThat(report().state().over()).isTrue();
        assertThat(report().finishedAt())
                .hasValueSatisfying(end ->
                        assertThat(end).isAfterOrEqualTo(report().startedAt().orElseThrow()));
        assertThat(trees.measure(JOB, 100).json()).contains("{\"sum\":21}");
        assertThat(trees.measure(JOB, 3).json()).isEmpty();
        assertThat(trees.measure(JOB, 3).bytes()).contains(10L);
        assertThat(world.keys()).isEmpty();
        assertThat(trees.drop(JOB, 3)).isTrue();
        assertThat(trees.report(JOB, 5)).isEmpty();
    }

    /** Runs the chunks, and lets all trials of one of them fail; reduce comes with the call that drops it. */
    private Claim reduceBehind(String poison) {
        for (int round = 0; round < 10; round++) {
            List<Claim> more = worker.claim(4);
            if (more.size() == 1 && more.getFirst().id().startsWith("r")) {
                return more.getFirst();
            }
            worker.step(
                    more.stream()
                            .map(claim -> claim.id().equals(poison) ? failed(claim) : passed(claim, "7"))
                            .toList(),
                    0);
            world.hurry(world.prefix + "sum:" + JOB + ":chunks:errored");
        }
        throw new AssertionError("reduce never comes");
    }

    @Test
    void failedMapIsTheNodeThatFailed() {
        trees.create(tree(Duration.ZERO));
        for (int trial = 0; trial < 2; trial++) {
            worker.step(List.of(failed(worker.claimOne())), 0);
            world.hurry(world.prefix + "mapping");
        }
        worker.claim(1);
        assertStates(State.FAILED, State.FAILED, State.FAILED, State.FAILED);
        assertThat(report().failure())
                .hasValueSatisfying(failure -> assertThat(failure.error())
                        .returns(JOB + ".1", NodeError::node)
                        .returns("Error", NodeError::reason));
    }

    @Test
    void cancelledAndPostponedJobsLeaveNothing() {
        trees.create(tree(Duration.ofHours(1)));
        assertThat(report().startedAt()).isEmpty();
        assertStates(State.IDLE, State.WAITING, State.WAITING, State.WAITING);
        assertThat(trees.change(JOB, Trees.Change.CANCEL)).isTrue();
        assertThat(report().state().error())
                .hasValueSatisfying(error -> assertThat(error).returns("Cancelled", NodeError::reason));
        assertThat(report().state()).returns(true, TreeState::over);
        assertThat(world.keys()).isEmpty();
        assertThat(trees.change(JOB, Trees.Change.CANCEL)).isFalse();
        trees.drop(JOB, 3);
        List<String> left = world.store.ask(redis -> redis.keys(world.keyspace.prefix() + "*queue:ends"));
        assertThat(left).isEmpty();
    }

    @Test
    void endThatATenantWroteIsMeasuredFirst() {
        trees.create(tree(Duration.ZERO));
        String ends = world.keyspace.prefix() + "pool:p:queue:ends";
        world.store.ask(redis -> redis.hset(ends, world.jobs.key("sum", JOB), "x".repeat(600_000)));
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> trees.report(JOB, 5)))
                .hasMessageContaining("an end of 600000 bytes, at most 524288 are read");
    }
}
