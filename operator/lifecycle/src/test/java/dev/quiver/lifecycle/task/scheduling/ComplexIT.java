package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Complex;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNodeJson;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.producer.TaskEvents;
import dev.quiver.lifecycle.task.results.ComplexStates;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/** Complex tasks: requests change a state and its markers, and leaves execute these. */
class ComplexIT {

    private static final String PLAN = "h#plan";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;
    private int requests;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h", PLAN, "h#contingency", "g");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private TreeNode request(String key) {
        try {
            return new TreeNodeJson("p")
                    .read(
                            "task",
                            new JsonMapper()
                                    .readTree("{\"handler\":\"h\",\"maxTrials\":2,\"name\":\"" + key
                                            + "\",\"args\":[1],\"complexKey\":\"" + key + "\"}"));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private String submit(String key) {
        String id = "r" + ++requests;
        world.begin(id, request(key));
        return id;
    }

    private Claim claimOne() {
        List<Claim> claims = worker.step(List.of(), 1).claims();
        assertThat(claims).hasSize(1);
        return claims.getFirst();
    }

    private StepCall.Verdict settle(Claim claim, String json) {
        return worker.step(List.of(World.brought(claim, json)), 0).verdicts().getFirst();
    }

    /** A request with this key is planned, and answers so. */
    private StepCall.Verdict plan(String key, String json) {
        submit(key);
        return settle(claimOne(), json);
    }

    private Optional<ComplexStates.State> state(String key) {
        return new ComplexStates(world.store, world.keyspace).read("p", Complex.request("h", key));
    }

    private Map<String, String> fields(String key) {
        return state(key).orElseThrow().fields();
    }

    private Map<String, String> markers(String key) {
        return state(key).orElseThrow().markers();
    }

    private static String done(String members) {
        return "{\"done\":true," + members + "}";
    }

    private static String marker(String words) {
        return done("\"markers\":{\"m\":" + words + "}");
    }

    /** The arguments of a claim's function. */
    private String arguments(Claim claim) {
        return world.arguments(worker.completed(worker.source, claim));
    }

    private long keysLeft() {
        return world.store.ask(redis -> redis.hlen(world.keys.states()));
    }

    @Test
    void aRequestChangesStateAndMarkersAndALeafExecutesTheMarker() {
        String request = submit("k");
        Claim plan = claimOne();
        assertThat(plan.task().handler()).contains(PLAN);
        assertThat(arguments(plan)).isEqualTo("[1,{\"key\":\"k\",\"state\":{},\"markers\":{}}]");
        settle(
                plan,
                done(
                        "\"result\":7,\"state\":[{\"set\":\"a\",\"value\":{\"z\":1,\"b\":2.50}},{\"add\":\"n\",\"value\":2}],"
                                + "\"markers\":{\"m\":{\"args\":[{\"x\":1.50}],\"tags\":[\"view\"]}}"));
        assertThat(world.state(request).state()).isEqualTo(TreeState.State.FINISHED);
        assertThat(world.trees.result(request, 100)).isEqualTo("7");
        assertThat(fields("k")).isEqualTo(Map.of("a", "{\"b\":2.50,\"z\":1}", "n", "2"));
        assertThat(markers("k")).isEqualTo(Map.of("m", "{\"args\":[{\"x\":1.50}],\"tags\":[\"view\"],\"left\":1}"));
        Claim leaf = claimOne();
        assertThat(leaf.task().handler()).contains("h");
        assertThat(arguments(leaf))
                .startsWith("[{\"x\":1.50},{\"key\":\"k\",\"marker\":\"m\",\"state\":{")
                .contains("\"a\":{\"b\":2.50,\"z\":1}", "\"n\":2");
        settle(leaf, "{\"state\":[{\"delete\":\"a\"},{\"delete\":\"n\"},{\"delete\":\"none\"}]}");
        assertThat(state("k")).as("nothing is left of it").isEmpty();
        assertThat(keysLeft()).isZero();
    }

    @Test
    void plansAndMarkersOfOneKeyTakeTurnsAndThoseOfAnotherDoNot() {
        submit("k");
        submit("k");
        submit("other");
        assertThat(worker.claimNames()).containsExactlyInAnyOrder("k", "other");
        List<Claim> held = List.copyOf(worker.held);
        Claim first = held.stream()
                .filter(c -> c.task().name().equals("k"))
                .findFirst()
                .orElseThrow();
        worker.step(
                List.of(World.brought(
                        first, done("\"markers\":{\"m\":{\"count\":3},\"n\":{\"parallel\":true,\"count\":2}}"))),
                0);
        assertThat(worker.claim().stream().map(c -> c.task().handler().orElseThrow()))
                .as("the second plan, before all markers but those without turns")
                .containsExactlyInAnyOrder(PLAN, "h", "h");
    }

    @Test
    void aMarkerGoesWithTheLastOfItsLeavesAndOneThatFailedTellsThePlan() {
        plan("k", marker("{\"count\":2,\"parallel\":true,\"maxTrials\":1}"));
        List<Claim> leaves = worker.claim();
        assertThat(leaves).hasSize(2);
        worker.step(List.of(World.passed(leaves.getFirst(), "1")), 0);
        assertThat(markers("k").get("m")).contains("\"left\":1").doesNotContain("error");
        worker.step(List.of(World.failed(leaves.getLast())), 0);
        assertThat(markers("k").get("m")).contains("\"left\":0", "\"error\":{", "\"reason\":\"Error\"");
        submit("k");
        Claim plan = claimOne();
        assertThat(arguments(plan)).contains("\"left\":0", "\"message\":\"no\"");
        settle(plan, marker("null"));
        assertThat(state("k")).isEmpty();
        assertThat(keysLeft()).isZero();
    }

    @Test
    void whatIsWithdrawnIsNotGivenOutAndWhatRunsIsCalledOff() {
        plan("k", marker("{\"count\":3,\"parallel\":true}"));
        Claim running = claimOne();
        plan("k", marker("null"));
        assertThat(worker.claim()).isEmpty();
        assertThat(worker.step(List.of(World.brought(running, "{\"state\":[{\"set\":\"a\",\"value\":1}]}")), 0)
                        .verdicts())
                .as("its end counts nothing")
                .containsExactly(StepCall.Verdict.VOID);
        assertThat(state("k")).isEmpty();
        assertThat(keysLeft()).isZero();
    }

    @Test
    void aMarkerThatIsSaidAgainTakesThePlaceOfTheFirst() {
        plan("k", marker("{\"args\":[1]}"));
        plan("k", marker("{\"args\":[2]}"));
        Claim leaf = claimOne();
        assertThat(arguments(leaf)).startsWith("[2,");
        assertThat(worker.claim()).isEmpty();
        settle(leaf, "{\"markers\":{\"m\":{\"args\":[3]},\"other\":{}}}");
        assertThat(markers("k").keySet())
                .as("the leaf that says it has ended, and its marker goes on")
                .containsOnly("m", "other");
        List<String> args = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Claim next = claimOne();
            args.add(arguments(next).substring(0, 3));
            settle(next, "{}");
        }
        assertThat(args).containsExactlyInAnyOrder("[3,", "[{\"");
        assertThat(keysLeft()).isZero();
    }

    @Test
    void anUnexpectedStateIsNoTrialTenTimesAndThenAFailure() {
        plan("k", done("\"state\":[{\"set\":\"a\",\"value\":1}]"));
        String request = submit("k");
        String expects = done("\"state\":[{\"set\":\"a\",\"value\":2,\"expect\":3},{\"set\":\"b\",\"value\":1}]");
        for (int i = 0; i < 10; i++) {
            assertThat(settle(due(), expects)).isEqualTo(StepCall.Verdict.RETRIED);
        }
        assertThat(fields("k")).isEqualTo(Map.of("a", "1"));
        Claim last = due();
        assertThat(last.trial()).as("none of them was a trial").isOne();
        settle(
                last,
                done(
                        "\"state\":[{\"set\":\"a\",\"value\":2,\"expect\":1},{\"set\":\"b\",\"value\":1,\"expect\":null}]"));
        assertThat(world.state(request).state()).isEqualTo(TreeState.State.FINISHED);
        assertThat(fields("k")).isEqualTo(Map.of("a", "2", "b", "1"));
        String wrong = submit("k");
        for (int i = 0; i < 33; i++) {
            settle(due(), expects);
        }
        assertThat(world.state(wrong).error().orElseThrow().reason()).isEqualTo("Conflict");
        assertThat(world.state(wrong).state()).isEqualTo(TreeState.State.FAILED);
    }

    /** The next one, when its wait is over. */
    private Claim due() {
        List<Claim> claims = new ArrayList<>();
        await().until(
                        () -> {
                            world.tick();
                            claims.addAll(worker.step(List.of(), 1).claims());
                            return claims;
                        },
                        some -> !some.isEmpty());
        return claims.getFirst();
    }

    @Test
    void whatMustNotBeDoneTwiceIsAskedAboutAfterAConflict() {
        plan("k", marker("{\"contingency\":true}"));
        Claim leaf = claimOne();
        settle(leaf, "{\"state\":[{\"set\":\"a\",\"value\":1,\"expect\":5}]}");
        assertThat(worker.step(List.of(), 1).claims())
                .as("not before the wait of a conflict")
                .isEmpty();
        Claim asked = due();
        assertThat(asked.task().handler()).contains("h#contingency");
        assertThat(arguments(asked)).contains("\"marker\":\"m\"");
        settle(asked, done("\"state\":[{\"set\":\"a\",\"value\":1}]"));
        assertThat(fields("k")).isEqualTo(Map.of("a", "1"));
        assertThat(markers("k")).isEmpty();
    }

    /** Its place in the state is that of the request that withdrew it. */
    @Test
    void theContingencyOfAWithdrawnMarkerChangesNothing() {
        plan("k", marker("{\"contingency\":true,\"parallel\":true}"));
        claimOne();
        plan("k", done("\"state\":[{\"set\":\"m\",\"value\":2}],\"markers\":{\"m\":null}"));
        world.store
                .ask(redis -> redis.zrange(world.keys.commands(), 0, -1))
                .forEach(command -> world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, command)));
        world.tick();
        Claim asked = claimOne();
        assertThat(asked.task().handler()).contains("h#contingency");
        settle(asked, done("\"state\":[{\"delete\":\"m\"}]"));
        assertThat(fields("k")).isEqualTo(Map.of("m", "2"));
    }

    /** Each conflict is a call of the function. */
    @Test
    void whatMustNotBeDoneTwiceHasATrialLessBehindTenConflictsEach() {
        plan("k", marker("{\"contingency\":true}"));
        Claim leaf = claimOne();
        for (int conflict = 1; conflict <= 11; conflict++) {
            assertThat(leaf.trial()).isOne();
            settle(leaf, "{\"state\":[{\"set\":\"a\",\"value\":1,\"expect\":5}]}");
            settle(due(), "{\"redo\":true}");
            leaf = due();
        }
        assertThat(leaf.trial()).isEqualTo(2);
    }

    @Test
    void aWorkerThatIsLostLeavesItsMarkerToAnother() {
        plan("k", marker("{}"));
        claimOne();
        worker.die();
        World.Worker other = world.worker("p", "h", PLAN);
        List<Claim> again = other.step(List.of(), 1).claims();
        assertThat(again).hasSize(1);
        other.step(List.of(World.brought(again.getFirst(), "{}")), 0);
        assertThat(keysLeft()).isZero();
    }

    @Test
    void theSameStepTwiceChangesTheStateOnce() {
        submit("k");
        Claim plan = claimOne();
        var request = worker.request(List.of(World.brought(plan, done("\"state\":[{\"add\":\"n\",\"value\":1}]"))), 0);
        var step = worker.source.prepare(request);
        step.run();
        step.run();
        assertThat(fields("k")).isEqualTo(Map.of("n", "1"));
    }

    @Test
    void moreThanATaskMayKeepIsRefusedWithBothNumbersAndNothingIsWritten() {
        String many = IntStream.range(0, 600)
                .mapToObj(i -> "{\"set\":\"%s" + i + "\",\"value\":1}")
                .collect(Collectors.joining(",", "\"state\":[", "]"));
        plan("k", done(many.replace("%s", "a")));
        submit("k");
        settle(claimOne(), done(many.replace("%s", "b")));
        Claim again = claimOne();
        assertThat(again.trial()).isEqualTo(2);
        assertThat(fields("k")).hasSize(600);
        settle(again, done(many.replace("%s", "b")));
        settle(claimOne(), done(many.replace("%s", "b")));
        assertThat(world.state("r2").error().orElseThrow().message())
                .contains("has 1200 fields, at most 1024 are allowed");
    }

    @Test
    void numbersAreAddedToNumbersAlone() {
        plan("k", done("\"state\":[{\"set\":\"t\",\"value\":\"x\"},{\"add\":\"f\",\"value\":0.5}]"));
        plan("k", done("\"state\":[{\"add\":\"f\",\"value\":-1.25},{\"add\":\"i\",\"value\":123456789012}]"));
        assertThat(fields("k")).containsEntry("f", "-0.75").containsEntry("i", "123456789012");
        submit("k");
        for (int i = 0; i < 3; i++) {
            settle(claimOne(), done("\"state\":[{\"add\":\"t\",\"value\":1}]"));
        }
        assertThat(world.state("r3").error().orElseThrow().message()).contains("cannot add to t, which is no number");
    }

    @Test
    void aChangeOfATaskThatIsNoComplexOneIsAFailure() {
        world.begin("t", World.leaf("t"));
        Claim claim = claimOne();
        assertThat(settle(claim, "{\"state\":[{\"set\":\"a\",\"value\":1}]}")).isEqualTo(StepCall.Verdict.COUNTED);
        assertThat(world.state("t").error().orElseThrow().message()).contains("state is of a complex task");
        submit("k");
        for (int i = 0; i < 3; i++) {
            settle(claimOne(), "{\"tags\":[\"a\"]}");
        }
        assertThat(world.state("r1").error().orElseThrow().message()).contains("needs done");
    }

    @Test
    void aTaskThatIsCancelledLeavesItsMarkerFailed() {
        plan("k", marker("{}"));
        Claim leaf = claimOne();
        world.trees.change(leaf.id(), Trees.Change.CANCEL);
        worker.step(List.of(new Settlement.Returned(leaf)), 0);
        assertThat(markers("k").get("m")).contains("\"error\":{\"reason\":\"Cancelled\"");
    }

    @Test
    void aLeafThatTakesItsOwnMarkersPlaceEndsByItsAnswerAlone() {
        plan("k", marker("{}"));
        try (TaskEvents events = new TaskEvents(world.store, world.keyspace)) {
            String position = events.begin(Duration.ofMinutes(1));
            settle(claimOne(), "{\"result\":7,\"markers\":{\"m\":{\"args\":[2]}}}");
            assertThat(events.after(position, TaskEvents.MOST, Duration.ofMinutes(1))
                            .events())
                    .extracting(TaskEvents.Event::kind)
                    .containsExactly(TaskEvents.Kind.EXECUTED);
        }
        assertThat(arguments(claimOne())).startsWith("[2,");
    }

    /** A function that did something outside is not called again because Redis is full, where that is not needed. */
    @Test
    void withoutMemoryAnAnswerThatTakesAwayCountsAndAnotherOneWaits() {
        plan("k", done("\"state\":[{\"set\":\"a\",\"value\":1}],\"markers\":{\"m\":{},\"n\":{}}"));
        Claim first = claimOne();
        world.store.ask(redis -> redis.configSet("maxmemory", "1"));
        try {
            assertThat(settle(first, "{\"state\":[{\"delete\":\"a\"}]}")).isEqualTo(StepCall.Verdict.COUNTED);
            assertThat(state("k").orElseThrow().fields()).isEmpty();
            assertThat(markers("k")).hasSize(1);
            Claim second = claimOne();
            settle(second, "{\"state\":[{\"set\":\"b\",\"value\":2}]}");
            assertThat(state("k").orElseThrow().fields()).isEmpty();
            assertThat(markers("k")).as("it is to be called again").hasSize(1);
        } finally {
            world.store.ask(redis -> redis.configSet("maxmemory", "0"));
        }
    }

    /** A tenant may write anything among what complex tasks keep: a step of others is not stopped by that. */
    @Test
    void whatATenantWroteIsBoundedAndStopsNoStep() {
        plan("k", marker("{\"parallel\":true,\"count\":4}"));
        List<Claim> leaves = worker.claim();
        String of = "p/h\0k";
        List<String> nonsense = List.of("", "h", of + "\2", of + "\2none");
        for (int i = 0; i < leaves.size(); i++) {
            String leaf = "\3" + leaves.get(i).id();
            String text = nonsense.get(i);
            world.store.ask(redis -> redis.hset(world.keys.states(), leaf, text));
        }
        world.store.ask(redis -> redis.hset(world.keys.states(), of + "\0", "x".repeat(1000)));
        world.store.ask(redis -> redis.hset(world.keys.states(), of + "\2m", "\n\n\n" + "x ".repeat(200_000)));
        assertThat(worker.step(
                                leaves.stream()
                                        .map(leaf -> World.passed(leaf, "1"))
                                        .toList(),
                                0)
                        .verdicts())
                .containsOnly(StepCall.Verdict.COUNTED);
        plan("k", done("\"state\":[{\"set\":\"a\",\"value\":1}],\"markers\":{\"m\":null}"));
        assertThat(fields("k")).isEqualTo(Map.of("a", "1"));
        world.store.ask(redis -> redis.hset(world.keys.states(), of + "\1a", "x".repeat(2_000_000)));
        submit("k");
        Claim plan = claimOne();
        assertThatThrownBy(() -> arguments(plan))
                .isInstanceOf(InputTooLargeException.class)
                .hasMessageContaining("the state of h, key k has 20000", "at most 1048576 are allowed");
    }

    private String left() {
        return world.store.ask(redis -> redis.hget(world.keys.hash("p"), "left"));
    }

    /** The pool is not declared by the call that cancels it. */
    @Test
    void aRequestThatWaitsAndIsCancelledLeavesNothing() {
        submit("k");
        Claim first = claimOne();
        world.trees.change(submit("k"), Trees.Change.CANCEL);
        world.tick();
        assertThat(left()).isEqualTo("1");
        settle(first, done("\"result\":1"));
        assertThat(worker.claim()).isEmpty();
        assertThat(left()).isEqualTo("0");
    }

    @Test
    void aStateAtItsBoundMayAlwaysShrink() {
        String large = "x".repeat(60_000);
        for (int i = 0; i < 4; i++) {
            plan(
                    "k",
                    done("\"state\":[{\"set\":\"f" + i + "\",\"value\":\"" + large + "\"}],\"markers\":{\"m" + i
                            + "\":{\"maxTrials\":1}}"));
            worker.step(List.of(World.failed(claimOne())), 0);
        }
        world.store.ask(redis -> redis.hset(world.keys.states(), "p/h\0k\0", "9 4 4 400000"));
        plan("k", done("\"state\":[{\"delete\":\"f0\"}],\"markers\":{\"m0\":null}"));
        assertThat(fields("k")).containsOnlyKeys("f1", "f2", "f3");
    }

    @Test
    void numbersAreExpectedAsNumbers() {
        plan("k", done("\"state\":[{\"add\":\"a\",\"value\":0.1}]"));
        plan("k", done("\"state\":[{\"add\":\"a\",\"value\":0.1}]"));
        assertThat(fields("k")).containsEntry("a", "0.2");
        assertThat(plan("k", done("\"state\":[{\"set\":\"a\",\"value\":1,\"expect\":0.2}]")))
                .isEqualTo(StepCall.Verdict.COUNTED);
        assertThat(plan("k", done("\"state\":[{\"add\":\"a\",\"value\":1e20,\"expect\":1.0}]")))
                .isEqualTo(StepCall.Verdict.COUNTED);
        assertThat(plan("k", done("\"state\":[{\"delete\":\"a\",\"expect\":1E+20}]")))
                .isEqualTo(StepCall.Verdict.COUNTED);
        plan("k", done("\"state\":[{\"set\":\"u\",\"value\":1234567890123456788}]"));
        submit("k");
        assertThat(settle(claimOne(), done("\"state\":[{\"delete\":\"u\",\"expect\":1234567890123456789}]")))
                .as("a double does not tell them apart")
                .isEqualTo(StepCall.Verdict.RETRIED);
        settle(due(), done("\"result\":1"));
        plan("k", done("\"state\":[{\"set\":\"n\",\"value\":9007199254740992}]"));
        assertThat(plan("k", done("\"state\":[{\"add\":\"n\",\"value\":1}]")))
                .as("it could not be told exactly")
                .isEqualTo(StepCall.Verdict.RETRIED);
    }

    @Test
    void whatAPoolSaysOfItsTurnsCountsNothing() {
        new Lifecycle(world.store)
                .order(world.keyspace, 1)
                .arrange(
                        "p",
                        new PoolOrder.Wishes(
                                Map.of(),
                                0,
                                Optional.empty(),
                                Declarations.of(Map.of("complex!*", true)),
                                Map.of("complex!*", List.of("free"))));
        submit("k");
        submit("k");
        assertThat(worker.claim()).hasSize(1);
    }

    @Test
    void keysOfAnotherKindStopNoStep() {
        plan("k", marker("{}"));
        Claim leaf = claimOne();
        world.store.ask(redis -> redis.unlink(world.keys.states()));
        world.store.ask(redis -> redis.set(world.keys.states(), "x"));
        assertThat(worker.step(List.of(World.passed(leaf, "1")), 0).verdicts())
                .containsExactly(StepCall.Verdict.COUNTED);
        String request = submit("k");
        for (int i = 0; i < 3; i++) {
            settle(claimOne(), done("\"state\":[{\"set\":\"a\",\"value\":1}]"));
        }
        assertThat(world.state(request).error().orElseThrow().message()).contains("hold something else");
    }

    @Test
    void tasksAfterItAndItsUndoComeWithTheChange() {
        plan("k", done("\"tasks\":[{\"handler\":\"g\"}],\"state\":[{\"set\":\"a\",\"value\":1}]"));
        assertThat(claimOne().task().handler()).contains("g");
    }
}
