package dev.quiver.crds.v1alpha1;

import static dev.quiver.crds.v1alpha1.TaskNode.ofChain;
import static dev.quiver.crds.v1alpha1.TaskNode.ofCommand;
import static dev.quiver.crds.v1alpha1.TaskNode.ofForEach;
import static dev.quiver.crds.v1alpha1.TaskNode.ofGroup;
import static dev.quiver.crds.v1alpha1.TaskNode.ofHandler;
import static dev.quiver.crds.v1alpha1.TaskNode.ofIterator;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.quiver.crds.v1alpha1.TaskGraph.Invalid;
import dev.quiver.crds.v1alpha1.TaskGraph.Place;
import dev.quiver.crds.v1alpha1.TaskGraph.Tree;
import dev.quiver.crds.v1alpha1.TaskGraph.Valid;

class TaskGraphTest {

    @Test
    void numbersBreadthFirst() {
        var graph = valid(
                ofChain("all", "fetch", "both", "merge"),
                leaf("merge"),
                ofGroup("both", "left", "right"),
                ofChain("left", "one", "two"),
                leaf("two"),
                leaf("one"),
                leaf("fetch"),
                leaf("right"));
        assertThat(names(graph.main())).containsExactly("all", "fetch", "both", "merge", "left", "right", "one", "two");
        assertThat(graph.main().places())
                .extracting(Place::parent, Place::first, Place::count)
                .containsExactly(
                        row(-1, 1, 3),
                        row(0, 0, 0),
                        row(0, 4, 2),
                        row(0, 0, 0),
                        row(2, 6, 2),
                        row(2, 0, 0),
                        row(4, 0, 0),
                        row(4, 0, 0));
        assertThat(graph.main().children(graph.main().root()))
                .extracting(place -> place.node().name())
                .containsExactly("fetch", "both", "merge");
        assertThat(graph.cleanup()).isEmpty();
        assertThat(graph.templates()).isEmpty();
    }

    @Test
    void keepsTemplatesAndCleanupOutOfTheTree() {
        var graph = (Valid) TaskGraph.of(spec(
                        ofChain("all", "list", "pages"),
                        leaf("list"),
                        ofForEach("pages", "page"),
                        ofChain("page", "parts", "join"),
                        leaf("join"),
                        ofForEach("parts", "part"),
                        leaf("part"),
                        ofChain("cleanup", "sweep", "tell"),
                        leaf("sweep"),
                        leaf("tell"))
                .cleanup("cleanup")
                .build());
        assertThat(names(graph.main())).containsExactly("all", "list", "pages");
        assertThat(graph.main().places().get(2).count()).isZero();
        assertThat(names(graph.cleanup().orElseThrow())).containsExactly("cleanup", "sweep", "tell");
        assertThat(graph.templates()).containsOnlyKeys("pages", "parts");
        assertThat(names(graph.templates().get("pages"))).containsExactly("page", "parts", "join");
        assertThat(names(graph.templates().get("parts"))).containsExactly("part");
    }

    @Test
    void isOneNodeForOneUnitOfWork() {
        var unit = TaskUnitBuilder.builder()
                .handler("resize")
                .args(List.of(text("a.png")))
                .maxTrials(5)
                .activeDeadlineSeconds(9)
                .build();
        var graph = (Valid) TaskGraph.of(TaskSpecBuilder.builder().task(unit).build());
        var node = graph.main().root().node();
        assertThat(graph.main().places()).hasSize(1);
        assertThat(node.name()).isEqualTo(TaskGraph.UNIT);
        assertThat(node.args()).containsExactly(text("a.png"));
        assertThat(node.maxTrialsOrDefault()).isEqualTo(5);
        assertThat(node.activeDeadline()).contains(Duration.ofSeconds(9));
        assertThat(node.backoffOrDefault()).isEqualTo(Backoff.DEFAULT);
        assertThat(node.totalOrDefault()).isEqualTo(1);
        assertThat(node.onChildErrorOrDefault()).isEqualTo(OnChildError.Fail);
    }

    @Test
    void findsTheRootAlone() {
        assertThat(valid(leaf("only")).main().places()).hasSize(1);
        var graph = (Valid)
                TaskGraph.of(spec(leaf("last"), leaf("only")).cleanup("last").build());
        assertThat(names(graph.main())).containsExactly("only");
    }

    @Test
    void namesAnUnknownNode() {
        refuses(
                "all",
                "node all: its chain names fetsh, and no node has this name",
                ofChain("all", "fetsh"),
                leaf("fetch"));
        refuses("all", "node all: its group names b, and no node has this name", ofGroup("all", "a", "b"), leaf("a"));
        refuses(
                "each",
                "node each: its forEach names b, and no node has this name",
                ofChain("all", "a", "each"),
                leaf("a"),
                ofForEach("each", "b"));
        refuses(spec(leaf("a")).root("b").build(), "b", "spec.root names b, and no node has this name");
        refuses(spec(leaf("a")).cleanup("b").build(), "b", "spec.finally names b, and no node has this name");
    }

    @Test
    void namesACycle() {
        refuses("all", "node all: is below itself: all > all", ofChain("all", "all"));
        refuses(
                "a",
                "node a: is below itself: a > b > c > a",
                ofChain("all", "x", "a"),
                leaf("x"),
                ofChain("a", "b"),
                ofGroup("b", "x2", "c"),
                leaf("x2"),
                ofChain("c", "a"));
        refuses(
                "a",
                "node a: is below itself: a > b > a",
                ofChain("all", "x", "a"),
                leaf("x"),
                ofForEach("a", "b"),
                ofChain("b", "a"));
        refuses(
                "a",
                "node a: is below itself: a > b > a",
                leaf("x"),
                ofChain("a", "b", "below"),
                ofChain("b", "a"),
                leaf("below"));
    }

    @Test
    void namesANodeWithTwoParents() {
        refuses(
                "b",
                "node b: is named by chain all and by group a, and one parent is allowed",
                ofChain("all", "a", "b"),
                ofGroup("a", "b"),
                leaf("b"));
        refuses("b", "node b: is named twice by chain all, and once is allowed", ofChain("all", "b", "b"), leaf("b"));
    }

    private static TaskNode once(TaskNode node, TaskOnceUntil until, Boolean replace) {
        return TaskNodeBuilder.builder(node)
                .once(new TaskOnce("sync:7", until, replace))
                .build();
    }

    @Test
    void refusesANameThatTheWholeTaskCannotHave() {
        refuses(
                "a",
                "node a: its once has the name \"sync:7\", and only the root all can have one: it is a name of the whole Task",
                ofChain("all", "a"),
                once(leaf("a"), null, null));
        refuses(
                "all",
                "node all: its once has the name \"sync:7\" and until: Start, and it has children: only a Task that is one"
                        + " task waits for a worker",
                once(ofChain("all", "a"), TaskOnceUntil.Start, null),
                leaf("a"));
        refuses(
                spec(once(leaf("a"), TaskOnceUntil.Start, null), leaf("tidy"))
                        .cleanup("tidy")
                        .build(),
                "a",
                "node a: its once has the name \"sync:7\" and until: Start, and spec.finally is tidy: only a Task that is one"
                        + " task waits for a worker");
        refuses(
                "a",
                "node a: its once has the name \"sync:7\" and replace: true, which needs until: Start",
                once(leaf("a"), null, true));
        valid(once(leaf("a"), TaskOnceUntil.Start, true));
        valid(once(ofChain("all", "a"), TaskOnceUntil.End, false), leaf("a"));
    }

    @Test
    void namesAnOrphan() {
        refuses(
                spec(leaf("a"), leaf("b")).root("a").build(),
                "b",
                "node b: is outside the tree of a: no chain, group or forEach names it");
        refuses(
                "b",
                "node b: has no parent, and neither has a: name the root in spec.root, and all others in a chain, group or"
                        + " forEach",
                leaf("a"),
                leaf("b"));
    }

    @Test
    void wantsRootAndFinallyToStandAlone() {
        refuses(
                spec(ofChain("all", "a"), leaf("a")).root("a").build(),
                "a",
                "node a: is spec.root, which no other node may name, and chain all does");
        refuses(
                spec(ofChain("all", "a", "b"), leaf("a"), leaf("b"))
                        .cleanup("b")
                        .build(),
                "b",
                "node b: is spec.finally, which no other node may name, and chain all does");
        refuses(spec(leaf("a")).root("a").cleanup("a").build(), "a", "node a: is both spec.root and spec.finally");
        refuses(
                spec(leaf("a")).cleanup("a").build(),
                "a",
                "node a: is spec.finally, and there is no other node to be the root");
    }

    @Test
    void isAtMostSixteenDeep() {
        assertThat(valid(nested(16)).main().places()).hasSize(16);
        refuses("n16", "node n16: is 17 deep in the tree, and 16 are allowed", nested(17));
    }

    @Test
    void countsTemplatesInTheDepth() {
        var nodes = new ArrayList<>(List.of(nested(15)));
        nodes.set(14, ofChain("n14", "x", "each"));
        nodes.addAll(List.of(leaf("x"), ofForEach("each", "page"), leaf("page")));
        refuses("page", "node page: is 17 deep in the tree, and 16 are allowed", nodes.toArray(TaskNode[]::new));
    }

    @Test
    @Timeout(10)
    void takesAThousandNodesWhateverTheirShape() {
        refuses("n16", "node n16: is 17 deep in the tree, and 16 are allowed", nested(TaskNode.MAX_NODES));
        refuses(
                "n17",
                "node n17: is below itself: n17 > n18 > n19 > n20 > n21 > n22 > n23 > n24 > … (983 nodes)",
                many(i -> ofChain("n" + i, i == 999 ? "n17" : "n" + (i + 1))));
        var flat = many(i -> i == 0
                ? ofGroup("n0", IntStream.range(1, 1000).mapToObj(k -> "n" + k).toArray(String[]::new))
                : leaf("n" + i));
        assertThat(valid(flat).main().places()).hasSize(1000);
        // As many names as 256 KiB hold, all wrong.
        var all = IntStream.range(0, 39).mapToObj(k -> "n" + k).toArray(String[]::new);
        refuses("n0", "node n0: is below itself: n0 > n0", many(i -> ofGroup("n" + i, all)));
    }

    @Test
    void takesAResultThatIsThere() {
        valid(ofChain("all", "a", "b"), leaf("a"), asks("b", "a"));
        valid(ofChain("all", "a", "b"), asks("b", "a"), leaf("a"));
        valid( // of a node below an earlier one, for a node below a later one
                ofChain("all", "first", "second"),
                ofGroup("first", "x", "y"),
                leaf("x"),
                leaf("y"),
                ofGroup("second", "z", "w"),
                leaf("z"),
                asks("w", "x", "first"));
        valid( // from inside a template, for one outside and one inside
                ofChain("all", "list", "pages"),
                leaf("list"),
                ofForEach("pages", "page"),
                ofChain("page", "load", "store"),
                leaf("load"),
                asks("store", "list", "load"));
        valid(ofChain("all", "a", "b"), leaf("a"), ofIterator("b", TaskIterator.ofHandler("walk", asked("a"))));
        valid(ofChain("all", "a", "b"), leaf("a"), ofHandler("b", "h", text("$$(results.c)"), text("x $(results.c)")));
    }

    @Test
    void namesAResultThatIsNotThereYet() {
        refuses("a", "node a: its arguments ask for the result of x, and no node has this name", asks("a", "x"));
        refuses("a", notBefore("a", "a"), asks("a", "a"));
        refuses("a", notBefore("a", "b"), ofChain("all", "a", "b"), asks("a", "b"), leaf("b"));
        refuses("b", notBefore("b", "a"), ofGroup("all", "a", "b"), leaf("a"), asks("b", "a"));
        refuses("b", notBefore("b", "all"), ofChain("all", "a", "b"), leaf("a"), asks("b", "all"));
        refuses(
                "b",
                "node b: its arguments ask for the result of page, which runs once for each element of forEach pages",
                ofChain("all", "a", "pages", "b"),
                leaf("a"),
                ofForEach("pages", "page"),
                leaf("page"),
                asks("b", "page"));
        refuses(spec(leaf("a"), asks("b", "a")).cleanup("b").build(), "b", notBefore("b", "a"));
        refuses(
                TaskSpecBuilder.builder()
                        .task(TaskUnit.ofHandler("h", asked("a")))
                        .build(),
                "task",
                "node task: its arguments ask for the result of a, and no node has this name");
    }

    @Test
    void asksForAtMostEightResults() {
        valid(ofChain("all", "a", "b"), leaf("a"), asks("b", "a", "a", "a", "a", "a", "a", "a", "a"));
        refuses(
                "b",
                "node b: its arguments ask for 9 results, and 8 are allowed",
                ofChain("all", "a", "b"),
                leaf("a"),
                asks("b", "a", "a", "a", "a", "a", "a", "a", "a", "a"));
    }

    @Test
    void runsThroughAResultThatIsThere() {
        refuses(
                "each",
                "node each: has no result before it to run through: put it behind another node in a chain",
                ofForEach("each", "a"),
                leaf("a"));
        refuses(
                "each",
                "node each: has no result before it to run through: put it behind another node in a chain",
                ofChain("all", "each", "b"),
                ofForEach("each", "a"),
                leaf("a"),
                leaf("b"));
        valid(ofChain("all", "a", "each"), leaf("a"), ofForEach("each", "inner"), ofForEach("inner", "b"), leaf("b"));
    }

    @Test
    void givesTextsToCommands() {
        valid(ofCommand("a", "echo"));
        refuses("a", "node a: its args[1] is a number, and a command takes texts", command("a", text("x"), number()));
        refuses("a", "node a: its args[0] is an object, and a command takes texts", command("a", object()));
        refuses(
                "a",
                "node a: its args[0] is null, and a command takes texts",
                command("a", JsonNodeFactory.instance.nullNode()));
        refuses(
                "a",
                "node a: its args[0] has 16385 characters, and 16384 are allowed with a command",
                command("a", text("x".repeat(16_385))));
        refuses(
                "a",
                "node a: its iterator.args[0] is a number, and a command takes texts",
                ofIterator(
                        "a",
                        TaskIteratorBuilder.builder()
                                .command(List.of("walk"))
                                .args(List.of(number()))
                                .build()));
        refuses(
                TaskSpecBuilder.builder()
                        .task(TaskUnitBuilder.builder()
                                .command(List.of("echo"))
                                .args(List.of(number()))
                                .build())
                        .build(),
                "task",
                "node task: its args[0] is a number, and a command takes texts");
    }

    @Test
    void givesArgumentsOnlyToWhatRuns() {
        refuses(
                "all",
                "node all: args need command or handler",
                TaskNodeBuilder.builder(ofChain("all", "a"))
                        .args(List.of(number()))
                        .build(),
                leaf("a"));
        refuses(
                "a",
                "node a: its args belong into iterator.args",
                TaskNodeBuilder.builder(ofIterator("a", TaskIterator.ofHandler("walk")))
                        .args(List.of(number()))
                        .build());
    }

    @Test
    void isAtMostSoLarge() {
        int brackets = 2;
        int empty = "{'name':'b','handler':'h','args':['']}".length();
        valid(ofHandler("b", "h", text("x".repeat(TaskGraph.MAX_BYTES - brackets - empty))));

        int beside = "{'name':'a','handler':'h'},".length();
        int oneTooMany = TaskGraph.MAX_BYTES + 1 - brackets - beside - empty;
        refuses(
                "b",
                "the nodes have 262145 bytes as JSON together, and 262144 are allowed; the largest is b with 262116",
                leaf("a"),
                ofHandler("b", "h", text("é".repeat(oneTooMany / 2) + "x".repeat(oneTooMany % 2))));
    }

    @Test
    void namesWhatTheApiServerWouldHaveRefused() {
        refuses("a", "node a: stands twice in spec.nodes", leaf("a"), leaf("a"));
        refuses(
                "a",
                "node a: must have exactly one of command, handler, chain, group, forEach, iterator and mapReduce",
                TaskNodeBuilder.builder().name("a").build());
        refuses(TaskSpecBuilder.builder().build(), "", "spec.nodes is empty");
    }

    @Test
    void findsTheChunksOfAMapReduce() {
        MapReduce job = MapReduce.ofHandlers("split", "count", "top");
        assertThat(valid(TaskNode.ofMapReduce("words", job)).main().places()).hasSize(1);
        MapReduce ofInput = MapReduceBuilder.builder(job).map(null).build();
        valid(ofChain("all", "list", "words"), leaf("list"), TaskNode.ofMapReduce("words", ofInput));
        refuses(
                "words",
                "node words: has neither mapReduce.map nor split, and no result before it whose elements are its chunks: add one, or"
                        + " put it behind another node in a chain",
                TaskNode.ofMapReduce("words", ofInput));
    }

    @Test
    void countsThePartsOfAMapReduce() {
        MapReduce job = MapReduce.ofHandlers("split", "count", "top");
        TaskNode[] jobs = IntStream.range(0, 251)
                .mapToObj(i -> TaskNode.ofMapReduce("n" + i, job))
                .toArray(TaskNode[]::new);
        refuses(
                "n0",
                "the nodes make a tree of 1004, and 1000 are allowed; each part of a mapReduce, as those of n0, is one",
                jobs);
    }

    @Test
    void checksTheArgumentsOfAMapReduce() {
        MapReduce job = MapReduce.ofHandlers("split", "count", "top");
        refuses(
                "words",
                "node words: its mapReduce.process.args ask for the result of list, and parts of a map-reduce get no"
                        + " results of other nodes",
                TaskNode.ofMapReduce(
                        "words",
                        MapReduceBuilder.builder(job)
                                .process(MapReducePartBuilder.builder()
                                        .handler("count")
                                        .args(List.of(text("$(results.list)")))
                                        .build())
                                .build()));
        refuses(
                "words",
                "node words: its mapReduce.combine.args[0] is a number, and a command takes texts",
                TaskNode.ofMapReduce(
                        "words",
                        MapReduceBuilder.builder(job)
                                .combine(MapReduceCombineBuilder.builder()
                                        .command(List.of("add"))
                                        .args(List.of(com.fasterxml.jackson.databind.node.IntNode.valueOf(7)))
                                        .build())
                                .build()));
    }

    private static Valid valid(TaskNode... nodes) {
        var graph = TaskGraph.of(spec(nodes).build());
        assertThat(graph).isInstanceOf(Valid.class);
        return (Valid) graph;
    }

    private static void refuses(String node, String message, TaskNode... nodes) {
        refuses(spec(nodes).build(), node, message);
    }

    private static void refuses(TaskSpec spec, String node, String message) {
        assertThat(TaskGraph.of(spec)).isEqualTo(new Invalid(node, message));
    }

    private static TaskSpecBuilder spec(TaskNode... nodes) {
        return TaskSpecBuilder.builder().nodes(List.of(nodes));
    }

    private static TaskNode leaf(String name) {
        return ofHandler(name, "h");
    }

    private static TaskNode asks(String name, String... others) {
        return ofHandler(
                name, "h", Arrays.stream(others).map(TaskGraphTest::asked).toArray(JsonNode[]::new));
    }

    private static TaskNode command(String name, JsonNode... args) {
        return TaskNodeBuilder.builder(ofCommand(name, "echo"))
                .args(List.of(args))
                .build();
    }

    private static JsonNode asked(String node) {
        return text("$(results." + node + ")");
    }

    private static JsonNode text(String text) {
        return JsonNodeFactory.instance.textNode(text);
    }

    private static JsonNode number() {
        return JsonNodeFactory.instance.numberNode(7);
    }

    private static JsonNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static String notBefore(String node, String other) {
        return "node " + node + ": its arguments ask for the result of " + other
                + ", which does not end before it in a chain";
    }

    /** Chains of one, each in the one before it. */
    private static TaskNode[] nested(int depth) {
        return IntStream.range(0, depth)
                .mapToObj(i -> i == depth - 1 ? leaf("n" + i) : ofChain("n" + i, "n" + (i + 1)))
                .toArray(TaskNode[]::new);
    }

    private static TaskNode[] many(IntFunction<TaskNode> node) {
        return IntStream.range(0, TaskNode.MAX_NODES).mapToObj(node).toArray(TaskNode[]::new);
    }

    private static List<String> names(Tree tree) {
        return tree.places().stream().map(place -> place.node().name()).toList();
    }

    private static Tuple row(int parent, int first, int count) {
        return Tuple.tuple(parent, first, count);
    }
}
