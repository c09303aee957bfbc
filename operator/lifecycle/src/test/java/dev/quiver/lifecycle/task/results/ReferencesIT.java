package dev.quiver.lifecycle.task.results;

import static dev.quiver.lifecycle.task.World.chain;
import static dev.quiver.lifecycle.task.World.each;
import static dev.quiver.lifecycle.task.World.group;
import static dev.quiver.lifecycle.task.World.leaf;
import static dev.quiver.lifecycle.task.World.passed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.World.Worker;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.Takeover;

/** Results by name among the arguments of tasks that are copies, or children of iterators. */
class ReferencesIT {
    private static final long MOST = 1 << 20;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
    }

    @AfterEach
    void end() {
        world.close();
    }

    /** A task whose arguments are results of these nodes. */
    private static TreeNode asks(String name, String... nodes) {
        List<JsonNode> arguments = Stream.of(nodes)
                .<JsonNode>map(node -> new TextNode("$(results." + node + ")"))
                .toList();
        TaskBody body = new TaskBody(
                name,
                Optional.of(new Execution.Handler("h")),
                arguments,
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
        return new TreeNode.Leaf("p", Optional.of("h"), 1, 1, body);
    }

    private static TreeNode named(String name, TreeNode... children) {
        return new TreeNode.Chain(List.of(children), OnChildError.FAIL, Optional.empty(), TaskBody.named(name));
    }

    private static String name(Claim claim) {
        return claim.task().name();
    }

    /** A list returns what is given; every other task the arguments that it got. Answers the arguments of these tasks. */
    private List<String> argumentsOf(String task, String list) {
        List<String> all = new ArrayList<>();
        world.work(world.worker("p", "h"), claim -> {
            String arguments = world.arguments(claim);
            if (name(claim).equals(task)) {
                all.add(arguments);
            }
            return Optional.of(name(claim).equals("list") ? list : arguments);
        });
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.FINISHED);
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void copiesGetTheResultsOfTheirOwnSiblingsAndOfNodesOutside(int window) {
        TreeNode page = chain(leaf("load"), leaf("check"), asks("store", "list", "load"));
        world.begin("t", chain(leaf("list"), each(page, window), leaf("merge")));
        assertThat(argumentsOf("store", "[7,8]"))
                .containsExactlyInAnyOrder(
                        "[[7,8],[\"load\",7],[\"check\",[\"load\",7]]]",
                        "[[7,8],[\"load\",8],[\"check\",[\"load\",8]]]");
    }

    @Test
    void copiesOfCopiesGetTheResultsOfEachLevel() {
        TreeNode cell = chain(leaf("parse"), leaf("check"), asks("put", "parse", "row", "list"));
        TreeNode row = chain(leaf("row"), each(cell, 0));
        world.begin("t", chain(leaf("list"), each(chain(row, asks("close", "row")), 0)));
        List<String> puts = new ArrayList<>();
        List<String> closes = new ArrayList<>();
        world.work(world.worker("p", "h"), claim -> {
            String arguments = world.arguments(claim);
            return Optional.of(
                    switch (name(claim)) {
                        case "list" -> "[1,2]";
                        case "row" -> arguments.contains("1") ? "[10,11]" : "[20]";
                        case "check" -> "0";
                        case "put" -> {
                            puts.add(arguments);
                            yield arguments;
                        }
                        case "close" -> {
                            closes.add(arguments);
                            yield "0";
                        }
                        default -> arguments;
                    });
        });
        assertThat(puts)
                .containsExactlyInAnyOrder(
                        "[[\"parse\",10],[10,11],[1,2],0]",
                        "[[\"parse\",11],[10,11],[1,2],0]",
                        "[[\"parse\",20],[20],[1,2],0]");
        assertThat(closes)
                .hasSize(2)
                .anyMatch(it -> it.startsWith("[[10,11],"))
                .anyMatch(it -> it.startsWith("[[20],"));
    }

    @Test
    void copyGetsTheResultOfACompositeOfItsOwn() {
        TreeNode page = chain(named("both", leaf("a"), leaf("b")), leaf("mid"), asks("store", "both"));
        world.begin("t", chain(leaf("list"), each(page, 0)));
        assertThat(argumentsOf("store", "[7]")).containsExactly("[[\"b\",[\"a\",7]],[\"mid\",[\"b\",[\"a\",7]]]]");
    }

    @Test
    void successorInTheSamePodGetsThemToo() {
        world.begin("t", chain(leaf("list"), each(chain(leaf("load"), asks("store", "load")), 0)));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(passed(worker.claim().getFirst(), "[7,8]")), 8);
        for (Claim load : List.copyOf(worker.held)) {
            worker.step(List.of(passed(load, world.arguments(load))), 8);
        }
        Worker next = worker.successor();
        List<Takeover> running = next.session.orphans().stream()
                .map(orphan -> Takeover.running(orphan, orphan.place().slot(), 9))
                .toList();
        List<Claim> adopted = next.session.adopt(running);
        assertThat(new TreeSet<>(adopted.stream().map(world::arguments).toList()))
                .containsExactly("[[\"load\",7],[\"load\",7]]", "[[\"load\",8],[\"load\",8]]");
    }

    @Test
    void childrenOfAnIteratorReferToTheNodesThatTheyAreMadeOf() {
        world.begin("t", chain(leaf("first"), iterator()));
        List<String> all = new ArrayList<>();
        String child = "{\"chain\":[{\"handler\":\"h\",\"name\":\"load\",\"args\":[%d]},{\"handler\":\"h\"},"
                + "{\"handler\":\"h\",\"name\":\"store\",\"args\":[\"$(results.load)\"]}]}";
        world.work(world.worker("p", "h"), claim -> {
            String arguments = world.arguments(claim);
            if (name(claim).equals("store")) {
                all.add(arguments);
            }
            return Optional.of(
                    !name(claim).equals("iterate")
                            ? arguments
                            : arguments.contains("\"created\":4")
                                    ? "null"
                                    : "{\"tasks\":[" + child.formatted(1) + "," + child.formatted(2) + "]}");
        });
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.FINISHED);
        assertThat(all).containsExactlyInAnyOrder("[[1],[[1]]]", "[[2],[[2]]]", "[[1],[[1]]]", "[[2],[[2]]]");
    }

    @Test
    void forEachOfAnIteratorsChildRunsForEachElementAndLeavesNothing() {
        world.begin("t", chain(leaf("first"), iterator()));
        List<String> stored = new ArrayList<>();
        String child = "{\"chain\":[{\"handler\":\"h\",\"name\":\"list\"},{\"name\":\"each\",\"forEach\":"
                + "{\"chain\":[{\"handler\":\"h\",\"name\":\"load\"},{\"handler\":\"h\",\"name\":\"mid\"},"
                + "{\"handler\":\"h\",\"name\":\"store\",\"args\":[\"$(results.load)\",\"$(results.list)\"]},"
                + "{\"group\":[" + String.join(",", Collections.nCopies(45, "{\"chain\":[]}")) + "]}]}},"
                + "{\"handler\":\"h\",\"name\":\"merge\",\"args\":[\"$(results.list)\"]}]}";
        int rounds = 100; // more nodes than a tree may have, if those that went counted
        String list = IntStream.range(0, 25).boxed().toList().toString();
        int[] made = {0};
        world.work(world.worker("p", "h"), claim -> {
            String arguments = name(claim).equals("list") ? list : world.arguments(claim);
            if (name(claim).equals("store")) {
                stored.add(arguments);
            }
            return Optional.of(
                    switch (name(claim)) {
                        case "iterate" -> made[0]++ < rounds ? "{\"state\":0,\"tasks\":[" + child + "]}" : "null";
                        case "merge" -> arguments.length() > list.length() ? "1" : "0";
                        case "load", "list" -> arguments;
                        default -> "0";
                    });
        });
        assertThat(world.state("t"))
                .returns(Optional.empty(), TreeState::error)
                .returns(TreeState.State.FINISHED, TreeState::state);
        assertThat(stored).hasSize(rounds * 25).contains("[[0]," + list + ",0]", "[[24]," + list + ",0]");
        assertThat(world.nodes()).isEqualTo(3);
    }

    @Test
    void forEachAsTheWholeChildOfAnIteratorHasNothingToRunThrough() {
        world.begin("t", chain(leaf("first"), iterator()));
        String child = "{\"state\":1,\"tasks\":[{\"forEach\":{\"handler\":\"h\"}}]}";
        world.work(world.worker("p", "h"), claim -> Optional.of(name(claim).equals("iterate") ? child : "[1]"));
        assertThat(world.state("t").error().orElseThrow())
                .returns("InputInvalid", NodeError::reason)
                .returns("forEach has no result before it", NodeError::message);
        world.tick();
        assertThat(world.nodes()).isEqualTo(3);
    }

    @Test
    void childOfAnIteratorThatNamesAnotherNodeIsAnInvalidAnswer() {
        world.begin("t", chain(leaf("first"), iterator()));
        String child = "{\"tasks\":[{\"handler\":\"h\",\"name\":\"store\",\"args\":[\"$(results.first)\"]}]}";
        world.work(
                world.worker("p", "h"),
                claim -> Optional.of(name(claim).equals("iterate") ? child : world.arguments(claim)));
        assertThat(world.state("t").error().orElseThrow())
                .returns("AnswerInvalid", NodeError::reason)
                .returns(
                        "args of \"store\" have $(results.first), and no node is called so: a child of an iterator may"
                                + " name the nodes in it alone; the iterator gets other results by its own args",
                        NodeError::message);
    }

    @Test
    void resultOfANodeThatHasNotEndedIsNeverNull() {
        world.begin("t", group(leaf("a"), asks("b", "a")));
        Worker worker = world.worker("p", "h");
        Claim asks = worker.claim().stream()
                .filter(claim -> name(claim).equals("b"))
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(() -> world.arguments(asks))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "$(results.a) asks for the result of node t.1, which has not ended: a node that ends earlier"
                                + " in a chain has one");
        world.store.ask(redis -> redis.hdel(world.keys.nodes(), "t.1"));
        assertThatThrownBy(() -> world.arguments(asks))
                .hasMessage("$(results.a) asks for the result of node t.1, which is not there: a node that ends earlier"
                        + " in a chain has one");
    }

    @Test
    void resultOfANodeThatReturnedNothingOrFailedIsNull() {
        TreeNode failing = group(OnChildError.CONTINUE, List.of(leaf("bad")));
        world.begin("t", chain(failing, leaf("silent"), asks("last", "bad", "silent")));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(World.failed(worker.claim().getFirst())), 8);
        Claim silent = worker.held.getFirst();
        worker.step(List.of(new Settlement.Passed(silent, Duration.ofMillis(1), Optional.empty())), 8);
        assertThat(worker.held).extracting(world::arguments).containsExactly("[null,null,null]");
    }

    private static TreeNode iterator() {
        return new TreeNode.IteratorNode(
                "p", Optional.of("h"), 1, 8, OnChildError.FAIL, Optional.empty(), World.body("iterate", "h"));
    }
}
