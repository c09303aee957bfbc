package dev.quiver.controller.task;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.controller.run.Backoffs;
import dev.quiver.controller.tree.Executions;
import dev.quiver.controller.tree.MapReduceNodes;
import dev.quiver.crds.v1alpha1.EnvEntry;
import dev.quiver.crds.v1alpha1.OnChildError;
import dev.quiver.crds.v1alpha1.TaskGraph;
import dev.quiver.crds.v1alpha1.TaskGraph.Place;
import dev.quiver.crds.v1alpha1.TaskIterator;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskNode;
import dev.quiver.lifecycle.task.model.TaskTree;

/**
 * Maps the work of a Task to the tree of the Redis contract. Pure. A graph is at most {@value TaskGraph#MAX_DEPTH} deep,
 * so its nodes are mapped by recursion.
 */
final class SpecTree {

    private final TaskSpec spec;
    private final TaskGraph.Valid graph;

    private SpecTree(TaskSpec spec, TaskGraph.Valid graph) {
        this.spec = spec;
        this.graph = graph;
    }

    /**
     * The tree of a spec. It stays in Redis until it is dropped with its resource.
     *
     * @param id of the tree: the resource's uid, and the number of the run where there are several
     * @param graph of that spec
     * @param delay until it begins
     */
    static TaskTree of(String id, TaskSpec spec, TaskGraph.Valid graph, Duration delay) {
        SpecTree tree = new SpecTree(spec, graph);
        return new TaskTree(
                id, tree.root(graph.main()), tree.atEnd(), true, spec.activeDeadline(), delay, Optional.empty());
    }

    /** The files of large results are removed first, and whatever comes of that, the node of the user follows. */
    private Optional<TaskNode> atEnd() {
        Optional<TaskNode> own = graph.cleanup().map(this::root);
        Map<String, TaskNode> removals = new LinkedHashMap<>();
        for (var node : spec.nodes()) {
            if (node.mapReduce() != null) {
                String path = node.mapReduce().scratchPath().orElse("");
                mapReduce(node).removal().ifPresent(removal -> removals.putIfAbsent(path, removal));
            }
        }
        if (removals.isEmpty()) {
            return own;
        }
        List<TaskNode> all = List.copyOf(removals.values());
        if (own.isEmpty() && all.size() == 1) {
            return Optional.of(all.getFirst());
        }
        TaskNode removal = new TaskNode.Group(
                all, 0, TaskNode.OnChildError.CONTINUE, Optional.empty(), TaskBody.named("finally.scratch"));
        return Optional.of(own.<TaskNode>map(node -> new TaskNode.Group(
                        List.of(removal, node),
                        1,
                        TaskNode.OnChildError.FAIL,
                        Optional.empty(),
                        TaskBody.named("finally.all")))
                .orElse(removal));
    }

    private TaskNode root(TaskGraph.Tree tree) {
        return node(tree, tree.root());
    }

    private TaskNode node(TaskGraph.Tree tree, Place place) {
        dev.quiver.crds.v1alpha1.TaskNode node = place.node();
        return switch (node.type().orElseThrow()) {
            case COMMAND, HANDLER -> leaf(node);
            case CHAIN -> new TaskNode.Chain(children(tree, place), reaction(node), node.activeDeadline(), named(node));
            case GROUP ->
                new TaskNode.Group(children(tree, place), 0, reaction(node), node.activeDeadline(), named(node));
            case FOR_EACH ->
                new TaskNode.ForEach(
                        root(graph.templates().get(node.name())),
                        node.forEach().childrenAtOnce().orElse(0),
                        reaction(node),
                        node.activeDeadline(),
                        named(node));
            case ITERATOR -> iterator(node);
            case MAP_REDUCE -> mapReduce(node).ofNode(named(node), node.activeDeadline());
        };
    }

    private MapReduceNodes mapReduce(dev.quiver.crds.v1alpha1.TaskNode node) {
        return new MapReduceNodes(
                node.mapReduce(),
                part -> node.name() + "." + part,
                spec.workerPoolRef().name());
    }

    private List<TaskNode> children(TaskGraph.Tree tree, Place place) {
        return tree.children(place).stream().map(child -> node(tree, child)).toList();
    }

    private TaskNode leaf(dev.quiver.crds.v1alpha1.TaskNode node) {
        Optional<String> handler = Optional.ofNullable(node.handler());
        return new TaskNode.Leaf(
                pool(node),
                handler,
                node.maxTrialsOrDefault(),
                node.totalOrDefault(),
                body(
                        node,
                        Executions.of(handler, node.command(), node.workingDir()),
                        node.args(),
                        node.env(),
                        node.activeDeadline()));
    }

    private TaskNode iterator(dev.quiver.crds.v1alpha1.TaskNode node) {
        TaskIterator calls = node.iterator();
        Optional<String> handler = calls.handlerName();
        return new TaskNode.IteratorNode(
                pool(node),
                handler,
                node.maxTrialsOrDefault(),
                calls.window(),
                reaction(node),
                node.activeDeadline(),
                body(
                        node,
                        Executions.of(handler, calls.command(), calls.workingDir()),
                        calls.args(),
                        calls.env(),
                        calls.deadlineOfCall()));
    }

    private String pool(dev.quiver.crds.v1alpha1.TaskNode node) {
        return Optional.ofNullable(node.foreignPool())
                .or(() -> Optional.ofNullable(node.workerPoolRef()).map(WorkerPoolRef::name))
                .orElseGet(() -> spec.workerPoolRef().name());
    }

    private static TaskBody body(
            dev.quiver.crds.v1alpha1.TaskNode node,
            Execution execution,
            List<JsonNode> args,
            List<EnvEntry> env,
            Optional<Duration> timeLimit) {
        Map<String, String> variables = new LinkedHashMap<>();
        env.forEach(entry -> variables.put(entry.name(), entry.value()));
        return new TaskBody(
                node.name(), Optional.of(execution), args, variables, timeLimit, Backoffs.of(node.backoffOrDefault()));
    }

    private static TaskBody named(dev.quiver.crds.v1alpha1.TaskNode node) {
        return TaskBody.named(node.name());
    }

    private static TaskNode.OnChildError reaction(dev.quiver.crds.v1alpha1.TaskNode node) {
        return node.onChildErrorOrDefault() == OnChildError.Continue
                ? TaskNode.OnChildError.CONTINUE
                : TaskNode.OnChildError.FAIL;
    }
}
