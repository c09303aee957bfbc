package dev.quiver.lifecycle.task.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.node.TextNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall.Verdict;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkerSession;

/** The rules for Tasks in every dialect. */
public abstract class TaskContract {

    private static final String TREE = "tree";

    /** A keyspace of the dialect with the pool p. */
    protected interface Rig extends AutoCloseable {

        Trees trees();

        /** Another session at the pool, which serves the handlers h and walk. */
        Hand hand();

        /** Does what is due by now, retries and waits of any length included. */
        void pass();

        String arguments(Claim claim);

        /** How many entries Redis has of trees. */
        long entries();

        @Override
        void close();
    }

    /** One session. */
    protected interface Hand {

        /** Claims all that can run. */
        List<Claim> claim();

        List<Verdict> settle(List<Settlement> settlements);

        /** Its lease ends. */
        void die();

        WorkerSession session();

        /** The next session of its pod, which may adopt what it held. */
        Hand successor();
    }

    private Rig rig;
    private Hand hand;

    protected abstract Rig rig();

    @BeforeEach
    void begin() {
        rig = rig();
        hand = rig.hand();
    }

    @AfterEach
    void end() {
        rig.close();
    }

    private static TreeNode leaf(String name) {
        return new TreeNode.Leaf("p", Optional.of("h"), 2, 1, body(name, "h"));
    }

    private static TaskBody body(String name, String handler) {
        return new TaskBody(
                name,
                Optional.of(new Execution.Handler(handler)),
                List.of(new TextNode(name)),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
    }

    private static TreeNode chain(TreeNode... children) {
        return new TreeNode.Chain(
                Arrays.asList(children), OnChildError.FAIL, Optional.empty(), TaskBody.named("chain"));
    }

    private static TreeNode group(TreeNode... children) {
        return new TreeNode.Group(
                Arrays.asList(children), 0, OnChildError.FAIL, Optional.empty(), TaskBody.named("group"));
    }

    private static Settlement passed(Claim claim, String json) {
        return new Settlement.Passed(claim, Duration.ofMillis(1), Optional.of(TaskResult.of(json)));
    }

    private static Settlement failed(Claim claim) {
        return new Settlement.Failed(
                claim,
                Duration.ofMillis(1),
                TrialFailure.of(claim.task().name(), claim.trial(), Optional.of(1), Optional.empty(), "Broken", "no"));
    }

    private void create(TreeNode root) {
        assertThat(rig.trees().create(TaskTree.of(TREE, root))).isEqualTo(Trees.Created.BEGUN);
    }

    private Claim next() {
        rig.pass();
        List<Claim> claims = hand.claim();
        assertThat(claims).hasSize(1);
        return claims.getFirst();
    }

    private void settle(Settlement settlement) {
        hand.settle(List.of(settlement));
        rig.pass();
    }

    private TreeState state() {
        return rig.trees().report(TREE, 0).orElseThrow().state();
    }

    private void assertResult(String json) {
        assertThat(state().state()).isEqualTo(TreeState.State.FINISHED);
        assertThat(rig.trees().measure(TREE, 1000).json()).hasValue(json);
    }

    @Test
    void taskRunsOnceAndKeepsItsResult() {
        create(leaf("a"));
        assertThat(rig.trees().create(TaskTree.of(TREE, leaf("a")))).isEqualTo(Trees.Created.KNOWN);
        Claim claim = next();
        assertThat(rig.arguments(claim)).isEqualTo("[\"a\"]");
        assertThat(state().state()).isEqualTo(TreeState.State.LOCKED);
        assertThat(hand.settle(List.of(passed(claim, "{\"n\":1}")))).containsExactly(Verdict.COUNTED);
        assertThat(hand.settle(List.of(passed(claim, "2")))).as("late").containsExactly(Verdict.ALREADY);
        assertResult("{\"n\":1}");
    }

    @Test
    void trialsAreCountedAndTheErrorIsKept() {
        create(chain(leaf("a"), leaf("b")));
        settle(failed(next()));
        Claim second = next();
        assertThat(second.trial()).isEqualTo(2);
        settle(failed(second));
        assertThat(hand.claim()).isEmpty();
        TreeReport report = rig.trees().report(TREE, 10).orElseThrow();
        assertThat(report.state().state()).isEqualTo(TreeState.State.FAILED);
        assertThat(report.failure().orElseThrow().error().reason()).isEqualTo("Broken");
        assertThat(report.failure().orElseThrow().name()).isEqualTo("a");
    }

    @Test
    void failureThatIsFinalIsNotTriedAgain() {
        create(leaf("a"));
        Settlement.Failed once = (Settlement.Failed) failed(next());
        settle(new Settlement.Failed(once.claim(), once.runTime(), once.failure(), Retry.NEVER));
        assertThat(state().state()).isEqualTo(TreeState.State.FAILED);
    }

    @Test
    void chainHandsResultsOn() {
        create(chain(leaf("a"), leaf("b"), leaf("c")));
        settle(passed(next(), "7"));
        assertThat(state().progress()).isEqualTo(1);
        Claim second = next();
        assertThat(rig.arguments(second)).isEqualTo("[\"b\",7]");
        settle(passed(second, "[8]"));
        Claim third = next();
        assertThat(rig.arguments(third)).isEqualTo("[\"c\",[8]]");
        settle(passed(third, "\"end\""));
        assertResult("\"end\"");
        assertThat(state().progress()).isEqualTo(3);
    }

    @Test
    void groupJoinsInItsOrderWhoeverEndsLast() {
        create(group(leaf("a"), chain(leaf("b")), leaf("c")));
        Hand other = rig.hand();
        rig.pass();
        List<Claim> claims = hand.claim();
        assertThat(claims).hasSize(3);
        for (Claim claim : claims.reversed()) {
            settle(passed(claim, rig.arguments(claim)));
        }
        assertThat(other.claim()).isEmpty();
        assertResult("[[\"a\"],[\"b\"],[\"c\"]]");
    }

    @Test
    void failureOfOneCancelsTheOthers() {
        create(group(leaf("a"), leaf("b"), chain(leaf("c"), leaf("d"))));
        rig.pass();
        List<Claim> claims = hand.claim();
        Claim a = claims.stream()
                .filter(claim -> claim.task().name().equals("a"))
                .findFirst()
                .orElseThrow();
        settle(failed(a));
        settle(failed(next()));
        for (Claim other : claims) {
            if (other != a) {
                assertThat(hand.settle(List.of(passed(other, "1")))).containsExactly(Verdict.VOID);
            }
        }
        assertThat(hand.claim()).isEmpty();
        assertThat(state().state()).isEqualTo(TreeState.State.FAILED);
    }

    @Test
    void cancelEndsAllAtOnceAndOnce() {
        create(chain(group(leaf("a"), leaf("b")), leaf("c")));
        rig.pass();
        List<Claim> claims = hand.claim();
        hand.settle(List.of(passed(claims.getFirst(), "1")));
        assertThat(rig.trees().change(TREE, Trees.Change.CANCEL)).isTrue();
        assertThat(rig.trees().change(TREE, Trees.Change.CANCEL)).as("again").isFalse();
        assertThat(hand.settle(List.of(passed(claims.getLast(), "1")))).containsExactly(Verdict.VOID);
        rig.pass();
        assertThat(hand.claim()).isEmpty();
        assertThat(state().error().orElseThrow().reason()).isEqualTo("Cancelled");
    }

    @Test
    void tasksOfADeadSessionRunAgain() {
        create(group(leaf("a"), leaf("b")));
        rig.pass();
        Hand dead = rig.hand();
        List<Claim> lost = dead.claim();
        assertThat(lost).hasSize(2);
        dead.die();
        rig.pass();
        List<Claim> again = hand.claim();
        assertThat(again).hasSize(2);
        again.forEach(claim -> settle(passed(claim, "1")));
        assertResult("[1,1]");
    }

    @Test
    void nextSessionOfThePodAdoptsWhatRuns() {
        create(group(leaf("a"), leaf("b"), leaf("c")));
        rig.pass();
        List<Claim> held = hand.claim();
        Hand next = hand.successor();
        List<Orphan> orphans = next.session().orphans();
        assertThat(orphans).extracting(Orphan::id).containsExactlyInAnyOrderElementsOf(ids(held));
        assertThat(orphans).extracting(Orphan::trial).containsOnly(1);
        List<Takeover> found = List.of(Takeover.running(orphans.getFirst(), 5, 9), Takeover.notStarted(orphans.get(1)));
        List<Claim> adopted = next.session().adopt(found);
        assertThat(ids(adopted)).containsExactly(orphans.getFirst().id());
        assertThat(next.session().adopt(found)).as("again").isEqualTo(adopted);
        assertThat(next.settle(List.of(passed(adopted.getFirst(), "7")))).containsExactly(Verdict.COUNTED);
        rig.pass();
        List<Claim> others = next.claim();
        assertThat(others)
                .extracting(Claim::trial)
                .as("never started, and lost")
                .containsExactlyInAnyOrder(1, 2);
        others.forEach(claim -> next.settle(List.of(passed(claim, "7"))));
        rig.pass();
        assertResult("[7,7,7]");
    }

    private static List<String> ids(List<Claim> claims) {
        return claims.stream().map(Claim::id).toList();
    }

    @Test
    void returnedTaskUsesNoTrial() {
        create(leaf("a"));
        Claim claim = next();
        settle(new Settlement.Returned(claim));
        Claim again = next();
        assertThat(again.trial()).isEqualTo(1);
        settle(passed(again, "1"));
        assertResult("1");
    }

    @Test
    void iteratorIsCalledUntilItHasNoMore() {
        create(new TreeNode.IteratorNode(
                "p", Optional.of("walk"), 2, 1000, OnChildError.FAIL, Optional.empty(), body("walk", "walk")));
        Claim call = next();
        assertThat(rig.arguments(call)).startsWith("[{\"state\":null,\"created\":0,\"finished\":0,");
        settle(
                passed(
                        call,
                        "{\"state\":2,\"tasks\":[{\"handler\":\"h\",\"args\":[1]},{\"chain\":[{\"handler\":\"h\"},{\"handler\":\"h\"}]}]}"));
        int leaves = 0;
        for (int round = 0; round < 20 && !state().over(); round++) {
            rig.pass();
            for (Claim claim : hand.claim()) {
                boolean iterates = rig.arguments(claim).startsWith("[{\"state\"");
                leaves += iterates ? 0 : 1;
                settle(passed(claim, iterates ? "null" : "3"));
            }
        }
        assertThat(leaves).isEqualTo(3);
        assertThat(state().state()).isEqualTo(TreeState.State.FINISHED);
    }

    @Test
    void droppedTreeLeavesNothingAndStaysAway() {
        create(chain(group(leaf("a"), leaf("b")), leaf("c")));
        Claim running = hand.claim().stream().findFirst().orElseGet(() -> {
            rig.pass();
            return hand.claim().getFirst();
        });
        for (int i = 0; i < 10 && !rig.trees().drop(TREE, 5); i++) {
            rig.pass();
        }
        hand.settle(List.of(passed(running, "1")));
        rig.pass();
        assertThat(rig.entries()).isZero();
        assertThat(rig.trees().report(TREE, 0)).isEmpty();
        assertThat(rig.trees().create(TaskTree.of(TREE, leaf("a")))).isEqualTo(Trees.Created.BURIED);
    }

    @Test
    void deadlineEndsATree() {
        create(chain(leaf("a")));
        Claim claim = next();
        assertThat(rig.trees().limit(TREE, Optional.of(Duration.ZERO))).isTrue();
        rig.pass();
        assertThat(hand.settle(List.of(passed(claim, "1")))).containsExactly(Verdict.VOID);
        assertThat(state().error().orElseThrow().reason()).isEqualTo("DeadlineExceeded");
    }
}
