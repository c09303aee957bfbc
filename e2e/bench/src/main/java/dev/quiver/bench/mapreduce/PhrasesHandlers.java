package dev.quiver.bench.mapreduce;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;

import dev.quiver.bench.Lab;
import dev.quiver.bench.peer.InstalledPeer;
import dev.quiver.bench.quiver.ExecutorProgram;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.Scratch;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;

/**
 * The example of phrases as handlers, with the libraries of the peer.
 *
 * @param folder of the peer
 * @param environment of all processes that run the functions
 */
record PhrasesHandlers(Path folder, Map<String, String> environment) {

    private static final int FAN_IN = 16;
    private static final long MOST_RESULTS = 256 << 20;

    static PhrasesHandlers of(Lab lab, InstalledPeer peer) {
        Path sdk = lab.repository().resolve("worker-image/sdk/python");
        String path = peer.folder().resolve("lib") + ":" + sdk.resolve("src") + ":" + sdk.resolve("examples/phrases");
        return new PhrasesHandlers(
                peer.folder(), Map.of("PYTHONPATH", path, "PYTHONDONTWRITEBYTECODE", "1", "OMP_NUM_THREADS", "1"));
    }

    /** The agent with these functions in each slot. */
    ExecutorProgram executor(Lab lab) throws Exception {
        return ExecutorProgram.withHandlers(
                ExecutorProgram.agent(lab), List.of("python3", "-m", "quiver", "phrases"), environment);
    }

    /** The job. */
    static TreeNode job(String pool, int readings, Path scratch) {
        ChunkWork work = new ChunkWork(
                Optional.of(body("add_phrases")),
                1,
                FAN_IN,
                false,
                MOST_RESULTS,
                false,
                Optional.empty(),
                Optional.of(new Scratch(scratch.toString())));
        return new TreeNode.Chain(
                List.of(
                        leaf(pool, body("list_services").bringing()),
                        new TreeNode.Chunks(
                                pool,
                                Optional.of("count_phrases"),
                                1,
                                work,
                                Optional.empty(),
                                body("count_phrases", IntNode.valueOf(readings))),
                        leaf(pool, body("most_frequent"))),
                OnChildError.FAIL,
                Optional.empty(),
                TaskBody.named("phrases"));
    }

    /** A call of a function for each slot at least, so that all of them have imported what they need. */
    static TreeNode warmUp(String pool, int slots) {
        TreeNode call = leaf(pool, body("list_services"));
        return new TreeNode.Group(
                Collections.nCopies(4 * slots, call),
                0,
                OnChildError.FAIL,
                Optional.empty(),
                TaskBody.named("warm-up"));
    }

    private static TreeNode leaf(String pool, TaskBody body) {
        return new TreeNode.Leaf(pool, body.handler(), 1, 1, body);
    }

    private static TaskBody body(String function, JsonNode... arguments) {
        return new TaskBody(
                function,
                Optional.of(new Execution.Handler(function)),
                List.of(arguments),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
    }
}
