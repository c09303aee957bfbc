package dev.quiver.controller.tree;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.controller.run.Backoffs;
import dev.quiver.crds.v1alpha1.ChunkFailurePolicy;
import dev.quiver.crds.v1alpha1.MapReduce;
import dev.quiver.crds.v1alpha1.MapReduceCombine;
import dev.quiver.crds.v1alpha1.MapReduceMap;
import dev.quiver.crds.v1alpha1.MapReduceStage;
import dev.quiver.crds.v1alpha1.MapReduceWorker;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.lifecycle.task.chunks.ChunkPage;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.FileSplit;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.Scratch;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;

/**
 * Maps a map-reduce to a chain of map or split, the chunks and reduce, those that are there. Pure.
 *
 * @param work its parts
 * @param names of the nodes, by the words map, split, chunks, combine, reduce and scratch
 * @param pool that runs the parts which name no other
 * @param mostChunks that map or split may make
 * @param perWorker chunks that one worker runs at a time; 0: as many as it has slots
 * @param rank of its tasks and of its chunks
 */
public record MapReduceNodes(
        MapReduce work, UnaryOperator<String> names, String pool, int mostChunks, int perWorker, Rank rank) {

    /** With as many chunks as can be. */
    public MapReduceNodes(MapReduce work, UnaryOperator<String> names, String pool, Rank rank) {
        this(work, names, pool, ChunkWork.MOST_CHUNKS, 0, rank);
    }

    /** The chain of a node of a tree: without map and split the elements of the result before it are the chunks. */
    public TreeNode ofNode(TaskBody body, Optional<Duration> deadline) {
        return chain(body, deadline, Optional.empty(), Optional.empty());
    }

    /**
     * The chain of a job whose chunks are made by its first task.
     *
     * @param input the last argument of map
     */
    public TreeNode ofMap(TaskBody body, Optional<JsonNode> input) {
        return chain(body, Optional.empty(), input, Optional.empty());
    }

    /**
     * The chain of a job without map and split.
     *
     * @param chunks all of them
     */
    public TreeNode ofChunks(TaskBody body, List<JsonNode> chunks) {
        return chain(body, Optional.empty(), Optional.empty(), Optional.of(chunks));
    }

    /** The task for the end of the tree that removes the files of large results; absent where none are written. */
    public Optional<TreeNode> removal() {
        return work.scratchPath()
                .map(path -> new Scratch(path)
                        .removal(names.apply("scratch"), pool(work.process().workerPoolRef())));
    }

    private TreeNode chain(
            TaskBody body, Optional<Duration> deadline, Optional<JsonNode> input, Optional<List<JsonNode>> elements) {
        List<TreeNode> parts = new ArrayList<>();
        work.splitter()
                .ifPresent(split -> parts.add(new FileSplit(split.by().name(), split.size(), split.path())
                        .task(names.apply("split"), pool(work.process().workerPoolRef()), mostChunks)));
        work.mapper().ifPresent(map -> {
            TaskBody mapping = stage("map", map).bringing(mostChunks);
            parts.add(mapper(map, input.map(mapping::about).orElse(mapping)));
        });
        parts.add(new TreeNode.Chunks(
                pool(work.process().workerPoolRef()),
                work.process().handlerName(),
                work.process().maxTrialsOrDefault(),
                chunks(elements),
                Optional.empty(),
                rank,
                stage("chunks", work.process())));
        work.reducer().ifPresent(reduce -> parts.add(leaf(reduce, stage("reduce", reduce))));
        return new TreeNode.Chain(parts, TreeNode.OnChildError.FAIL, deadline, body);
    }

    private ChunkWork chunks(Optional<List<JsonNode>> elements) {
        return new ChunkWork(
                work.combining().map(combine -> stage("combine", combine)),
                work.combining().map(MapReduceCombine::maxTrialsOrDefault).orElse(1),
                work.combining().map(MapReduceCombine::fanIn).orElse(2),
                work.failurePolicy() == ChunkFailurePolicy.SkipChunk,
                work.resultsBytes(),
                !work.bringsChunks() && elements.isEmpty(),
                elements,
                work.scratchPath().map(Scratch::new),
                perWorker);
    }

    /** An iterator where it brings its chunks in pages. */
    private TreeNode mapper(MapReduceMap map, TaskBody body) {
        return map.paged()
                ? new TreeNode.IteratorNode(
                        pool(map.workerPoolRef()),
                        map.handlerName(),
                        map.maxTrialsOrDefault(),
                        ChunkPage.MOST,
                        TreeNode.OnChildError.FAIL,
                        Optional.empty(),
                        rank,
                        body)
                : leaf(map, body);
    }

    private TreeNode leaf(MapReduceWorker part, TaskBody body) {
        return new TreeNode.Leaf(
                pool(part.workerPoolRef()), part.handlerName(), part.maxTrialsOrDefault(), 1, rank, body);
    }

    private TaskBody stage(String name, MapReduceStage stage) {
        return new TaskBody(
                names.apply(name),
                Optional.of(Executions.of(stage.handlerName(), stage.command(), null)),
                stage.args(),
                Map.of(),
                Optional.of(stage.activeDeadline()),
                Backoffs.of(stage.backoffOrDefault()));
    }

    private String pool(WorkerPoolRef own) {
        return own == null ? pool : own.name();
    }
}
