package dev.quiver.supervisor;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.chunks.ChunkPage;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.FileSplit;
import dev.quiver.lifecycle.task.model.Scratch;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;

/** Nodes of the fixture's pool. */
final class Trees {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private Trees() {}

    /** A call of a handler with these JSON documents. */
    static TreeNode call(String handler, String... args) {
        List<JsonNode> all = Stream.of(args).map(Trees::json).toList();
        return new TreeNode.Leaf(
                PoolFixture.POOL, Optional.of(handler), 3, 1, body(new Execution.Handler(handler), all));
    }

    /** A shell's program, run once. */
    static TreeNode shell(String program) {
        return new TreeNode.Leaf(PoolFixture.POOL, Optional.empty(), 1, 1, shellBody(program));
    }

    /** The same, asked for more children, at most two alive. */
    static TreeNode iterator(String program) {
        return new TreeNode.IteratorNode(
                PoolFixture.POOL, Optional.empty(), 3, 2, OnChildError.FAIL, Optional.empty(), shellBody(program));
    }

    static TreeNode chain(TreeNode... children) {
        return new TreeNode.Chain(List.of(children), OnChildError.FAIL, Optional.empty(), TaskBody.named("chain"));
    }

    static TreeNode group(List<TreeNode> children) {
        return new TreeNode.Group(children, 0, OnChildError.FAIL, Optional.empty(), TaskBody.named("group"));
    }

    static TreeNode forEach(TreeNode template) {
        return new TreeNode.ForEach(template, 0, OnChildError.FAIL, Optional.empty(), TaskBody.named("each"));
    }

    /** A program that brings chunks, one for each of them, and one for their results; with combines of so many. */
    static TreeNode mapReduce(String map, String process, String reduce, int fanIn) {
        return chain(
                new TreeNode.Leaf(
                        PoolFixture.POOL, Optional.empty(), 3, 1, shellBody(map).bringing()),
                new TreeNode.Chunks(
                        PoolFixture.POOL,
                        Optional.empty(),
                        2,
                        new ChunkWork(
                                Optional.of(fanIn).filter(each -> each > 0).map(_ -> shellBody(reduce)),
                                2,
                                Math.max(2, fanIn),
                                false,
                                1 << 20,
                                false,
                                Optional.empty()),
                        Optional.empty(),
                        shellBody(process)),
                new TreeNode.Leaf(PoolFixture.POOL, Optional.empty(), 3, 1, shellBody(reduce)));
    }

    /** The same with a program that brings one page of chunks at a call. */
    static TreeNode pages(String map, String process, String reduce) {
        TreeNode.Chain all = (TreeNode.Chain) mapReduce("true", process, reduce, 0);
        return chain(
                new TreeNode.IteratorNode(
                        PoolFixture.POOL,
                        Optional.empty(),
                        3,
                        ChunkPage.MOST,
                        OnChildError.FAIL,
                        Optional.empty(),
                        shellBody(map).bringing()),
                all.children().get(1),
                all.children().get(2));
    }

    /** Chunks of the document, at most so many at a time in one worker. */
    static TreeNode atOnce(int most, List<JsonNode> chunks, String process) {
        return new TreeNode.Chunks(
                PoolFixture.POOL,
                Optional.empty(),
                1,
                new ChunkWork(Optional.empty(), 1, 2, false, 1 << 20, false, Optional.of(chunks)).atOnce(most),
                Optional.empty(),
                shellBody(process));
    }

    /** The same of files that the workers' own program cuts. */
    static TreeNode splitting(FileSplit split, String process, String reduce) {
        TreeNode.Chain all = (TreeNode.Chain) mapReduce("true", process, reduce, 0);
        return chain(
                split.task("split", PoolFixture.POOL, 100),
                all.children().get(1),
                all.children().get(2));
    }

    /** The same of functions, each with its arguments; combines by {@code combine}. */
    static TreeNode functions(List<JsonNode> ofProcess, int fanIn) {
        return functions(ofProcess, fanIn, Optional.empty());
    }

    /** The same with a directory for large results. */
    static TreeNode functions(List<JsonNode> ofProcess, int fanIn, Optional<Scratch> scratch) {
        return chain(
                new TreeNode.Leaf(
                        PoolFixture.POOL,
                        Optional.of("map"),
                        1,
                        1,
                        body(new Execution.Handler("map"), List.of()).bringing()),
                new TreeNode.Chunks(
                        PoolFixture.POOL,
                        Optional.of("process"),
                        1,
                        new ChunkWork(
                                Optional.of(fanIn)
                                        .filter(each -> each > 0)
                                        .map(_ -> body(new Execution.Handler("combine"), List.of())),
                                1,
                                Math.max(2, fanIn),
                                false,
                                64 << 20,
                                false,
                                Optional.empty(),
                                scratch),
                        Optional.empty(),
                        body(new Execution.Handler("process"), ofProcess)),
                new TreeNode.Leaf(
                        PoolFixture.POOL,
                        Optional.of("reduce"),
                        1,
                        1,
                        body(new Execution.Handler("reduce"), List.of())));
    }

    private static TaskBody shellBody(String program) {
        return shellBody(program, LIMIT);
    }

    /** The body of a shell's program, with that time for each trial. */
    static TaskBody shellBody(String program, Duration limit) {
        Execution command = new Execution.Command(List.of("/bin/sh", "-ec", program), List.of(), Optional.empty());
        return new TaskBody("leaf", Optional.of(command), List.of(), Map.of(), Optional.of(limit), RetryBackoff.NONE);
    }

    private static TaskBody body(Execution execution, List<JsonNode> args) {
        return new TaskBody("leaf", Optional.of(execution), args, Map.of(), Optional.of(LIMIT), RetryBackoff.NONE);
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
