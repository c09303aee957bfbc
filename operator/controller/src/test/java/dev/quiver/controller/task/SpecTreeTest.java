package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskGraph;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.FileSplit;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.Scratch;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;

class SpecTreeTest {

    private static final RetryBackoff MINUTE = new RetryBackoff(Duration.ofMinutes(1), 1, Duration.ofHours(1), 0);

    private static TaskTree tree(String yaml) {
        TaskSpec spec = Serialization.unmarshal(yaml, TaskSpec.class);
        TaskGraph graph = TaskGraph.of(spec);
        assertThat(graph).isInstanceOf(TaskGraph.Valid.class);
        return SpecTree.of("uid-1", spec, (TaskGraph.Valid) graph, Duration.ofSeconds(5));
    }

    private static final Optional<Duration> HOUR = Optional.of(Duration.ofHours(1));

    private static TaskBody call(String name, String handler) {
        return new TaskBody(
                name, Optional.of(new Execution.Handler(handler)), List.of(), Map.of(), Optional.empty(), MINUTE);
    }

    /** A part of a map-reduce that says nothing of its time has an hour. */
    private static TaskBody part(String name, String handler) {
        return new TaskBody(name, Optional.of(new Execution.Handler(handler)), List.of(), Map.of(), HOUR, MINUTE);
    }

    @Test
    void oneUnitOfWorkIsALeaf() {
        TaskTree tree = tree("""
                workerPoolRef: {name: shared}
                activeDeadlineSeconds: 90
                task:
                  command: [resize, -v]
                  args: [photo.png]
                  env: [{name: A, value: b}]
                  workingDir: /data
                  maxTrials: 5
                  total: 7
                  activeDeadlineSeconds: 60
                  backoff: {initialSeconds: 2, factor: 3, maxSeconds: 9, jitterPercent: 4}
                """);
        TaskBody body = new TaskBody(
                TaskGraph.UNIT,
                Optional.of(new Execution.Command(List.of("resize", "-v"), List.of(), Optional.of("/data"))),
                List.of(new TextNode("photo.png")),
                Map.of("A", "b"),
                Optional.of(Duration.ofSeconds(60)),
                new RetryBackoff(Duration.ofSeconds(2), 3, Duration.ofSeconds(9), 4));
        assertThat(tree)
                .isEqualTo(new TaskTree(
                        "uid-1",
                        new TreeNode.Leaf("shared", Optional.empty(), 5, 7, body),
                        Optional.empty(),
                        true,
                        Optional.of(Duration.ofSeconds(90)),
                        Duration.ofSeconds(5),
                        Optional.empty()));
    }

    private static Optional<OnceName> once(String text) {
        return tree("workerPoolRef: {name: shared}\ntask: {handler: f, once: " + text + "}")
                .once();
    }

    @Test
    void nameOfATaskIsThatOfItsTree() {
        assertThat(once("{name: a}")).hasValue(new OnceName("a", OnceName.Only.WHILE_IT_GOES_ON));
        assertThat(once("{name: a, until: End}")).hasValue(new OnceName("a", OnceName.Only.WHILE_IT_GOES_ON));
        assertThat(once("{name: a, until: Start}")).hasValue(new OnceName("a", OnceName.Only.WHILE_IT_WAITS));
        assertThat(once("{name: a, until: Start, replace: true}"))
                .hasValue(new OnceName("a", OnceName.Only.THE_NEWEST));
        assertThat(tree("""
                        workerPoolRef: {name: shared}
                        nodes:
                          - {name: x, handler: f}
                          - {name: all, chain: [x], once: {name: b}}
                        """).once()).hasValue(new OnceName("b", OnceName.Only.WHILE_IT_GOES_ON));
        assertThat(once("null")).isEmpty();
    }

    /** As the API server hands them on: it knows numbers of 64 bits alone, so digits beyond are lost before. */
    @Test
    void argumentsOfAResourceKeepTheirValues() {
        TaskTree tree = tree("""
                {"workerPoolRef": {"name": "shared"},
                 "task": {"handler": "h", "args": ["\\ud800", 1e+21, -0.0, 1.1, {"a": [9007199254740993]}]}}
                """);
        assertThat(tree.root().body().args())
                .extracting(JsonNode::toString)
                .containsExactly("\"\ud800\"", "1.0E21", "-0.0", "1.1", "{\"a\":[9007199254740993]}");
    }

    @Test
    void nodesBecomeTheTreeThatTheyDescribe() {
        TaskTree tree = tree("""
                workerPoolRef: {name: shared}
                root: all
                finally: cleanup
                nodes:
                  - {name: fetch, handler: fetch}
                  - {name: page, handler: render, workerPoolRef: {name: big}}
                  - {name: pages, forEach: {do: page, window: 100}, onChildError: Continue}
                  - {name: rows, iterator: {handler: walk, window: 50, activeDeadlineSeconds: 9}, maxTrials: 2}
                  - {name: both, group: [merge, rows], activeDeadlineSeconds: 30}
                  - {name: merge, handler: merge}
                  - {name: all, chain: [fetch, pages, both]}
                  - {name: cleanup, handler: clean}
                """);
        TreeNode page = new TreeNode.Leaf("big", Optional.of("render"), 3, 1, call("page", "render"));
        TreeNode rows = new TreeNode.IteratorNode(
                "shared",
                Optional.of("walk"),
                2,
                50,
                OnChildError.FAIL,
                Optional.empty(),
                new TaskBody(
                        "rows",
                        call("rows", "walk").execution(),
                        List.of(),
                        Map.of(),
                        Optional.of(Duration.ofSeconds(9)),
                        call("rows", "walk").backoff()));
        TreeNode merge = new TreeNode.Leaf("shared", Optional.of("merge"), 3, 1, call("merge", "merge"));
        TreeNode both = new TreeNode.Group(
                List.of(merge, rows),
                0,
                OnChildError.FAIL,
                Optional.of(Duration.ofSeconds(30)),
                TaskBody.named("both"));
        TreeNode pages =
                new TreeNode.ForEach(page, 100, OnChildError.CONTINUE, Optional.empty(), TaskBody.named("pages"));
        TreeNode fetch = new TreeNode.Leaf("shared", Optional.of("fetch"), 3, 1, call("fetch", "fetch"));
        assertThat(tree.root())
                .isEqualTo(new TreeNode.Chain(
                        List.of(fetch, pages, both), OnChildError.FAIL, Optional.empty(), TaskBody.named("all")));
        assertThat(tree.atEnd())
                .hasValue(new TreeNode.Leaf("shared", Optional.of("clean"), 3, 1, call("cleanup", "clean")));
    }

    @Test
    void mapReduceIsAChainOfItsParts() {
        TaskTree tree = tree("""
                workerPoolRef: {name: shared}
                nodes:
                  - name: words
                    activeDeadlineSeconds: 60
                    mapReduce:
                      map: {handler: split, args: [a]}
                      process: {handler: count, maxTrials: 2, workerPoolRef: {name: big}}
                      combine: {handler: add, fanIn: 4}
                      reduce: {command: [top]}
                      failurePolicy: SkipChunk
                      resultsSize: 1Ki
                """);
        TaskBody split = new TaskBody(
                "words.map",
                Optional.of(new Execution.Handler("split")),
                List.of(new TextNode("a")),
                Map.of(),
                HOUR,
                MINUTE);
        TaskBody top = new TaskBody(
                "words.reduce",
                Optional.of(new Execution.Command(List.of("top"), List.of(), Optional.empty())),
                List.of(),
                Map.of(),
                HOUR,
                MINUTE);
        assertThat(tree.root())
                .isEqualTo(new TreeNode.Chain(
                        List.of(
                                new TreeNode.Leaf("shared", Optional.of("split"), 3, 1, split.bringing()),
                                new TreeNode.Chunks(
                                        "big",
                                        Optional.of("count"),
                                        2,
                                        new ChunkWork(
                                                Optional.of(part("words.combine", "add")),
                                                3,
                                                4,
                                                true,
                                                1024,
                                                false,
                                                Optional.empty()),
                                        Optional.empty(),
                                        part("words.chunks", "count")),
                                new TreeNode.Leaf("shared", Optional.empty(), 3, 1, top)),
                        OnChildError.FAIL,
                        Optional.of(Duration.ofSeconds(60)),
                        TaskBody.named("words")));
    }

    @Test
    void chunksWithoutMapAreTheElementsOfTheInput() {
        TaskTree tree = tree("""
                workerPoolRef: {name: shared}
                nodes:
                  - {name: all, chain: [list, each]}
                  - {name: list, handler: list}
                  - {name: each, mapReduce: {process: {handler: count}}}
                """);
        TreeNode.Chain each = (TreeNode.Chain) tree.root().children().getLast();
        assertThat(each.children())
                .singleElement()
                .isInstanceOfSatisfying(
                        TreeNode.Chunks.class,
                        chunks -> assertThat(chunks.work().ofInput()).isTrue());
    }

    private static final Scratch SCRATCH = new Scratch("/data/scratch");

    private static String withScratch(String more) {
        return """
                workerPoolRef: {name: shared}
                nodes:
                  - name: words
                    mapReduce:
                      split: {by: lines, size: 100, path: "/data/*.txt"}
                      process: {handler: count, workerPoolRef: {name: big}}
                      reduce: {handler: top}
                      scratch: {path: /data/scratch}
                """ + more;
    }

    @Test
    void filesAreCutByATaskOfTheWorkersOwnProgram() {
        TreeNode.Chain words = (TreeNode.Chain) tree(withScratch("")).root();
        assertThat(words.children()).hasSize(3);
        assertThat(words.children().getFirst())
                .isEqualTo(
                        new FileSplit("lines", 100, "/data/*.txt").task("words.split", "big", ChunkWork.MOST_CHUNKS));
        assertThat(words.children().get(1)).isInstanceOfSatisfying(TreeNode.Chunks.class, chunks -> {
            assertThat(chunks.work().ofInput()).isFalse();
            assertThat(chunks.work().scratch()).contains(SCRATCH);
        });
    }

    @Test
    void filesOfResultsAreRemovedAtTheEnd() {
        assertThat(tree(withScratch("")).atEnd()).contains(SCRATCH.removal("words.scratch", "big"));
    }

    @Test
    void filesOfResultsAreRemovedBeforeTheNodeAtTheEndWhateverComesOfIt() {
        TaskTree tree = tree(withScratch("""
                  - {name: tidy, handler: tidy}
                finally: tidy
                root: words
                """));
        TreeNode removal = new TreeNode.Group(
                List.of(SCRATCH.removal("words.scratch", "big")),
                0,
                OnChildError.CONTINUE,
                Optional.empty(),
                TaskBody.named("finally.scratch"));
        TreeNode tidy = new TreeNode.Leaf("shared", Optional.of("tidy"), 3, 1, call("tidy", "tidy"));
        assertThat(tree.atEnd())
                .contains(new TreeNode.Group(
                        List.of(removal, tidy), 1, OnChildError.FAIL, Optional.empty(), TaskBody.named("finally.all")));
    }

    @Test
    void aNodeWithAPlanIsQueuedForThePlanFirst() {
        TaskTree tree = tree("""
                workerPoolRef: {name: shared}
                nodes:
                  - {name: all, group: [quick, slow, none]}
                  - {name: quick, handler: f, plan: true}
                  - {name: slow, handler: f, plan: true, planSeconds: 60}
                  - {name: none, handler: f, plan: false}
                """);
        assertThat(tree.root().children())
                .extracting(child -> ((TreeNode.Leaf) child).firstHandler().orElseThrow())
                .containsExactly("f#plan", "f#plan", "f");
        assertThat(tree.root().children())
                .extracting(
                        child -> child.body().plan().map(Duration::toSeconds).orElse(0L))
                .containsExactly(5L, 60L, 0L);
    }

    @Test
    void aRequestToAComplexTaskWaitsForNoResourceButItsTurn() {
        TaskTree tree = tree("""
                workerPoolRef: {name: shared}
                resources: [online]
                task: {handler: f, plan: true, complexKey: k}
                """);
        assertThat(tree.root().rank().resources()).containsExactly("complex!f!k");
        assertThat(tree.root().body().complex().orElseThrow().key()).isEqualTo("k");
    }

    @Test
    void aNodeWithAContingencySaysSoInItsDocument() {
        TaskTree tree = tree("""
                workerPoolRef: {name: shared}
                task: {handler: f, plan: true, contingency: true}
                """);
        assertThat(tree.root().body().contingency()).isTrue();
        assertThat(tree.root().body().plan()).isPresent();
    }
}
