package dev.quiver.lifecycle.task;

import static dev.quiver.lifecycle.task.World.chain;
import static dev.quiver.lifecycle.task.World.each;
import static dev.quiver.lifecycle.task.World.failed;
import static dev.quiver.lifecycle.task.World.group;
import static dev.quiver.lifecycle.task.World.leaf;
import static dev.quiver.lifecycle.task.World.passed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.Backoff;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.TaskNode.OnChildError;
import dev.quiver.lifecycle.task.World.Worker;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/** The meaning of trees, one case at a time. {@link RandomTreesIT} has the order of things. */
class TaskTreesIT {

    private static final long MOST = 1 << 20;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;

    @BeforeEach
    void begin() {
        world = new World(REDIS.store());
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
        assertThat(next).extracting(TaskTreesIT::name).containsExactly("second");
        assertThat(world.arguments(next.getFirst())).isEqualTo("[\"second\"," + result + "]");
        worker.step(List.of(passed(next.getFirst(), result)), 0);
        assertThat(world.trees.result("t", MOST)).isEqualTo(result);
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.FINISHED);
    }

    private static String name(Claim claim) {
        return claim.task().name();
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

    @Test
    void childThatFailsEndsItsParentAndTheOthersCountNothing() {
        world.begin("t", chain(group(leaf("a"), leaf("b"), leaf("c")), leaf("never")));
        Worker worker = world.worker("p", "h");
        List<Claim> all = worker.claim();
        StepCall.Outcome.Done done = worker.step(List.of(failed(all.get(0)), passed(all.get(1), "1")), 8);
        assertThat(done.verdicts()).containsExactly(StepCall.Verdict.COUNTED, StepCall.Verdict.VOID);
        assertThat(done.claims()).isEmpty();
        world.tick();
        assertThat(world.state("t").error()).hasValue(new TaskError("t.3", 1, "Error", "no"));
        assertThat(world.state("t").counts()).isEqualTo(new TreeState.Counts(0, 0, 0, 0, 0, 0, 6));
        assertThat(worker.step(List.of(passed(all.get(2), "1")), 0).verdicts()).containsExactly(StepCall.Verdict.VOID);
    }

    @Test
    void childThatFailsIsNullWhereTheGroupGoesOn() {
        world.begin("t", group(OnChildError.CONTINUE, List.of(leaf("a"), leaf("bad"), leaf("c"))));
        world.work(
                world.worker("p", "h"),
                claim -> name(claim).equals("bad") ? Optional.empty() : Optional.of("\"" + name(claim) + "\""));
        assertThat(world.trees.result("t", MOST)).isEqualTo("[\"a\",null,\"c\"]");
        assertThat(world.state("t"))
                .returns(TreeState.State.FINISHED, TreeState::state)
                .returns(3L, TreeState::progress)
                .returns(new TreeState.Counts(0, 0, 0, 0, 0, 3, 1), TreeState::counts);
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
                .hasValue(new TaskError(
                        "t.2", 0, "InputInvalid", "forEach needs an array, the result before it is none"));
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
    void resultAboveItsBoundIsRefusedWithBothSizes() {
        String text = "\"" + "x".repeat(TaskResult.MAX_BYTES - 1) + "\"";
        assertThatThrownBy(() -> TaskResult.of(text))
                .isInstanceOf(InputTooLargeException.class)
                .hasMessage("result has 262145 bytes, at most 262144 are allowed");
    }

    @Test
    void failedAttemptWaitsAsTheBackoffOfItsTask() {
        TaskBody body = new TaskBody(
                "a",
                Optional.of(new Execution.Handler("h")),
                List.of(),
                Map.of(),
                Optional.empty(),
                new Backoff(Duration.ofHours(1), 1, Duration.ofHours(1), 0));
        world.begin("t", new TaskNode.Leaf("p", Optional.of("h"), 2, 1, body.write()));
        Worker worker = world.worker("p", "h");
        StepCall.Outcome.Done done = worker.step(List.of(failed(worker.claim().getFirst())), 1);
        assertThat(done.verdicts()).containsExactly(StepCall.Verdict.RETRIED);
        assertThat(done.claims()).isEmpty();
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.RESTART);
        world.store
                .ask(redis -> redis.zrange(world.keys.commands(), 0, -1))
                .forEach(command -> world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, command)));
        world.tick();
        assertThat(worker.claim()).extracting(Claim::trial).containsExactly(2);
    }

    @Test
    void lostWorkersEndALeafAtTheThird() {
        world.begin("t", leaf("cursed"));
        for (int i = 0; i < 3; i++) {
            assertThat(world.state("t").state()).isEqualTo(TreeState.State.STARTABLE);
            Worker worker = world.worker("p", "h");
            assertThat(worker.claim()).extracting(Claim::trial).containsExactly(i + 1);
            worker.die();
        }
        assertThat(world.state("t").error().orElseThrow().reason()).isEqualTo("WorkerLost");
    }

    @Test
    void lostAndReturnedTasksGoBeforeLaterOnes() {
        world.begin("t", group(leaf("a"), leaf("b"), leaf("c")));
        Worker dead = world.worker("p", "h");
        Worker other = world.worker("p", "h");
        dead.step(List.of(), 1);
        other.step(List.of(), 1);
        dead.die();
        other.step(List.of(new Settlement.Returned(other.held.getFirst())), 0);
        assertThat(other.claimNames()).containsExactly("a", "b", "c");
    }

    @Test
    void tasksOfAnotherHandlerKeepNobodyWaitingAndTheirPlaceInTheOrder() {
        TaskNode[] many = IntStream.range(0, 300)
                .mapToObj(i -> leaf("x" + i, "p", "other"))
                .toArray(TaskNode[]::new);
        world.begin("t1", group(many));
        world.begin("t2", group(leaf("a"), leaf("b")));
        world.begin("t3", leaf("x300", "p", "other"));
        Worker worker = world.worker("p", "h");
        int steps = 0;
        while (worker.held.isEmpty()) {
            assertThat(steps++).isLessThan(8);
            worker.step(List.of(), 2);
        }
        assertThat(worker.held).extracting(TaskTreesIT::name).containsExactly("a", "b");
        assertThat(worker.step(List.of(new Settlement.Returned(worker.held.getFirst())), 0)
                        .claimable())
                .as("its own and those that it has not looked at")
                .isEqualTo(2);
        List<String> names = world.worker("p", "h", "other").step(List.of(), 200).claims().stream()
                .map(TaskTreesIT::name)
                .toList();
        assertThat(names).hasSize(200).first().isEqualTo("x0");
        assertThat(world.worker("p", "other", "h").claimNames().getLast()).isEqualTo("x263");
        assertThat(world.worker("p", "other", "h").claimNames()).endsWith("x299", "a", "x300");
    }

    /** A task that was set aside waits for an earlier one that nobody has looked at yet. */
    @Test
    void ordersATaskThatWasSetAsideBehindAnEarlierOneThatCameBack() {
        TaskNode[] nodes = new TaskNode[72];
        Arrays.setAll(nodes, i -> i < 70 ? leaf("x" + i, "p", "other") : leaf(i == 70 ? "early" : "late"));
        world.begin("t", group(nodes));
        Worker all = world.worker("p", "h", "other");
        all.step(List.of(), 71);
        world.worker("p", "none").claim();
        all.step(
                all.held.stream()
                        .map(Settlement.Returned::new)
                        .map(Settlement.class::cast)
                        .toList(),
                0);
        Worker worker = world.worker("p", "h");
        assertThat(worker.step(List.of(), 1).claims()).isEmpty();
        assertThat(worker.step(List.of(), 1).claims())
                .extracting(TaskTreesIT::name)
                .containsExactly("early");
        assertThat(worker.claimNames()).containsExactly("late");
    }

    @Test
    void suspendedNodeGivesNothingOutAndResumeLosesNone() {
        world.begin("t", group(leaf("a"), chain(leaf("b"), leaf("c"))));
        Worker worker = world.worker("p", "h");
        assertThat(world.trees.change("t.2", TaskTrees.Change.SUSPEND)).isTrue();
        assertThat(world.trees.change("t.2", TaskTrees.Change.SUSPEND)).isFalse();
        assertThat(worker.claimNames()).containsExactly("a");
        assertThat(world.trees.change("t", TaskTrees.Change.SUSPEND)).isTrue();
        worker.step(List.of(new Settlement.Returned(worker.held.getFirst())), 0);
        assertThat(worker.claimNames()).isEmpty();
        world.trees.change("t", TaskTrees.Change.RESUME);
        assertThat(worker.claimNames()).containsExactly("a");
        world.trees.change("t.2", TaskTrees.Change.RESUME);
        assertThat(worker.claimNames()).containsExactly("b");
    }

    @Test
    void cancelledNodeCountsNothingBelow() {
        world.begin("t", group(OnChildError.CONTINUE, List.of(leaf("a"), chain(leaf("b"), leaf("c")))));
        Worker worker = world.worker("p", "h");
        List<Claim> both = worker.claim();
        assertThat(world.trees.change("t.2", TaskTrees.Change.CANCEL)).isTrue();
        assertThat(world.trees.change("t.2", TaskTrees.Change.CANCEL)).isFalse();
        assertThat(worker.step(both.stream().map(claim -> passed(claim, "1")).toList(), 4)
                        .verdicts())
                .containsExactly(StepCall.Verdict.COUNTED, StepCall.Verdict.VOID);
        assertThat(world.trees.result("t", MOST)).isEqualTo("[1,null]");
    }

    @Test
    void deadlineEndsATreeAndAPartOfIt() {
        TaskNode part =
                new TaskNode.Chain(List.of(leaf("slow")), OnChildError.FAIL, Optional.of(Duration.ofMillis(30)), "");
        world.trees.create(new TaskTree(
                "t",
                group(OnChildError.CONTINUE, List.of(part, leaf("slower"))),
                Optional.empty(),
                true,
                Optional.of(Duration.ofMillis(300)),
                Duration.ZERO,
                Optional.empty()));
        world.worker("p", "h").claim();
        Awaitility.await().untilAsserted(() -> {
            world.reaper.tick();
            assertThat(world.trees.find("t").orElseThrow().counts().failed()).isGreaterThanOrEqualTo(2);
        });
        Awaitility.await().untilAsserted(() -> {
            world.reaper.tick();
            assertThat(world.state("t").error().map(TaskError::reason)).hasValue("DeadlineExceeded");
        });
    }

    @Test
    void delayedTreeBeginsWhenItsTimeHasCome() {
        world.trees.create(new TaskTree(
                "t", leaf("late"), Optional.empty(), true, Optional.empty(), Duration.ofMillis(200), Optional.empty()));
        Worker worker = world.worker("p", "h");
        assertThat(worker.claimNames()).isEmpty();
        Awaitility.await().untilAsserted(() -> {
            world.reaper.tick();
            assertThat(worker.claimNames()).containsExactly("late");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"well", "badly", "cancelled"})
    void nodeAtTheEndRunsOnceHoweverTheRootEnds(String how) {
        world.trees.create(new TaskTree(
                "t",
                chain(leaf("work")),
                Optional.of(leaf("clean up")),
                true,
                Optional.empty(),
                Duration.ZERO,
                Optional.empty()));
        Worker worker = world.worker("p", "h");
        Claim work = worker.claim().getFirst();
        List<Claim> next;
        if (how.equals("cancelled")) {
            world.trees.change("t", TaskTrees.Change.CANCEL);
            next = worker.claim();
        } else {
            next = worker.step(List.of(how.equals("well") ? passed(work, "1") : failed(work)), 4)
                    .claims();
        }
        assertThat(next).extracting(TaskTreesIT::name).containsExactly("clean up");
        assertThat(world.state("t").over()).isFalse();
        worker.step(List.of(failed(next.getFirst())), 4);
        assertThat(world.state("t"))
                .returns(true, TreeState::over)
                .returns(how.equals("well") ? TreeState.State.FINISHED : TreeState.State.FAILED, TreeState::state);
    }

    @Test
    void chainGoesOnInAnotherPool() {
        world.begin("t", chain(leaf("here"), leaf("there", "q", "h"), leaf("back")));
        Worker here = world.worker("p", "h");
        Worker there = world.worker("q", "h");
        here.step(List.of(passed(here.claim().getFirst(), "1")), 4);
        world.reaper.tick();
        assertThat(there.claim()).extracting(world::arguments).containsExactly("[\"there\",1]");
        there.step(List.of(passed(there.held.getFirst(), "2")), 4);
        world.reaper.tick();
        assertThat(here.claim()).extracting(world::arguments).containsExactly("[\"back\",2]");
    }

    @Test
    void treeOfAThousandNodesIsCreatedInPiecesAndRuns() {
        TaskNode[] all = IntStream.range(0, 999).mapToObj(i -> leaf("n" + i)).toArray(TaskNode[]::new);
        world.begin("t", group(all));
        assertThat(world.trees.create(TaskTree.of("t", group(all)))).isEqualTo(TaskTrees.Created.KNOWN);
        world.work(world.worker("p", "h"), claim -> Optional.of("1"));
        assertThat(world.state("t")).returns(999L, TreeState::progress).returns(true, TreeState::over);
        assertThat(world.trees.drop("t", 1000)).isTrue();
        assertThat(world.nodes()).isZero();
        assertThat(world.trees.create(TaskTree.of("t", group(all)))).isEqualTo(TaskTrees.Created.BURIED);
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
                    {"tasks":[{"handler":"h","group":[]}]}    | tasks[0] has [group, handler], exactly one of handler, command, chain and group is needed
                    {"tasks":[{"handler":7}]}                 | tasks[0].handler is 7, a string is needed
                    {"tasks":[{"chain":[{"handler":"h","attempts":0}]}]} | attempts is 0, 1 to 100 are allowed
                    {"tasks":[{"handler":"h","retries":1}]}   | tasks[0].retries is no field of a task
                    """)
    void iteratorThatAnswersNonsenseUsesAnAttemptEachTime(String answer, String message) {
        world.begin("t", iterator(2, 4));
        Worker worker = world.worker("p", "h");
        worker.claim();
        assertThat(worker.step(List.of(passed(worker.held.getFirst(), answer)), 1)
                        .verdicts())
                .containsExactly(StepCall.Verdict.RETRIED);
        worker.step(List.of(passed(worker.held.getFirst(), answer)), 1);
        assertThat(world.state("t").error()).hasValue(new TaskError("t", 2, "AnswerInvalid", message));
    }

    private static TaskNode iterator(int attempts, int window) {
        return new TaskNode.IteratorNode(
                "p",
                Optional.of("h"),
                attempts,
                window,
                OnChildError.FAIL,
                Optional.empty(),
                World.body("iterate", "h"));
    }

    @Test
    void viewShowsTheRootThenFailuresThenWhatRuns() {
        TaskNode[] leaves = IntStream.range(0, 40).mapToObj(i -> leaf("n" + i)).toArray(TaskNode[]::new);
        world.begin("t", group(OnChildError.CONTINUE, List.of(leaves)));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(), 3);
        worker.step(List.of(passed(worker.held.get(0), "1"), failed(worker.held.get(1))), 0);
        List<NodeState> view = world.trees.nodes("t", 5);
        assertThat(view).extracting(NodeState::name).containsExactly("group", "n1", "n2", "n0", "n3");
        assertThat(view.get(1)).isEqualTo(new NodeState("t.2", "n1", TreeState.State.FAILED, 1, 1, 1, "no"));
        assertThat(view.get(2).attempt()).isEqualTo(1);
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
}
