package dev.quiver.crds.v1alpha1;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

import dev.quiver.crds.v1alpha1.TaskGraph.Invalid;
import dev.quiver.crds.v1alpha1.TaskGraph.Place;
import dev.quiver.crds.v1alpha1.TaskGraph.Tree;
import dev.quiver.crds.v1alpha1.TaskGraph.Valid;

/**
 * One look at the work of a spec. The checks build on each other, in the order of {@link #graph}: the first ones know
 * names alone, the last ones a tree.
 *
 * <p>Nodes are numbered by their place in the spec. An edge leads from a parent to a node that it names; the template of
 * a forEach has one, too.
 */
final class TaskGraphCheck {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int NONE = -1;

    /** So many names of a cycle are shown. */
    private static final int SHOWN = 8;

    private final TaskSpec spec;
    private final List<TaskNode> nodes;
    private final Map<String, Integer> numbers = new HashMap<>();

    /** The parents that name each node, once for each time that they do; one for each but a root, once checked. */
    private final List<List<Integer>> parents = new ArrayList<>();

    /** How many of its parent's children stand before a node. */
    private final int[] position;

    private int root = NONE;
    private int cleanup = NONE;

    TaskGraphCheck(TaskSpec spec) {
        this.spec = spec;
        this.nodes = spec.allNodes();
        this.position = new int[nodes.size()];
    }

    TaskGraph graph() {
        return List.<Supplier<Optional<Invalid>>>of(
                        this::sizeFault,
                        this::nodeFault,
                        this::nameFault,
                        this::cycleFault,
                        this::parentFault,
                        this::rootFault,
                        this::onceFault,
                        this::depthFault,
                        this::elementFault,
                        () -> first(this::argumentFault),
                        () -> spec.wire() == Wire.Idoit ? first(this::wireFault) : Optional.empty(),
                        () -> first(this::referenceFault))
                .stream()
                .map(Supplier::get)
                .flatMap(Optional::stream)
                .map(TaskGraph.class::cast)
                .findFirst()
                .orElseGet(this::trees);
    }

    /** First, because it bounds what the others walk over. */
    private Optional<Invalid> sizeFault() {
        int parts = nodes.stream().mapToInt(TaskNode::treeNodes).sum();
        if (parts > TaskNode.MAX_NODES) {
            var first = nodes.stream()
                    .filter(node -> node.treeNodes() > 1)
                    .findFirst()
                    .map(TaskNode::name)
                    .orElse("");
            return Optional.of(new Invalid(
                    first,
                    "the nodes make a tree of " + parts + ", and " + TaskNode.MAX_NODES
                            + " are allowed; each part of a mapReduce, as those of " + first + ", is one"));
        }
        long size = bytes(nodes);
        if (size <= TaskGraph.MAX_BYTES) {
            return Optional.empty();
        }
        var largest = nodes.stream()
                .max(Comparator.comparingLong(TaskGraphCheck::bytes))
                .orElseThrow();
        return Optional.of(new Invalid(
                largest.name(),
                String.format(
                        Locale.ROOT,
                        "the nodes have %d bytes as JSON together, and %d are allowed; the largest is %s with %d",
                        size,
                        TaskGraph.MAX_BYTES,
                        largest.name(),
                        bytes(largest))));
    }

    /** The fault of a node that the API server refuses too, unless the object is older than its rules. */
    private Optional<Invalid> nodeFault() {
        for (int i = 0; i < nodes.size(); i++) {
            var node = nodes.get(i);
            if (node.type().isEmpty()) {
                return fault(
                        i, "must have exactly one of command, handler, chain, group, forEach, iterator and mapReduce");
            }
            if (numbers.put(node.name(), i) != null) {
                return fault(i, "stands twice in spec.nodes");
            }
            parents.add(new ArrayList<>(1));
        }
        return nodes.isEmpty() ? Optional.of(new Invalid("", "spec.nodes is empty")) : Optional.empty();
    }

    private Optional<Invalid> nameFault() {
        for (int i = 0; i < nodes.size(); i++) {
            var names = named(i);
            for (int k = 0; k < names.size(); k++) {
                var number = numbers.get(names.get(k));
                if (number == null) {
                    return fault(i, "its " + field(i) + " names " + names.get(k) + ", and no node has this name");
                }
                parents.get(number).add(i);
                position[number] = k;
            }
        }
        root = spec.rootName().map(name -> numbers.getOrDefault(name, NONE)).orElse(NONE);
        if (root == NONE && spec.rootName().isPresent()) {
            return unknown("spec.root", spec.root());
        }
        cleanup =
                spec.cleanupName().map(name -> numbers.getOrDefault(name, NONE)).orElse(NONE);
        return cleanup == NONE && spec.cleanupName().isPresent()
                ? unknown("spec.finally", spec.cleanup())
                : Optional.empty();
    }

    /** Takes nodes away that no remaining one names: a cycle remains, and all below it. */
    private Optional<Invalid> cycleFault() {
        int[] remaining = parents.stream().mapToInt(List::size).toArray();
        Queue<Integer> free = new ArrayDeque<>();
        IntStream.range(0, remaining.length).filter(i -> remaining[i] == 0).forEach(free::add);
        while (!free.isEmpty()) {
            for (var name : named(free.remove())) {
                int child = numbers.get(name);
                if (--remaining[child] == 0) {
                    free.add(child);
                }
            }
        }
        return IntStream.range(0, remaining.length)
                .filter(i -> remaining[i] > 0)
                .boxed()
                .findFirst()
                .map(from -> cycleAbove(from, remaining));
    }

    /** Each remaining node has a remaining parent, so that the way up comes to a node a second time. */
    private Invalid cycleAbove(int from, int[] remaining) {
        var step = new int[nodes.size()];
        Arrays.fill(step, NONE);
        var way = new ArrayList<String>();
        int at = from;
        while (step[at] == NONE) {
            step[at] = way.size();
            way.add(nodes.get(at).name());
            at = parents.get(at).stream()
                    .filter(parent -> remaining[parent] > 0)
                    .findFirst()
                    .orElseThrow();
        }
        var cycle = new ArrayList<>(way.subList(step[at], way.size()));
        cycle.add(cycle.get(0));
        Collections.reverse(cycle);
        var shown = cycle.size() <= SHOWN
                ? String.join(" > ", cycle)
                : String.join(" > ", cycle.subList(0, SHOWN)) + " > … (" + (cycle.size() - 1) + " nodes)";
        return new Invalid(cycle.get(0), "node " + cycle.get(0) + ": is below itself: " + shown);
    }

    private Optional<Invalid> parentFault() {
        for (int i = 0; i < nodes.size(); i++) {
            if (parents.get(i).size() > 1) {
                int first = parents.get(i).get(0);
                int second = parents.get(i).get(1);
                return fault(
                        i,
                        first == second
                                ? "is named twice by " + described(first) + ", and once is allowed"
                                : "is named by " + described(first) + " and by " + described(second)
                                        + ", and one parent is allowed");
            }
        }
        return Optional.empty();
    }

    private Optional<Invalid> rootFault() {
        if (cleanup != NONE && !isFree(cleanup)) {
            return fault(
                    cleanup,
                    "is spec.finally, which no other node may name, and " + described(parent(cleanup)) + " does");
        }
        if (root != NONE && !isFree(root)) {
            return fault(root, "is spec.root, which no other node may name, and " + described(parent(root)) + " does");
        }
        if (root != NONE && root == cleanup) {
            return fault(root, "is both spec.root and spec.finally");
        }
        var free = IntStream.range(0, nodes.size())
                .filter(i -> isFree(i) && i != cleanup)
                .boxed()
                .toList();
        if (free.isEmpty()) {
            return fault(cleanup, "is spec.finally, and there is no other node to be the root");
        }
        if (root == NONE && free.size() > 1) {
            return fault(
                    free.get(1),
                    "has no parent, and neither has " + nodes.get(free.get(0)).name()
                            + ": name the root in spec.root, and all others in a chain, group or forEach");
        }
        var orphan = free.stream().filter(i -> root != NONE && i != root).findFirst();
        root = root == NONE ? free.get(0) : root;
        return orphan.flatMap(i ->
                fault(i, "is outside the tree of " + nodes.get(root).name() + ": no chain, group or forEach names it"));
    }

    /** A name is that of the whole Task. One that is free at the start is that of a Task which is one task. */
    private Optional<Invalid> onceFault() {
        for (int i = 0; i < nodes.size(); i++) {
            var once = nodes.get(i).once();
            if (once == null) {
                continue;
            }
            var field = "its once has the name \"" + once.name() + "\"";
            if (i != root) {
                return fault(
                        i,
                        field + ", and only the root " + nodes.get(root).name()
                                + " can have one: it is a name of the whole Task");
            }
            boolean runs = type(i) == TaskNode.Type.COMMAND || type(i) == TaskNode.Type.HANDLER;
            if (once.untilOrDefault() == TaskOnceUntil.Start && (!runs || cleanup != NONE)) {
                return fault(
                        i,
                        field + " and until: Start, and "
                                + (runs
                                        ? "spec.finally is "
                                                + nodes.get(cleanup).name()
                                        : "it has children")
                                + ": only a Task that is one task waits for a worker");
            }
            if (once.replaces() && once.untilOrDefault() == TaskOnceUntil.End) {
                return fault(i, field + " and replace: true, which needs until: Start");
            }
        }
        return Optional.empty();
    }

    /** Breadth first, with root and finally as 1; all that is left is a tree below one of the two. */
    private Optional<Invalid> depthFault() {
        var depth = new int[nodes.size()];
        Queue<Integer> reached = new ArrayDeque<>(List.of(root));
        depth[root] = 1;
        if (cleanup != NONE) {
            reached.add(cleanup);
            depth[cleanup] = 1;
        }
        while (!reached.isEmpty()) {
            int node = reached.remove();
            if (depth[node] > TaskGraph.MAX_DEPTH) {
                return fault(
                        node, "is " + depth[node] + " deep in the tree, and " + TaskGraph.MAX_DEPTH + " are allowed");
            }
            for (var name : named(node)) {
                int child = numbers.get(name);
                depth[child] = depth[node] + 1;
                reached.add(child);
            }
        }
        return Optional.empty();
    }

    /** A forEach runs through the result before it; a template gets an element. */
    private Optional<Invalid> elementFault() {
        for (int i = 0; i < nodes.size(); i++) {
            if (type(i) == TaskNode.Type.FOR_EACH && !hasInput(i)) {
                return fault(i, "has no result before it to run through: put it behind another node in a chain");
            }
            if (type(i) == TaskNode.Type.MAP_REDUCE && !nodes.get(i).mapReduce().bringsChunks() && !hasInput(i)) {
                return fault(
                        i,
                        "has neither mapReduce.map nor split, and no result before it whose elements are its chunks: add one, or put it"
                                + " behind another node in a chain");
            }
        }
        return Optional.empty();
    }

    private boolean hasInput(int node) {
        for (int at = node; !isFree(at); at = parent(at)) {
            boolean behindAnother = type(parent(at)) == TaskNode.Type.CHAIN && position[at] > 0;
            if (behindAnother || type(parent(at)) == TaskNode.Type.FOR_EACH) {
                return true;
            }
        }
        return false;
    }

    private Optional<Invalid> argumentFault(int node) {
        return new TaskArguments(nodes.get(node))
                .fault()
                .or(() -> MapReduceArguments.fault(nodes.get(node)))
                .flatMap(words -> fault(node, words));
    }

    private Optional<Invalid> wireFault(int node) {
        return IdoitCheck.fault(nodes.get(node)).flatMap(words -> fault(node, words));
    }

    private Optional<Invalid> referenceFault(int node) {
        var references = new TaskArguments(nodes.get(node)).references();
        if (references.size() > TaskGraph.MAX_REFERENCES) {
            return fault(
                    node,
                    "its arguments ask for " + references.size() + " results, and " + TaskGraph.MAX_REFERENCES
                            + " are allowed");
        }
        return references.stream()
                .map(reference -> wrong(node, reference.node()))
                .flatMap(Optional::stream)
                .findFirst()
                .flatMap(words -> fault(node, "its arguments ask for the result of " + words));
    }

    /** The lowest node above both must be a chain that comes to the one asked for first. At most 16 steps. */
    private Optional<String> wrong(int node, String name) {
        var asked = numbers.get(name);
        if (asked == null) {
            return Optional.of(name + ", and no node has this name");
        }
        var above = wayUp(node);
        int forEach = NONE;
        for (int there = asked; !isFree(there); there = parent(there)) {
            int common = above.indexOf(parent(there));
            if (common > 0 && isBefore(there, above.get(common - 1))) {
                return forEach == NONE
                        ? Optional.empty()
                        : Optional.of(name + ", which runs once for each element of " + described(forEach));
            }
            if (common >= 0) {
                break;
            }
            forEach = type(parent(there)) == TaskNode.Type.FOR_EACH ? parent(there) : forEach;
        }
        return Optional.of(name + ", which does not end before it in a chain");
    }

    /** Whether one child of a chain ends before another one begins. */
    private boolean isBefore(int child, int other) {
        return type(parent(child)) == TaskNode.Type.CHAIN && position[child] < position[other];
    }

    private List<Integer> wayUp(int node) {
        var way = new ArrayList<>(List.of(node));
        for (int at = node; !isFree(at); at = parent(at)) {
            way.add(parent(at));
        }
        return way;
    }

    private Valid trees() {
        Queue<Integer> loops = new ArrayDeque<>();
        var main = tree(root, loops);
        var last = cleanup == NONE ? Optional.<Tree>empty() : Optional.of(tree(cleanup, loops));
        var templates = new HashMap<String, Tree>();
        while (!loops.isEmpty()) {
            var loop = nodes.get(loops.remove());
            templates.put(loop.name(), tree(numbers.get(loop.forEach().template()), loops));
        }
        return new Valid(main, last, templates);
    }

    private Tree tree(int top, Queue<Integer> loops) {
        var order = new ArrayList<>(List.of(top));
        var above = new ArrayList<>(List.of(NONE));
        var places = new ArrayList<Place>();
        for (int ordinal = 0; ordinal < order.size(); ordinal++) {
            int node = order.get(ordinal);
            boolean isLoop = type(node) == TaskNode.Type.FOR_EACH;
            var children = isLoop ? List.<String>of() : named(node);
            if (isLoop) {
                loops.add(node);
            }
            places.add(new Place(
                    nodes.get(node), above.get(ordinal), children.isEmpty() ? 0 : order.size(), children.size()));
            for (var child : children) {
                order.add(numbers.get(child));
                above.add(ordinal);
            }
        }
        return new Tree(places);
    }

    private List<String> named(int node) {
        return switch (type(node)) {
            case CHAIN -> nodes.get(node).chain();
            case GROUP -> nodes.get(node).group();
            case FOR_EACH -> List.of(nodes.get(node).forEach().template());
            case COMMAND, HANDLER, ITERATOR, MAP_REDUCE -> List.of();
        };
    }

    private TaskNode.Type type(int node) {
        return nodes.get(node).type().orElseThrow();
    }

    private boolean isFree(int node) {
        return parents.get(node).isEmpty();
    }

    private int parent(int node) {
        return parents.get(node).get(0);
    }

    private String field(int node) {
        return type(node).field();
    }

    private String described(int node) {
        return field(node) + " " + nodes.get(node).name();
    }

    private Optional<Invalid> first(IntFunction<Optional<Invalid>> check) {
        return IntStream.range(0, nodes.size())
                .mapToObj(check)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private Optional<Invalid> fault(int node, String words) {
        var name = nodes.get(node).name();
        return Optional.of(new Invalid(name, "node " + name + ": " + words));
    }

    private static Optional<Invalid> unknown(String field, String name) {
        return Optional.of(new Invalid(name, field + " names " + name + ", and no node has this name"));
    }

    private static long bytes(Object value) {
        try {
            return JSON.writeValueAsBytes(value).length;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("what came as JSON cannot be written as JSON", e);
        }
    }
}
