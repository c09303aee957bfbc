package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.producer.Submission;
import dev.quiver.lifecycle.task.producer.TaskProducer;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.TrialFailure;

/** Tasks whose effect cannot be repeated, and what asks whether it was done. */
class ContingencyIT {

    private static final String FUNCTION = "t h";
    private static final String CONTINGENCY = "t h#contingency";
    private static final String REDO = "{\"redo\":true}";
    private static final String DONE = "{\"done\":true,\"result\":7}";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = worker();
    }

    private World.Worker worker() {
        return world.worker("p", "h", "h#plan", "h#contingency", "g");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static TreeNode unsure(int trials, TaskBody body) {
        return new TreeNode.Leaf("p", Optional.of("h"), trials, 1, Rank.NONE, body.withContingency());
    }

    private void make(int trials) {
        world.begin("t", unsure(trials, World.body("t", "h")));
    }

    private List<String> claim() {
        return names(worker.step(List.of(), 5).claims());
    }

    private static List<String> names(List<Claim> claims) {
        return claims.stream()
                .map(claim -> claim.task().name() + " " + claim.task().handler().orElse(""))
                .toList();
    }

    /** Settles what is held, and claims. */
    private List<String> settle(Settlement settlement) {
        return names(worker.step(List.of(settlement), 5).claims());
    }

    private Claim held() {
        return worker.held.getFirst();
    }

    private Settlement answer(String json) {
        return World.brought(held(), json);
    }

    private Settlement failed(String reason, Retry retry) {
        return new Settlement.Failed(
                held(),
                Duration.ofMillis(1),
                TrialFailure.of("t", held().trial(), Optional.empty(), Optional.empty(), reason, "no"),
                retry);
    }

    private Settlement failed() {
        return failed("Exception", Retry.AT_ONCE);
    }

    /** Its worker is reaped, and another one comes, ten seconds later. */
    private void lose() {
        worker.die();
        worker = worker();
        assertThat(claim()).as("the one that is lost may be about to stop").isEmpty();
        runDue();
    }

    /** The claims of what follows a cancel, once its commands have run. */
    private List<String> apart() {
        runDue();
        List<String> first = claim();
        if (!first.isEmpty()) {
            return first;
        }
        runDue();
        return claim();
    }

    /** All commands are due, and run. */
    private void runDue() {
        world.store
                .ask(redis -> redis.zrange(world.keys.commands(), 0, -1))
                .forEach(command -> world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, command)));
        world.tick();
    }

    private TreeState state() {
        return world.state("t");
    }

    private long kept() {
        return world.store.ask(redis -> redis.hlen(world.keys.body()));
    }

    /** Losses bound losses: those of its function leave a contingency its three trials. */
    @Test
    void aContingencyHasThreeTrialsAlsoBehindTheThirdLoss() {
        make(1);
        claim();
        for (int loss = 0; loss < 2; loss++) {
            assertThat(settle(lost())).containsExactly(CONTINGENCY);
            assertThat(settle(answer(REDO))).containsExactly(FUNCTION);
        }
        assertThat(settle(lost())).containsExactly(CONTINGENCY);
        assertThat(settle(failed())).as("its second trial").containsExactly(CONTINGENCY);
        assertThat(settle(failed())).as("its third trial").containsExactly(CONTINGENCY);
        assertThat(settle(failed())).isEmpty();
        assertThat(state().error().orElseThrow().reason()).isEqualTo("InDoubt");
    }

    private Settlement lost() {
        return new Settlement.Lost(
                held(), TrialFailure.of("t", 1, Optional.empty(), Optional.empty(), "WorkerLost", "gone"));
    }

    /** The doubt that people are told of. */
    private String shown() {
        return world.trees.report("t", 1).orElseThrow().nodes().getFirst().note();
    }

    @Test
    void showsWhyANodeIsInDoubt() {
        make(3);
        claim();
        assertThat(shown()).isEmpty();
        assertThat(settle(failed())).containsExactly(CONTINGENCY);
        assertThat(shown()).isEqualTo("in doubt whether it was done, its contingency is asked; Exception: no");
        assertThat(world.trees.report("t", 1).orElseThrow().memoryRefusal()).isEmpty();
        for (String unreadable : List.of("of a tenant", "null", "[]")) {
            world.store.ask(redis -> redis.hset(world.keys.body(), "t\0doubt", unreadable));
            assertThat(shown()).isEqualTo("in doubt whether it was done, its contingency is asked");
        }
        String longest = "{\"reason\":\"a\\nb\",\"message\":\"first\\n" + "é".repeat(200) + "\"}";
        world.store.ask(redis -> redis.hset(world.keys.body(), "t\0doubt", longest));
        assertThat(shown())
                .isEqualTo("in doubt whether it was done, its contingency is asked; Error: " + "é".repeat(50));
        assertThat(settle(answer(REDO))).containsExactly(FUNCTION);
        assertThat(shown()).isEmpty();
    }

    @Test
    void aTaskThatPassesIsAskedNothing() {
        make(1);
        assertThat(claim()).containsExactly(FUNCTION);
        assertThat(settle(World.passed(held(), "5"))).isEmpty();
        assertThat(world.trees.result("t", 100)).isEqualTo("5");
    }

    @Test
    void aFailureIsLookedIntoWithTheSameArgumentsAndWasDone() {
        make(1);
        claim();
        assertThat(settle(failed())).containsExactly(CONTINGENCY);
        assertThat(world.arguments(held())).isEqualTo("[\"t\"]");
        assertThat(state().state()).isEqualTo(TreeState.State.LOCKED);
        assertThat(settle(answer(DONE))).isEmpty();
        assertThat(state().state()).isEqualTo(TreeState.State.FINISHED);
        assertThat(world.trees.result("t", 100)).isEqualTo("7");
        assertThat(kept())
                .as("the words on why it was in doubt stay with the task")
                .isEqualTo(2);
    }

    @Test
    void whatWasNotDoneIsTriedAgainAndHasAllOfItsTrials() {
        make(2);
        claim();
        settle(failed());
        assertThat(settle(failed())).as("the contingency may fail, too").containsExactly(CONTINGENCY);
        assertThat(settle(answer(REDO))).containsExactly(FUNCTION);
        assertThat(held().trial()).isEqualTo(3);
        assertThat(settle(failed())).containsExactly(CONTINGENCY);
        assertThat(settle(answer(REDO))).isEmpty();
        assertThat(state().error().orElseThrow().reason()).isEqualTo("Exception");
        assertThat(kept()).isEqualTo(1);
    }

    @Test
    void aContingencyThatFailsThreeTimesLeavesTheTaskInDoubt() {
        make(5);
        claim();
        settle(failed());
        settle(failed());
        settle(failed());
        assertThat(settle(failed())).isEmpty();
        assertThat(state().error().orElseThrow().reason()).isEqualTo("InDoubt");
        assertThat(state().error().orElseThrow().message())
                .isEqualTo("whether it was done is not known, and its contingency failed: Exception: no");
    }

    @Test
    void aContingencyThatSaysThatItCannotKnowIsAskedNoMore() {
        make(5);
        claim();
        settle(failed());
        assertThat(settle(failed("DoNotRetry", Retry.NEVER))).isEmpty();
        assertThat(state().error().orElseThrow().reason()).isEqualTo("InDoubt");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DoNotRetry", "InputInvalid"})
    void aFunctionThatSaysThatNothingWasDoneLeavesNoDoubt(String reason) {
        make(5);
        claim();
        assertThat(settle(failed(reason, Retry.NEVER))).isEmpty();
        assertThat(state().error().orElseThrow().reason()).isEqualTo(reason);
    }

    @Test
    void aFunctionThatSaysWhenItIsToBeTriedAgainLeavesNoDoubt() {
        make(5);
        claim();
        assertThat(settle(failed("Exception", new Retry.After(Duration.ofMillis(1)))))
                .isEmpty();
        assertThat(state().state()).isEqualTo(TreeState.State.RESTART);
        runDue();
        assertThat(claim()).containsExactly(FUNCTION);
    }

    @Test
    void aTaskThatWasNotStartedLeavesNoDoubt() {
        make(5);
        claim();
        assertThat(settle(new Settlement.Returned(held()))).containsExactly(FUNCTION);
        Settlement never = new Settlement.Failed(
                held(),
                Duration.ZERO,
                TrialFailure.of("t", 1, Optional.empty(), Optional.empty(), "CannotStart", "no"),
                Retry.AT_ONCE);
        assertThat(settle(never)).containsExactly(FUNCTION);
    }

    /** A large result comes behind the effect. */
    @Test
    void aResultThatIsTooLargeLeavesDoubt() {
        make(5);
        claim();
        assertThat(settle(failed("ResultTooLarge", Retry.NEVER))).containsExactly(CONTINGENCY);
    }

    @Test
    void aTaskThatIsBrokenOffIsLookedIntoAndUsesNoTrial() {
        make(1);
        claim();
        assertThat(settle(Settlement.Returned.brokenOff(held(), Optional.empty())))
                .containsExactly(CONTINGENCY);
        assertThat(settle(answer(REDO))).containsExactly(FUNCTION);
        assertThat(held().trial()).isEqualTo(1);
    }

    @Test
    void aLostWorkerLeavesDoubtAndSoDoesALostExecutor() {
        make(1);
        claim();
        assertThat(settle(lost())).containsExactly(CONTINGENCY);
        assertThat(settle(answer(REDO))).containsExactly(FUNCTION);
        lose();
        assertThat(claim()).containsExactly(CONTINGENCY);
        assertThat(settle(answer(REDO))).containsExactly(FUNCTION);
        lose();
        assertThat(claim()).as("also the third time").containsExactly(CONTINGENCY);
        assertThat(settle(answer(REDO))).isEmpty();
        assertThat(state().error().orElseThrow().reason()).isEqualTo("WorkerLost");
    }

    @Test
    void theWaitOfTheTaskComesBeforeItsContingency() {
        RetryBackoff backoff = new RetryBackoff(Duration.ofMillis(1), 1, Duration.ofMillis(1), 0);
        TaskBody body = World.body("t", "h");
        world.begin(
                "t",
                unsure(5, new TaskBody("t", body.execution(), body.args(), body.env(), body.timeLimit(), backoff)));
        claim();
        assertThat(settle(failed())).isEmpty();
        assertThat(state().state()).isEqualTo(TreeState.State.RESTART);
        runDue();
        assertThat(claim()).containsExactly(CONTINGENCY);
    }

    @Test
    void aContingencySeesWhatThePlanGave() {
        world.begin("t", unsure(2, World.body("t", "h").planned(5)));
        assertThat(claim()).containsExactly("t h#plan");
        assertThat(settle(answer("{\"args\":[3]}"))).containsExactly(FUNCTION);
        settle(failed());
        assertThat(world.arguments(held())).isEqualTo("[3]");
        settle(answer(REDO));
        assertThat(world.arguments(held())).isEqualTo("[3]");
    }

    @Test
    void aPlanThatFailsLeavesNoDoubt() {
        world.begin("t", unsure(1, World.body("t", "h").planned(5)));
        claim();
        assertThat(settle(failed())).containsExactly("t h#plan");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"redo\":false}", "{\"result\":1}", "{\"redo\":true,\"undo\":[]}", "7"})
    void anAnswerThatDoesNotSayIsAFailureOfTheContingency(String json) {
        make(5);
        claim();
        settle(failed());
        assertThat(settle(answer(json))).containsExactly(CONTINGENCY);
        assertThat(settle(World.passed(held(), "1"))).containsExactly(CONTINGENCY);
    }

    @Test
    void whatAContingencyBringsIsMadeWithItsAnswer() {
        make(5);
        claim();
        settle(failed());
        assertThat(settle(answer("{\"done\":true,\"tasks\":[{\"handler\":\"g\"}]}")))
                .containsExactly("g g");
    }

    @Test
    void aTaskThatIsCancelledWhileItRunsIsLookedIntoApart() {
        make(1);
        claim();
        world.trees.change("t", Trees.Change.CANCEL);
        assertThat(state().error().orElseThrow().reason()).isEqualTo("Cancelled");
        assertThat(claim()).as("the worker is about to stop it").isEmpty();
        runDue();
        assertThat(claim()).containsExactly(CONTINGENCY);
        Claim apart = worker.held.getLast();
        assertThat(apart.id()).isEqualTo("t-c");
        assertThat(world.arguments(apart)).isEqualTo("[\"t\"]");
        worker.step(List.of(World.brought(apart, REDO)), 0);
        assertThat(claim()).as("it was cancelled").isEmpty();
        List<String> left = world.store.ask(redis -> redis.hkeys(world.keys.nodes()));
        assertThat(left).containsExactly("t");
    }

    @Test
    void aTaskThatWaitsForItsContingencyAndIsCancelledIsLookedIntoApart() {
        make(1);
        claim();
        worker.step(List.of(failed()), 0);
        world.trees.change("t", Trees.Change.CANCEL);
        runDue();
        assertThat(names(worker.step(List.of(), 5).claims())).containsExactly(CONTINGENCY);
        worker.step(List.of(World.brought(worker.held.getLast(), DONE)), 0);
        assertThat(state().state()).isEqualTo(TreeState.State.FAILED);
    }

    @Test
    void aTaskThatIsCancelledBeforeItRunsLeavesNoDoubt() {
        make(1);
        world.trees.change("t", Trees.Change.CANCEL);
        assertThat(claim()).isEmpty();
    }

    @Test
    void aChildThatGoesWithItsParentIsLookedIntoApart() {
        world.begin(
                "t",
                new TreeNode.Group(
                        List.of(unsure(1, World.body("t", "h").recorded(Recording.known("failures")))),
                        0,
                        TreeNode.OnChildError.FAIL,
                        Optional.empty(),
                        TaskBody.named("group")));
        claim();
        world.trees.change("t", Trees.Change.CANCEL);
        runDue();
        assertThat(claim()).containsExactly(CONTINGENCY);
        assertThat(worker.held.getLast().id()).isEqualTo("t-1-c");
    }

    @Test
    void aTaskInDoubtIsNotUndone() {
        TaskProducer producer = new TaskProducer(world.store, world.keyspace, () -> {});
        producer.submit(
                Submission.of(List.of(new TaskTree(
                        "t",
                        unsure(1, World.body("t", "h")),
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.of(Duration.ofHours(1))))),
                Duration.ofMinutes(1));
        claim();
        worker.step(List.of(failed()), 0);
        assertThat(state().state()).isEqualTo(TreeState.State.STARTABLE);
        assertThatThrownBy(() -> producer.undo("t")).hasMessageContaining("task t runs");
    }

    /** A worker may have begun what it had in its queue. */
    @Test
    void aTaskThatWaitedInTheQueueOfALostWorkerIsLookedInto() {
        make(1);
        worker.step(List.of(), 65); // the last place is one of the queue
        Claim only = held();
        world.store.ask(redis -> redis.hset(
                world.keys.held("p", worker.session.id()),
                only.id(),
                only.fence() + "@" + Place.queued(1).text()));
        lose();
        assertThat(claim()).containsExactly(CONTINGENCY);
        assertThat(settle(answer(REDO))).containsExactly(FUNCTION);
        assertThat(held().trial()).as("that was no loss").isEqualTo(1);
    }

    @Test
    void aContingencyBehindAPlanInAChainGetsWhatThePlanGaveAlone() {
        world.begin(
                "t",
                new TreeNode.Chain(
                        List.of(
                                World.leaf("first", "p", "g"),
                                unsure(2, World.body("t", "h").planned(5))),
                        TreeNode.OnChildError.FAIL,
                        Optional.empty(),
                        TaskBody.named("chain")));
        claim();
        assertThat(settle(World.passed(held(), "4"))).containsExactly("t h#plan");
        assertThat(settle(answer("{\"args\":[3]}"))).containsExactly(FUNCTION);
        assertThat(settle(failed())).containsExactly(CONTINGENCY);
        assertThat(held().task().isReady()).isTrue();
        assertThat(world.arguments(held())).isEqualTo("[3]");
        world.trees.change("t", Trees.Change.CANCEL);
        assertThat(apart()).as("its arguments are known").containsExactly(CONTINGENCY);
        assertThat(world.arguments(worker.held.getLast())).isEqualTo("[3]");
    }

    @Test
    void aTaskWhoseArgumentsAreResultsIsNotLookedIntoApart() {
        world.begin(
                "t",
                new TreeNode.Chain(
                        List.of(World.leaf("first", "p", "g"), unsure(2, World.body("t", "h"))),
                        TreeNode.OnChildError.FAIL,
                        Optional.empty(),
                        TaskBody.named("chain")));
        claim();
        assertThat(settle(World.passed(held(), "4"))).containsExactly(FUNCTION);
        world.trees.change("t", Trees.Change.CANCEL);
        assertThat(apart()).isEmpty();
    }

    @Test
    void aTaskThatIsDeletedWhileItRunsIsLookedIntoAndThatEndsWithinADay() {
        make(1);
        claim();
        world.trees.drop("t", 1);
        runDue();
        assertThat(claim()).containsExactly(CONTINGENCY);
        runDue(); // its deadline
        List<String> left = world.store.ask(redis -> redis.hkeys(world.keys.roots()));
        assertThat(left).as("and leaves no other").isEmpty();
    }

    @Test
    void eachFailureOfAContingencyLeavesTheTrialsOfTheFunctionAsTheyWere() {
        make(3);
        claim();
        for (int trial = 1; trial < 3; trial++) {
            settle(failed());
            settle(failed());
            assertThat(settle(answer(REDO))).containsExactly(FUNCTION);
        }
        settle(failed());
        assertThat(settle(answer(REDO))).as("three have failed").isEmpty();
        assertThat(state().error().orElseThrow().reason()).isEqualTo("Exception");
    }

    /** A tenant may write any record. */
    @Test
    void aRecordThatIsInDoubtWithoutNumbersEndsNoStep() {
        make(1);
        claim();
        settle(failed());
        String record = world.store.ask(redis -> redis.hget(world.keys.nodes(), "t"));
        world.store.ask(redis -> redis.hset(world.keys.nodes(), "t", record.replace("c1", "c")));
        settle(answer(REDO));
        assertThat(state().state()).isEqualTo(TreeState.State.FAILED);
    }
}
