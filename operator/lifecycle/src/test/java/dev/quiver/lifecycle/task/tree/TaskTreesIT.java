package dev.quiver.lifecycle.task.tree;

import static dev.quiver.lifecycle.task.World.chain;
import static dev.quiver.lifecycle.task.World.each;
import static dev.quiver.lifecycle.task.World.failed;
import static dev.quiver.lifecycle.task.World.group;
import static dev.quiver.lifecycle.task.World.leaf;
import static dev.quiver.lifecycle.task.World.passed;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
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
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.RandomTreesIT;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.World.Worker;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.rows.TreeRows;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.StepCall;

/** The meaning of trees, one case at a time. {@link RandomTreesIT} has the order of things. */
class TaskTreesIT {
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

    @Test
    void childThatFailsEndsItsParentAndTheOthersCountNothing() {
        world.begin("t", chain(group(leaf("a"), leaf("b"), leaf("c")), leaf("never")));
        Worker worker = world.worker("p", "h");
        List<Claim> all = worker.claim();
        StepCall.Outcome.Done done = worker.step(List.of(failed(all.get(0)), passed(all.get(1), "1")), 8);
        assertThat(done.verdicts()).containsExactly(StepCall.Verdict.COUNTED, StepCall.Verdict.VOID);
        assertThat(done.claims()).isEmpty();
        world.tick();
        assertThat(world.state("t").error()).hasValue(new NodeError("t.3", 1, "Error", "no"));
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

    /** Redis' own JSON cannot read this one, though it is JSON. */
    @Test
    void nestedForEachOverWhatRedisCannotReadFailsAndStopsNobody() {
        String result = "[[\"\\ud800\"],[1]]";
        world.begin("t", chain(leaf("list"), each(each(leaf("inner"), 0), 0)));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(passed(worker.claim().getFirst(), result)), 8);
        assertThat(world.state("t").error().map(NodeError::reason)).hasValue("InputInvalid");
        world.begin("u", leaf("other"));
        assertThat(worker.claimNames()).containsExactly("other");
    }

    @Test
    void childThatIsCancelledBeforeItsTurnChangesNoOrder() {
        TreeNode chain = new TreeNode.Chain(
                List.of(leaf("a"), leaf("b"), leaf("c")),
                OnChildError.CONTINUE,
                Optional.empty(),
                TaskBody.named("chain"));
        world.begin("t", chain);
        Worker worker = world.worker("p", "h");
        worker.claim();
        world.trees.change("t.3", Trees.Change.CANCEL);
        assertThat(worker.claimNames()).isEmpty();
        worker.step(List.of(passed(worker.held.getFirst(), "1")), 8);
        assertThat(worker.held).extracting(TaskTreesIT::name).containsExactly("b");
        worker.step(List.of(passed(worker.held.getFirst(), "2")), 8);
        assertThat(world.state("t")).returns(true, TreeState::over).returns(3L, TreeState::progress);
    }

    @Test
    void nodeOfATreeThatHasNotBegunCannotBeCancelled() {
        world.store.ask(redis -> redis.hset(
                world.keys.nodes(),
                "t.1",
                TreeRows.of(leaf("a")).rows().getFirst().text()));
        assertThat(world.trees.change("t.1", Trees.Change.CANCEL)).isFalse();
    }

    /** A tree of one task that is neither kept nor watched nor recorded goes unparsed when it passes; another one does not. */
    @ParameterizedTest
    @ValueSource(strings = {"watched", "kept", "recorded", "nothing"})
    void taskThatPassesGoesAtOnceOnlyWhereNobodyWantsItsTree(String why) {
        world.trees.create(new TaskTree(
                "t",
                leaf("a"),
                Optional.empty(),
                why.equals("watched"),
                Optional.empty(),
                Duration.ZERO,
                Optional.of(why.equals("kept") ? Duration.ofMinutes(1) : Duration.ZERO)));
        if (why.equals("recorded")) {
            String facts = world.store.ask(redis -> redis.hget(world.keys.roots(), "t"));
            world.store.ask(redis -> redis.hset(world.keys.roots(), "t", facts + "R"));
        }
        Worker worker = world.worker("p", "h");
        assertThat(worker.step(List.of(passed(worker.claim().getFirst(), "7")), 0)
                        .verdicts())
                .containsExactly(StepCall.Verdict.COUNTED);
        boolean wanted = why.equals("watched") || why.equals("kept");
        boolean stays = world.store.ask(redis -> redis.hexists(world.keys.roots(), "t"));
        String result = world.store.ask(redis -> redis.hget(world.keys.results(), "t"));
        List<String> commands = world.store.ask(redis -> redis.zrange(world.keys.commands(), 0, -1));
        assertThat(stays).isEqualTo(wanted);
        assertThat(result != null).isEqualTo(wanted);
        assertThat(commands.stream().anyMatch(command -> command.startsWith("recorded\tt\t")))
                .isEqualTo(why.equals("recorded"));
    }

    @Test
    void nodeAtTheEndThatIsCancelledBeforeTheEndLeavesTheTreeAlone() {
        world.trees.create(new TaskTree(
                "t",
                leaf("work"),
                Optional.of(leaf("clean up")),
                true,
                Optional.empty(),
                Duration.ZERO,
                Optional.of(Duration.ZERO)));
        world.trees.change("t.1", Trees.Change.CANCEL);
        Worker worker = world.worker("p", "h");
        assertThat(worker.claimNames()).containsExactly("work");
        worker.step(List.of(passed(worker.held.getFirst(), "1")), 8);
        world.tick();
        assertThat(world.trees.find("t")).isEmpty();
        assertThat(world.nodes()).isZero();
    }

    @Test
    void failedTrialWaitsAsTheBackoffOfItsTask() {
        TaskBody body = new TaskBody(
                "a",
                Optional.of(new Execution.Handler("h")),
                List.of(),
                Map.of(),
                Optional.empty(),
                new RetryBackoff(Duration.ofHours(1), 1, Duration.ofHours(1), 0));
        world.begin("t", new TreeNode.Leaf("p", Optional.of("h"), 2, 1, body));
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
    void lostWorkerDoesNotLengthenTheBackoff() {
        TaskBody body = new TaskBody(
                "a",
                Optional.of(new Execution.Handler("h")),
                List.of(),
                Map.of(),
                Optional.empty(),
                new RetryBackoff(Duration.ofHours(1), 10, Duration.ofHours(100), 0));
        world.begin("t", new TreeNode.Leaf("p", Optional.of("h"), 3, 1, body));
        Worker lost = world.worker("p", "h");
        lost.claim();
        lost.die();
        Worker worker = world.worker("p", "h");
        worker.step(List.of(failed(worker.claim().getFirst())), 0);
        long now = System.currentTimeMillis();
        double due = world.store
                .ask(redis -> redis.zrangeWithScores(world.keys.commands(), 0, -1))
                .getFirst()
                .getScore();
        assertThat(Duration.ofMillis((long) due - now)).isBetween(Duration.ofMinutes(55), Duration.ofMinutes(65));
    }

    @Test
    void aWorkerWithTheRightsOfItsNamespaceLearnsHowItsContainerEnded() {
        Worker worker = world.worker("p", "h");
        assertThat(worker.session.containerEnd(Duration.ofMillis(10))).isEmpty();
        world.noteContainerEnd(worker, "exit code 137 (OOMKilled)");
        assertThat(worker.session.containerEnd(Duration.ofSeconds(30))).contains("exit code 137 (OOMKilled)");
    }

    @Test
    void lostWorkersEndALeafAtTheThird() {
        world.begin("t", leaf("cursed"));
        for (int i = 0; i < 3; i++) {
            assertThat(world.state("t").state()).isEqualTo(TreeState.State.STARTABLE);
            Worker worker = world.worker("p", "h");
            assertThat(worker.claim()).extracting(Claim::trial).containsExactly(i + 1);
            world.noteFate(worker, "the pod ended: Evicted: loss " + i);
            worker.die();
        }
        assertThat(world.state("t").error().orElseThrow())
                .returns("WorkerLost", NodeError::reason)
                .returns(
                        "the worker was lost 3 times; the last time the pod ended: Evicted: loss 2",
                        NodeError::message);
    }

    @Test
    void cancelledNodeCountsNothingBelow() {
        world.begin("t", group(OnChildError.CONTINUE, List.of(leaf("a"), chain(leaf("b"), leaf("c")))));
        Worker worker = world.worker("p", "h");
        List<Claim> both = worker.claim();
        assertThat(world.trees.change("t.2", Trees.Change.CANCEL)).isTrue();
        assertThat(world.trees.change("t.2", Trees.Change.CANCEL)).isFalse();
        assertThat(worker.step(both.stream().map(claim -> passed(claim, "1")).toList(), 4)
                        .verdicts())
                .containsExactly(StepCall.Verdict.COUNTED, StepCall.Verdict.VOID);
        assertThat(world.trees.result("t", MOST)).isEqualTo("[1,null]");
    }

    @Test
    void deadlineOfTheRootItselfCountsToo() {
        world.begin(
                "t",
                new TreeNode.Chain(
                        List.of(leaf("slow")),
                        OnChildError.FAIL,
                        Optional.of(Duration.ofMillis(30)),
                        TaskBody.named("root")));
        Awaitility.await().untilAsserted(() -> {
            world.reaper.tick();
            assertThat(world.state("t").error().map(NodeError::reason)).hasValue("DeadlineExceeded");
        });
    }

    /** A tenant may write any record; only its own tree bears that. */
    @Test
    void nodeThatIsItsOwnParentIsNobodysWork() {
        world.begin("t", group(leaf("a"), leaf("b")));
        String record = world.store.ask(redis -> redis.hget(world.keys.nodes(), "t.1"));
        String[] fields = record.split("\t", -1);
        fields[2] = "1";
        world.store.ask(redis -> redis.hset(world.keys.nodes(), "t.1", String.join("\t", fields)));
        world.begin("u", leaf("other"));
        assertThat(world.worker("p", "h").claimNames()).containsExactly("b", "other");
    }

    @Test
    void deadlineEndsATreeAndAPartOfIt() {
        TreeNode part = new TreeNode.Chain(
                List.of(leaf("slow")), OnChildError.FAIL, Optional.of(Duration.ofMillis(30)), TaskBody.named("part"));
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
            assertThat(world.state("t").error().map(NodeError::reason)).hasValue("DeadlineExceeded");
        });
    }

    /** Its deadline passes after a sibling has ended the parent, and before the parent's end has reached it. */
    @Test
    void parentThatIsOverDoesNotEndAgain() {
        TreeNode part = new TreeNode.Chain(
                List.of(leaf("slow")), OnChildError.FAIL, Optional.of(Duration.ofHours(1)), TaskBody.named("part"));
        world.begin("t", group(part, leaf("fails")));
        Worker worker = world.worker("p", "h");
        Claim fails = worker.claim().stream()
                .filter(claim -> name(claim).equals("fails"))
                .findFirst()
                .orElseThrow();
        worker.step(List.of(failed(fails)), 0);
        NodeError first = world.state("t").error().orElseThrow();
        assertThat(first.reason()).isEqualTo("Error");
        List<String> commands = world.store.ask(redis -> redis.zrange(world.keys.commands(), 0, -1));
        assertThat(commands).filteredOn(command -> command.startsWith("expire")).hasSize(1);
        commands.stream()
                .filter(command -> command.startsWith("expire"))
                .forEach(command -> world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, command)));
        world.tick();
        assertThat(world.state("t").error()).contains(first);
        assertThat(world.state("t").counts().failed()).isEqualTo(4);
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
            world.trees.change("t", Trees.Change.CANCEL);
            next = worker.claim();
        } else {
            next = worker.step(List.of(how.equals("well") ? passed(work, "1") : failed(work)), 4)
                    .claims();
        }
        assertThat(next).extracting(TaskTreesIT::name).containsExactly("clean up");
        assertThat(world.state("t").over()).isFalse();
        String outcome = switch (how) {
            case "well" -> "{\"state\":\"finished\",\"result\":1}";
            case "badly" ->
                "{\"state\":\"failed\",\"error\":{\"task\":\"work\",\"trial\":1,\"exitCode\":1,"
                        + "\"reason\":\"Error\",\"message\":\"no\"}}";
            default -> "{\"state\":\"failed\",\"error\":{\"reason\":\"Cancelled\",\"message\":\"cancelled\"}}";
        };
        assertThat(world.arguments(next.getFirst())).isEqualTo("[\"clean up\"," + outcome + "]");
        worker.step(List.of(failed(next.getFirst())), 4);
        assertThat(world.state("t"))
                .returns(true, TreeState::over)
                .returns(how.equals("well") ? TreeState.State.FINISHED : TreeState.State.FAILED, TreeState::state);
    }

    @Test
    void viewShowsTheRootThenFailuresThenWhatRuns() {
        TreeNode[] leaves = IntStream.range(0, 40).mapToObj(i -> leaf("n" + i)).toArray(TreeNode[]::new);
        world.begin("t", group(OnChildError.CONTINUE, List.of(leaves)));
        Worker worker = world.worker("p", "h");
        worker.step(List.of(), 3);
        worker.step(List.of(passed(worker.held.get(0), "1"), failed(worker.held.get(1))), 0);
        List<NodeState> view = world.trees.report("t", 5).orElseThrow().nodes();
        assertThat(view).extracting(NodeState::name).containsExactly("group", "n1", "n2", "n0", "n3");
        assertThat(view.get(1)).isEqualTo(new NodeState("t.2", "n1", TreeState.State.FAILED, 1, 1, 1, "no"));
        assertThat(view.get(2).trial()).isEqualTo(1);
    }

    @Test
    void reportHasEachFunctionThatWaitsWithItsPoolOnce() {
        TreeNode.IteratorNode walk = new TreeNode.IteratorNode(
                "p", Optional.of("h"), 1, 2_000, OnChildError.FAIL, Optional.empty(), World.body("walk", "h"));
        world.begin(
                "t",
                group(
                        chain(leaf("list", "p", "l"), each(chain(leaf("a", "p", "l"), leaf("b", "q", "other")), 0)),
                        walk));
        Worker worker = world.worker("p", "h", "l");
        assertThat(queued()).containsExactly("walk p h", "list p l");
        List<Claim> both = worker.claim();
        String list = IntStream.range(0, 200).boxed().toList().toString();
        String child = "{\"chain\":[{\"group\":[{\"command\":[\"true\"],\"name\":\"row\",\"pool\":\"q\"}]}]}";
        String rows = "{\"state\":1,\"tasks\":[" + String.join(",", Collections.nCopies(400, child)) + "]}";
        for (Claim claim : both) {
            worker.step(List.of(passed(claim, name(claim).equals("list") ? list : rows)), 0);
            world.tick();
        }
        assertThat(queued()).containsExactlyInAnyOrder("walk p h", "a p l", "row q ");
        world.work(worker, claim -> Optional.of(name(claim).equals("walk") ? "null" : "1"));
        assertThat(queued()).containsExactlyInAnyOrder("b q other", "row q ");
    }

    private List<String> queued() {
        return world.trees.report("t", 5).orElseThrow().queued().stream()
                .map(work ->
                        work.name() + " " + work.pool() + " " + work.handler().orElse(""))
                .toList();
    }

    private static String name(Claim claim) {
        return claim.task().name();
    }
}
