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
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskOnceUntil;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.task.model.Complex;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;

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
                        id, tree.root(graph.main()), tree.atEnd(), true, spec.activeDeadline(), delay, Optional.empty())
                .named(once(graph.main().root().node()));
    }

    private static Optional<OnceName> once(TaskNode root) {
        return Optional.ofNullable(root.once())
                .map(once -> new OnceName(
                        once.name(),
                        once.replaces()
                                ? OnceName.Only.THE_NEWEST
                                : once.untilOrDefault() == TaskOnceUntil.Start
                                        ? OnceName.Only.WHILE_IT_WAITS
                                        : OnceName.Only.WHILE_IT_GOES_ON));
    }

    /** The tree of a spec that undoes another one, of what plans of that left. */
    static TaskTree of(String id, TaskSpec spec, LeftUndo undo, Duration delay) {
        TreeNode root = undo.tree(spec.undo() ? TaskBody.Undo.AS_ONE_TREE : TaskBody.Undo.NOT);
        return new TaskTree(id, root, Optional.empty(), true, spec.activeDeadline(), delay, Optional.empty());
    }

    /** The rank of all nodes that name none. */
    static Rank rank(TaskSpec spec) {
        return rank(Rank.NONE, spec.relPriority(), spec.tags(), spec.fairnessKey(), spec.resources());
    }

    /** The files of large results are removed first, and whatever comes of that, the node of the user follows. */
    private Optional<TreeNode> atEnd() {
        Optional<TreeNode> own = graph.cleanup().map(this::root);
        Map<String, TreeNode> removals = new LinkedHashMap<>();
        for (var node : spec.nodes()) {
            if (node.mapReduce() != null) {
                String path = node.mapReduce().scratchPath().orElse("");
                mapReduce(node, Rank.NONE).removal().ifPresent(removal -> removals.putIfAbsent(path, removal));
            }
        }
        if (removals.isEmpty()) {
            return own;
        }
        List<TreeNode> all = List.copyOf(removals.values());
        if (own.isEmpty() && all.size() == 1) {
            return Optional.of(all.getFirst());
        }
        TreeNode removal = new TreeNode.Group(
                all, 0, TreeNode.OnChildError.CONTINUE, Optional.empty(), TaskBody.named("finally.scratch"));
        return Optional.of(own.<TreeNode>map(node -> new TreeNode.Group(
                        List.of(removal, node),
                        1,
                        TreeNode.OnChildError.FAIL,
                        Optional.empty(),
                        TaskBody.named("finally.all")))
                .orElse(removal));
    }

    private TreeNode root(TaskGraph.Tree tree) {
        return root(tree, rank(spec));
    }

    private TreeNode root(TaskGraph.Tree tree, Rank above) {
        return node(tree, tree.root(), above);
    }

    /** A node has from the one above what it leaves out. */
    private static Rank rank(
            Rank above, Integer relPriority, List<String> tags, String fairnessKey, List<String> resources) {
        return Rank.below(
                above,
                Optional.ofNullable(relPriority),
                Optional.of(tags).filter(all -> !all.isEmpty()),
                Optional.ofNullable(fairnessKey),
                Optional.of(resources).filter(all -> !all.isEmpty()));
    }

    private TreeNode node(TaskGraph.Tree tree, Place place, Rank above) {
        TaskNode node = place.node();
        Rank rank = rank(above, node.relPriority(), node.tags(), node.fairnessKey(), node.resources());
        return switch (node.type().orElseThrow()) {
            case COMMAND, HANDLER -> leaf(node, rank);
            case CHAIN ->
                new TreeNode.Chain(children(tree, place, rank), reaction(node), node.activeDeadline(), named(node));
            case GROUP ->
                new TreeNode.Group(children(tree, place, rank), 0, reaction(node), node.activeDeadline(), named(node));
            case FOR_EACH ->
                new TreeNode.ForEach(
                        root(graph.templates().get(node.name()), rank),
                        node.forEach().childrenAtOnce().orElse(0),
                        reaction(node),
                        node.activeDeadline(),
                        named(node));
            case ITERATOR -> iterator(node, rank);
            case MAP_REDUCE -> mapReduce(node, rank).ofNode(named(node), node.activeDeadline());
        };
    }

    private MapReduceNodes mapReduce(TaskNode node, Rank rank) {
        return new MapReduceNodes(
                node.mapReduce(),
                part -> node.name() + "." + part,
                spec.workerPoolRef().name(),
                rank);
    }

    private List<TreeNode> children(TaskGraph.Tree tree, Place place, Rank above) {
        return tree.children(place).stream()
                .map(child -> node(tree, child, above))
                .toList();
    }

    private TreeNode leaf(TaskNode node, Rank rank) {
        Optional<String> handler = Optional.ofNullable(node.handler());
        TaskBody body = body(
                node,
                Executions.of(handler, node.command(), node.workingDir()),
                node.args(),
                node.env(),
                node.activeDeadline());
        Optional<Complex> complex =
                Optional.ofNullable(node.complexKey()).map(key -> Complex.request(node.handler(), key));
        TaskBody asked = asked(node, body);
        return new TreeNode.Leaf(
                pool(node),
                handler,
                node.maxTrialsOrDefault(),
                node.totalOrDefault(),
                complex.map(of -> of.rank(rank)).orElse(rank),
                complex.map(asked::ofComplex).orElse(asked));
    }

    private TaskBody asked(TaskNode node, TaskBody body) {
        TaskBody planned =
                node.secondsOfPlan().map(body::planned).map(this::undoable).orElse(body);
        return node.hasContingency() ? planned.withContingency() : planned;
    }

    private TaskBody undoable(TaskBody planned) {
        return spec.undo() ? planned.undoable(TaskBody.Undo.AS_ONE_TREE) : planned;
    }

    private TreeNode iterator(TaskNode node, Rank rank) {
        TaskIterator calls = node.iterator();
        Optional<String> handler = calls.handlerName();
        return new TreeNode.IteratorNode(
                pool(node),
                handler,
                node.maxTrialsOrDefault(),
                calls.window(),
                reaction(node),
                node.activeDeadline(),
                rank,
                body(
                        node,
                        Executions.of(handler, calls.command(), calls.workingDir()),
                        calls.args(),
                        calls.env(),
                        calls.deadlineOfCall()));
    }

    private String pool(TaskNode node) {
        return Optional.ofNullable(node.foreignPool())
                .or(() -> Optional.ofNullable(node.workerPoolRef()).map(WorkerPoolRef::name))
                .orElseGet(() -> spec.workerPoolRef().name());
    }

    private static TaskBody body(
            TaskNode node, Execution execution, List<JsonNode> args, List<EnvEntry> env, Optional<Duration> timeLimit) {
        Map<String, String> variables = new LinkedHashMap<>();
        env.forEach(entry -> variables.put(entry.name(), entry.value()));
        return new TaskBody(
                node.name(), Optional.of(execution), args, variables, timeLimit, Backoffs.of(node.backoffOrDefault()));
    }

    private static TaskBody named(TaskNode node) {
        return TaskBody.named(node.name());
    }

    private static TreeNode.OnChildError reaction(TaskNode node) {
        return node.onChildErrorOrDefault() == OnChildError.Continue
                ? TreeNode.OnChildError.CONTINUE
                : TreeNode.OnChildError.FAIL;
    }
}
