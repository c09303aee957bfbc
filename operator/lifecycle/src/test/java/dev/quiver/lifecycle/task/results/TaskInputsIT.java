package dev.quiver.lifecycle.task.results;

import static dev.quiver.lifecycle.task.World.chain;
import static dev.quiver.lifecycle.task.World.each;
import static dev.quiver.lifecycle.task.World.failed;
import static dev.quiver.lifecycle.task.World.group;
import static dev.quiver.lifecycle.task.World.leaf;
import static dev.quiver.lifecycle.task.World.passed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.World.Worker;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeNodeJson;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.StepCall;

/** The input that a task gets, and what becomes of the value that it returned. */
class TaskInputsIT {
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

    @ParameterizedTest
    @ValueSource(strings = {"0", "\"\"", "false", "null", "1e21", "-0", "[]", "{\"a\":[1]}", "12345678901234567890.10"})
    void chainPassesEveryResultOn(String result) {
        world.begin("t", chain(leaf("first"), leaf("second")));
        Worker worker = world.worker("p", "h");
        List<Claim> next = worker.step(List.of(passed(worker.claim().getFirst(), result)), 1)
                .claims();
        assertThat(next).extracting(TaskInputsIT::name).containsExactly("second");
        assertThat(world.arguments(next.getFirst())).isEqualTo("[\"second\"," + result + "]");
        worker.step(List.of(passed(next.getFirst(), result)), 0);
        assertThat(world.trees.result("t", MOST)).isEqualTo(result);
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.FINISHED);
    }

    @Test
    void groupGivesEachItsInputAndReturnsTheArrayInOrder() {
        world.begin("t", chain(leaf("first"), group(leaf("a"), chain(leaf("b"), leaf("c"))), leaf("last")));
        Worker worker = world.worker("p", "h");
        world.work(worker, claim -> Optional.of("\"" + name(claim) + "\""));
        assertThat(world.trees.result("t", MOST)).isEqualTo("\"last\"");
        assertThat(world.trees.result("t.2", MOST)).isEqualTo("[\"a\",\"c\"]");
        assertThat(world.state("t"))
                .returns(5L, TreeState::progress)
                .returns(5L, TreeState::total)
                .returns(new TreeState.Counts(0, 0, 0, 0, 0, 8, 0), TreeState::counts);
    }

    @Test
    void inputFlowsDownToTheFirstLeavesAndNoFurther() {
        world.begin("t", chain(leaf("first"), group(leaf("a"), chain(leaf("b"), leaf("c")))));
        Worker worker = world.worker("p", "h");
        List<Claim> two =
                worker.step(List.of(passed(worker.claim().getFirst(), "7")), 8).claims();
        assertThat(two).extracting(world::arguments).containsExactly("[\"a\",7]", "[\"b\",7]");
        List<Claim> one = worker.step(List.of(passed(two.getLast(), "8")), 8).claims();
        assertThat(one).extracting(world::arguments).containsExactly("[\"c\",8]");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void forEachRunsANodeForEachElementInOrder(int window) {
        world.begin("t", chain(leaf("list"), each(leaf("page"), window), leaf("merge")));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(passed(worker.claim().getFirst(), "[{\"n\":1},\"x\",null]")), 8);
        List<String> pages = List.of("[\"page\",{\"n\":1}]", "[\"page\",\"x\"]", "[\"page\",null]");
        assertThat(worker.held)
                .extracting(world::arguments)
                .containsExactlyElementsOf(window == 0 ? pages : pages.subList(0, window));
        world.work(worker, claim -> Optional.of(world.arguments(claim)));
        assertThat(world.trees.result("t.2", MOST)).isEqualTo("[" + String.join(",", pages) + "]");
        assertThat(world.state("t").total()).isEqualTo(5);
        assertThat(world.state("t").progress()).isEqualTo(5);
    }

    @Test
    void forEachOfCompositesAndOfForEachGivesEachLeafItsElement() {
        world.begin("t", chain(leaf("list"), each(chain(each(leaf("inner"), 0), leaf("sum")), 0)));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(passed(worker.claim().getFirst(), "[[1,2],[],[3]]")), 8);
        assertThat(worker.held)
                .extracting(world::arguments)
                .containsExactlyInAnyOrder("[\"inner\",1]", "[\"inner\",2]", "[\"sum\",[]]", "[\"inner\",3]");
        world.work(worker, claim -> Optional.of(world.arguments(claim)));
        assertThat(world.trees.result("t", MOST))
                .isEqualTo("[[\"sum\",[[\"inner\",1],[\"inner\",2]]],[\"sum\",[]],[\"sum\",[[\"inner\",3]]]]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":1}", "\"text\"", "null"})
    void forEachOfNoArrayFailsAndNamesTheReason(String result) {
        world.begin("t", chain(leaf("list"), each(leaf("page"), 0)));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(passed(worker.claim().getFirst(), result)), 8);
        assertThat(world.state("t").error())
                .hasValue(new NodeError(
                        "t.2", 0, "InputInvalid", "forEach needs an array, the result before it is none"));
    }

    @Test
    void forEachThatMakesTooManyNodesFailsWithBothNumbers() {
        List<TreeNode> nine = Collections.nCopies(9, leaf("n"));
        world.begin("t", chain(leaf("list"), each(group(OnChildError.FAIL, nine), 0)));
        Worker worker = world.worker("p", "h");
        String many = IntStream.range(0, 10_000).mapToObj(i -> "1").toList().toString();
        worker.step(List.of(passed(worker.claim().getFirst(), many)), 8);
        NodeError error = world.state("t").error().orElseThrow();
        assertThat(error.reason()).isEqualTo("InputInvalid");
        assertThat(error.message())
                .isEqualTo(
                        "forEach makes 10000 times 10 nodes, the tree would have 100013, at most 100000 are allowed");
        assertThat(world.nodes()).isLessThan(20);
    }

    @Test
    void forEachNodesOfATreeCountTogether() {
        TreeNode sixty = each(group(OnChildError.FAIL, Collections.nCopies(59, leaf("n"))), 1);
        world.begin("t", chain(leaf("list"), group(sixty, sixty)));
        Worker worker = world.worker("p", "h");
        String thousand = IntStream.range(0, 1000).mapToObj(i -> "1").toList().toString();
        worker.step(List.of(passed(worker.claim().getFirst(), thousand)), 8);
        assertThat(world.state("t").error().orElseThrow().message())
                .isEqualTo("forEach makes 1000 times 60 nodes, the tree would have 120125, at most 100000 are allowed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{ }", "{\"a\":{}}", "\"[]\"", "0"})
    void forEachWithinAForEachFailsForAnElementThatIsNoArray(String element) {
        world.begin("t", chain(leaf("list"), each(each(leaf("inner"), 0), 0)));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(passed(worker.claim().getFirst(), "[[\"{}\",{}],[]," + element + ",[1]]")), 8);
        world.work(worker, claim -> Optional.of("1"));
        NodeError error = world.state("t").error().orElseThrow();
        assertThat(error.reason()).isEqualTo("InputInvalid");
        assertThat(error.message()).isEqualTo("forEach needs an array, the result before it is none");
    }

    @Test
    void forEachOfTooManyElementsFailsWithBothNumbers() {
        world.begin("t", chain(leaf("list"), each(leaf("page"), 0)));
        Worker worker = world.worker("p", "h");
        String many = IntStream.range(0, 10_001).mapToObj(i -> "1").toList().toString();
        worker.step(List.of(passed(worker.claim().getFirst(), many)), 8);
        assertThat(world.state("t").error().orElseThrow().message())
                .isEqualTo("forEach has 10001 elements, at most 10000 are allowed");
    }

    @Test
    void oneCallStartsNoMoreThanItsBudgetOfAWideForEach() {
        world.begin("t", chain(leaf("list"), each(leaf("page"), 0)));
        Worker worker = world.worker("p", "h");
        String list = IntStream.range(0, 1000).boxed().toList().toString();
        worker.step(List.of(passed(worker.claim().getFirst(), list)), 0);
        assertThat(world.nodes()).isBetween(4L + 200, 4L + 256);
        world.work(worker, claim -> Optional.of(world.arguments(claim)));
        assertThat(world.state("t")).returns(1001L, TreeState::progress).returns(true, TreeState::over);
        assertThat(world.trees.result("t", MOST)).startsWith("[[\"page\",0],").endsWith("[\"page\",999]]");
    }

    @Test
    void argumentThatNamesAnEarlierNodeBecomesItsResult() {
        TaskBody body = new TaskBody(
                "last",
                Optional.of(new Execution.Handler("h")),
                List.of(new TextNode("$(results.first)"), new TextNode("as $(results.first)")),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
        world.begin("t", chain(leaf("first"), leaf("second"), new TreeNode.Leaf("p", Optional.of("h"), 1, 1, body)));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(passed(worker.claim().getFirst(), "[1]")), 8);
        worker.step(List.of(passed(worker.held.getFirst(), "2")), 8);
        assertThat(worker.held).extracting(world::arguments).containsExactly("[[1],\"as $(results.first)\",2]");
    }

    @Test
    void argumentThatNamesNoNodeIsRefusedAtCreation() {
        TaskBody body = new TaskBody(
                "a",
                Optional.of(new Execution.Handler("h")),
                List.of(new TextNode("$(results.b)")),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
        TaskTree tree = TaskTree.of("t", new TreeNode.Leaf("p", Optional.of("h"), 1, 1, body));
        assertThatThrownBy(() -> world.trees.create(tree))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("args of \"a\" have $(results.b), and no node is called so");
    }

    @Test
    void emptyCompositesHaveAnEmptyArray() {
        world.begin("t", chain(leaf("first"), chain(), group(), leaf("last")));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(passed(worker.claim().getFirst(), "1")), 8);
        assertThat(worker.held).extracting(world::arguments).containsExactly("[\"last\",[]]");
    }

    @Test
    void iteratorCountsLostWorkersByCall() {
        world.begin("t", iterator(3, 1));
        for (int call = 0; call < 4; call++) {
            Worker dead = world.worker("p", "h");
            assertThat(dead.claim()).extracting(Claim::trial).containsExactly(1);
            dead.die();
            Worker worker = world.worker("p", "h");
            String one = "{\"tasks\":[{\"handler\":\"h\",\"name\":\"child\"}]}";
            worker.step(List.of(passed(worker.claim().getFirst(), one)), 1);
            worker.step(List.of(passed(worker.held.getFirst(), "1")), 0);
        }
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.IDLE);
    }

    /** Values that a tree of Jackson would change, or that UTF-8 cannot have. */
    private static final String ODD = "[\"\\ud800\",-0,-0.0,1e21,{\"a\":[-0,\"\\ud83d\"]}]";

    @Test
    void iteratorsStateChildrenAndResultKeepTheirWords() {
        world.begin("t", iterator(3, 10));
        Worker worker = world.worker("p", "h");
        String odd = ODD.substring(1, ODD.length() - 1);
        String answer = "{\"state\":" + ODD + ",\"tasks\":[{\"group\":[{\"handler\":\"h\",\"name\":\"child\",\"args\":"
                + ODD + "}]}]}";
        worker.step(List.of(passed(worker.claim().getFirst(), answer)), 8);
        assertThat(worker.held)
                .extracting(world::arguments)
                .containsExactlyInAnyOrder(
                        ODD,
                        "[{\"state\":" + ODD + ",\"created\":1,\"finished\":0,\"room\":9,\"args\":[\"iterate\"]}]");
        world.work(worker, claim -> Optional.of(name(claim).equals("child") ? "1" : "{\"result\": [" + odd + " ] }"));
        assertThat(world.trees.result("t", MOST)).isEqualTo("[" + odd + " ]");
    }

    @Test
    void argumentsOfProgramsKeepTheirWords() {
        JsonNode node = RawJson.tree("{\"handler\":\"h\",\"args\":" + ODD + "}", Set.of("args"));
        world.begin("t", new TreeNodeJson("p").read("task", node));
        JsonNode values = new ObjectMapper()
                .valueToTree(List.of("\ud800", -0.0, new BigDecimal("1e21"), Map.of("a", "\ud83d\ude00\ud83d")));
        List<JsonNode> args = new ArrayList<>();
        values.forEach(args::add);
        world.begin(
                "u",
                new TreeNode.Leaf(
                        "p",
                        Optional.of("h"),
                        1,
                        1,
                        new TaskBody(
                                "u",
                                Optional.of(new Execution.Handler("h")),
                                args,
                                Map.of(),
                                Optional.empty(),
                                RetryBackoff.NONE)));
        assertThat(world.worker("p", "h").claim())
                .extracting(world::arguments)
                .containsExactly(ODD, "[\"\\ud800\",-0.0,1E+21,{\"a\":\"\ud83d\ude00\\ud83d\"}]");
    }

    @Test
    void resultsThatLeadInACircleAreRefused() {
        world.begin("t", leaf("a"));
        world.store.ask(redis -> redis.hset(world.keys.results(), "t", "@0"));
        assertThatThrownBy(() -> world.trees.result("t", MOST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("results refer to results more than 64 times");
    }

    @Test
    void errorsThatLeadInACircleAreNone() {
        world.begin("t", chain(leaf("a")));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(World.failed(worker.claim().getFirst())), 0);
        assertThat(world.state("t").error()).isPresent();
        world.store.ask(redis -> redis.hset(world.keys.results(), "t", "!1"));
        world.store.ask(redis -> redis.hset(world.keys.results(), "t.1", "!0"));
        assertThat(world.state("t"))
                .returns(TreeState.State.FAILED, TreeState::state)
                .returns(Optional.empty(), TreeState::error);
    }

    @Test
    void iteratorThatHasNothingNowIsAskedAgain() {
        world.begin("t", iterator(3, 4));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(passed(worker.claim().getFirst(), "{}")), 8);
        assertThat(worker.held).isEmpty();
        Awaitility.await().untilAsserted(() -> {
            world.reaper.tick();
            assertThat(worker.claimNames()).containsExactly("iterate");
        });
    }

    @Test
    void errorOfAnIteratorsChildIsTheTreesAfterTheChildIsForgotten() {
        world.begin("t", iterator(3, 4));
        Worker worker = world.worker("p", "h");
        String child = "{\"tasks\":[{\"chain\":[{\"handler\":\"h\",\"name\":\"bad\",\"maxTrials\":1}]}]}";
        worker.step(List.of(passed(worker.claim().getFirst(), child)), 8);
        Claim bad = worker.held.stream()
                .filter(claim -> name(claim).equals("bad"))
                .findFirst()
                .orElseThrow();
        worker.step(List.of(failed(bad)), 8);
        world.tick();
        assertThat(world.nodes()).isEqualTo(1);
        assertThat(world.state("t").error().map(NodeError::message)).hasValue("no");
    }

    @Test
    void resultAboveItsBoundIsRefusedWithBothSizes() {
        String text = "\"" + "x".repeat(TaskResult.MAX_BYTES - 1) + "\"";
        assertThatThrownBy(() -> TaskResult.of(text))
                .isInstanceOf(InputTooLargeException.class)
                .hasMessage("result has 262145 bytes, at most 262144 are allowed");
    }

    @Test
    void iteratorTakesTheRoomOfItsWindow() {
        int children = 5_000;
        int window = 100;
        world.begin("t", iterator(3, window));
        long[] peak = {0};
        world.work(world.worker("p", "h"), claim -> {
            peak[0] = Math.max(peak[0], world.nodes());
            return Optional.of(name(claim).equals("iterate") ? answer(claim, children) : "1");
        });
        assertThat(world.state("t"))
                .returns(TreeState.State.FINISHED, TreeState::state)
                .returns((long) children, TreeState::progress);
        assertThat(peak[0]).isLessThanOrEqualTo(1 + window);
        assertThat(world.nodes()).isEqualTo(1);
        assertThat(world.trees.result("t", MOST)).isEqualTo("\"all\"");
    }

    @Test
    void iteratorGetsItsStateAndWhatItHasMade() {
        world.begin("t", iterator(3, 4));
        Worker worker = world.worker("p", "h");
        assertThat(worker.claim())
                .extracting(world::arguments)
                .containsExactly("[{\"state\":null,\"created\":0,\"finished\":0,\"room\":4,\"args\":[\"iterate\"]}]");
        String answer =
                "{\"state\":{\"at\":2},\"tasks\":[{\"handler\":\"h\",\"args\":[1.0]},{\"command\":[\"true\"]}]}";
        List<Claim> next =
                worker.step(List.of(passed(worker.held.getFirst(), answer)), 8).claims();
        assertThat(next)
                .extracting(world::arguments)
                .containsExactly(
                        "[1.0]",
                        "[]",
                        "[{\"state\":{\"at\":2},\"created\":2,\"finished\":0,\"room\":2,\"args\":[\"iterate\"]}]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    7                                         | the answer of iterate is 7, null or an object with state and tasks is needed
                    {"tasks":{}}                              | tasks is {}, an array is needed
                    {"tasks":[{},{},{},{},{}]}                | tasks has 5 elements, there is room for 4
                    {"tasks":[{"handler":"h","group":[]}]}    | tasks[0] has [group, handler], exactly one of handler, command, chain, group and forEach is needed
                    {"tasks":[{"handler":7}]}                 | tasks[0].handler is 7, a string is needed
                    {"tasks":[{"chain":[{"handler":"h","maxTrials":0}]}]} | maxTrials is 0, 1 to 100 are allowed
                    {"tasks":[{"handler":"h","retries":1}]}   | tasks[0].retries is no field of a task
                    """)
    void iteratorThatAnswersNonsenseUsesATrialEachTime(String answer, String message) {
        world.begin("t", iterator(2, 4));
        Worker worker = world.worker("p", "h");
        worker.claim();
        assertThat(worker.step(List.of(passed(worker.held.getFirst(), answer)), 1)
                        .verdicts())
                .containsExactly(StepCall.Verdict.RETRIED);
        worker.step(List.of(passed(worker.held.getFirst(), answer)), 1);
        assertThat(world.state("t").error()).hasValue(new NodeError("t", 2, "AnswerInvalid", message));
    }

    private static String name(Claim claim) {
        return claim.task().name();
    }

    private static TreeNode iterator(int maxTrials, int window) {
        return new TreeNode.IteratorNode(
                "p",
                Optional.of("h"),
                maxTrials,
                window,
                OnChildError.FAIL,
                Optional.empty(),
                World.body("iterate", "h"));
    }

    private String answer(Claim claim, int children) {
        String[] input = ((TaskLeaf) claim.task()).progress().split(" ", 4);
        int created = Integer.parseInt(input[0]);
        if (created == children) {
            return "{\"result\":\"all\"}";
        }
        int more = Math.min(children - created, Integer.parseInt(input[2]));
        return "{\"tasks\":" + Collections.nCopies(more, "{\"handler\":\"h\",\"name\":\"child\"}") + ",\"state\":"
                + (created + more) + "}";
    }

    private static String large(char letter) {
        return "\"" + String.valueOf(letter).repeat(120 * 1024) + "\"";
    }

    @Test
    void joinedResultMayBeLargerThanOneResult() {
        world.begin("t", chain(group(leaf("a"), chain(leaf("b")), leaf("c")), leaf("merge")));
        Worker worker = world.worker("p", "h");
        List<Claim> claims = worker.claim();
        Claim merge = worker.step(
                        claims.stream()
                                .map(claim -> passed(claim, large(name(claim).charAt(0))))
                                .toList(),
                        1)
                .claims()
                .getFirst();
        assertThat(world.arguments(merge))
                .isEqualTo("[\"merge\",[" + large('a') + "," + large('b') + "," + large('c') + "]]");
    }

    @Test
    void nodeAtTheEndRunsWithoutAResultThatIsTooLargeForIt() {
        world.trees.create(new TaskTree(
                "t",
                group(leaf("a"), leaf("b"), leaf("c")),
                Optional.of(leaf("clean up")),
                true,
                Optional.empty(),
                Duration.ZERO,
                Optional.empty()));
        Worker worker = world.worker("p", "h");
        Claim last = worker.step(
                        worker.claim().stream()
                                .map(claim -> passed(claim, large('x')))
                                .toList(),
                        1)
                .claims()
                .getFirst();
        assertThat(world.arguments(last)).isEqualTo("[\"clean up\",{\"state\":\"finished\",\"result\":null}]");
    }

    @Test
    void inputOfATreeThatIsGoneCannotBeRead() {
        world.begin("t", chain(group(leaf("a"), leaf("b")), leaf("merge")));
        Worker worker = world.worker("p", "h");
        Claim merge = worker.step(
                        worker.claim().stream().map(claim -> passed(claim, "1")).toList(), 1)
                .claims()
                .getFirst();
        world.store.ask(redis -> redis.del(world.keys.nodes()));
        assertThatThrownBy(() -> worker.source.complete(merge.task(), MOST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is gone");
    }
}
