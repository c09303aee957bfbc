package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/** Tasks that are planned before they are executed, and what a function brings beside its result. */
class PlansIT {

    private static final String PLAN = "h#plan";
    private static final Optional<Duration> FOR_GOOD = Optional.empty();

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h", PLAN, "g");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static TreeNode planned(String name, Rank rank) {
        return new TreeNode.Leaf(
                "p", Optional.of("h"), 1, 1, rank, World.body(name, "h").planned(TaskBody.PLAN_SECONDS));
    }

    private static TreeNode planned(String name) {
        return planned(name, Rank.NONE);
    }

    private List<String> settle(String json, int wanted) {
        Claim held = worker.held.getFirst();
        StepCall.Outcome.Done done = worker.step(List.of(World.brought(held, json)), wanted);
        return names(done.claims());
    }

    private static List<String> names(List<Claim> claims) {
        return claims.stream()
                .map(claim -> claim.task().name() + " " + claim.task().handler().orElse(""))
                .toList();
    }

    private List<String> claim(int wanted) {
        return names(worker.step(List.of(), wanted).claims());
    }

    private void declare(boolean online) {
        new Lifecycle(world.store)
                .order(world.keyspace, 1)
                .arrange(
                        "p",
                        new PoolOrder.Wishes(
                                Map.of(), 0, Optional.empty(), Declarations.of(Map.of("online", online)), Map.of()));
    }

    private NodeRecord record(String id) {
        return NodeRecord.parse(world.store.ask(redis -> redis.hget(world.keys.nodes(), id)));
    }

    @Test
    void aTaskIsPlannedAndThenExecutedAsThePlanSays() {
        world.begin("t", planned("t", new Rank(1, List.of("mine"), Optional.empty())));
        assertThat(claim(1)).containsExactly("t " + PLAN);
        assertThat(worker.held.getFirst().task().timeLimit()).contains(Duration.ofSeconds(5));
        assertThat(world.arguments(worker.held.getFirst())).isEqualTo("[\"t\"]");
        assertThat(settle("{\"relPriority\":7,\"tags\":[\"send\"],\"args\":[{\"a\":1.50},2]}", 1))
                .containsExactly("t h");
        assertThat(world.arguments(worker.held.getFirst())).isEqualTo("[{\"a\":1.50},2]");
        assertThat(record("t").rank()).isEqualTo("7\u001fsend\u001f");
        assertThat(worker.held.getFirst().trial()).isEqualTo(1);
        assertThat(worker.step(List.of(World.passed(worker.held.getFirst(), "5")), 0)
                        .verdicts())
                .containsExactly(StepCall.Verdict.COUNTED);
        assertThat(world.trees.result("t", 1000)).isEqualTo("5");
    }

    @Test
    void aTaskWithAPlanThatReturnsNothingLeavesNoArguments() {
        world.begin("t", planned("t"));
        claim(1);
        settle("{\"args\":[3]}", 1);
        worker.step(List.of(new Settlement.Passed(worker.held.getFirst(), Duration.ofMillis(1))), 0);
        TreeState state = world.state("t");
        assertThat(state.state()).isEqualTo(TreeState.State.FINISHED);
        assertThat(world.trees.result("t", 1000)).isEqualTo("null");
    }

    @Test
    void aTaskWithAPlanThatOnlyBringsTasksLeavesNoArguments() {
        world.begin("t", planned("t"));
        claim(1);
        settle("{\"args\":[3]}", 1);
        settle("{\"tasks\":[{\"handler\":\"nobody\"}]}", 0);
        assertThat(world.trees.result("t", 1000)).isEqualTo("null");
    }

    @Test
    void aPlanThatComesUponWhatIsMissingWaitsForThatTime() {
        declare(true);
        world.begin("t", planned("t", new Rank(0, List.of(), Optional.empty(), List.of("online"))));
        claim(1);
        Claim held = worker.held.getFirst();
        worker.step(
                List.of(new Settlement.Returned(held, Optional.empty(), Duration.ofMinutes(1), Optional.of("online"))),
                0);
        assertThat(claim(5)).isEmpty();
        assertThat(record("t").state()).isEqualTo(TreeState.State.RESTART);
    }

    @Test
    void aRankThatIsTakenAwayLeavesAPlanBeforeAllElse() {
        world.begin("t", planned("t", new Rank(3, List.of("mine"), Optional.empty())));
        world.begin(
                "high",
                new TreeNode.Leaf(
                        "p",
                        Optional.of("h"),
                        1,
                        1,
                        new Rank(9, List.of(), Optional.empty()),
                        World.body("high", "h")));
        assertThat(world.trees.rank(TaskTree.of("t", planned("t")))).isTrue();
        assertThat(claim(1)).containsExactly("t " + PLAN);
        assertThat(settle("{}", 5)).containsExactly("high h", "t h");
        assertThat(record("t").rank()).isEmpty();
    }

    @Test
    void plansGoBeforeAllThatIsExecutedAndNeedNoResource() {
        declare(false);
        world.begin(
                "high",
                new TreeNode.Leaf(
                        "p",
                        Optional.of("h"),
                        1,
                        1,
                        new Rank(Rank.MOST_PRIORITY, List.of("boosted"), Optional.empty()),
                        World.body("high", "h")));
        new Boosts(world.store, world.keyspace).replace("p", "me", Map.of("boosted", 1_000_000), FOR_GOOD);
        world.begin("t", planned("t", new Rank(-5, List.of(), Optional.empty(), List.of("online"))));
        assertThat(claim(1)).containsExactly("t " + PLAN);
        assertThat(settle("{}", 5)).containsExactly("high h");
        worker.step(List.of(World.passed(worker.held.getFirst(), "1")), 0);
        assertThat(claim(5)).as("a resource is missing").isEmpty();
        declare(true);
        assertThat(claim(5)).containsExactly("t h");
    }

    /** The resource's rank comes again with each leader, and whenever a person changes it. */
    @Test
    void whatAPlanSaidStaysWhenTheResourcesRankComesAgain() {
        declare(false);
        world.begin("t", planned("t"));
        claim(1);
        settle("{\"resources\":[\"online\"],\"relPriority\":3}", 0);
        world.trees.rank(TaskTree.of("t", planned("t")));
        assertThat(record("t").rank()).isEqualTo("3\u001f\u001f\u001fonline");
        world.trees.rank(TaskTree.of("t", planned("t", new Rank(9, List.of("x"), Optional.empty()))));
        assertThat(record("t").rank()).isEqualTo("3\u001fx\u001f\u001fonline");
        assertThat(claim(5)).as("the resource is missing").isEmpty();
        declare(true);
        assertThat(claim(5)).containsExactly("t h");
    }

    /** Else one that nobody serves would lift all Tasks above the pool's TaskSets. */
    @Test
    void aPlanLeavesThePoolsPlaceAmongItsSourcesAlone() {
        world.begin("t", planned("t"));
        world.begin(
                "low",
                new TreeNode.Leaf(
                        "p",
                        Optional.of("h"),
                        1,
                        1,
                        new Rank(-7, List.of(), Optional.empty()),
                        World.body("low", "h")));
        assertThat(priority()).isEqualTo("0");
        claim(1);
        assertThat(priority()).isEqualTo("-7");
    }

    private String priority() {
        return world.store.ask(redis -> redis.hget(world.keys.hash("p"), "priority"));
    }

    @Test
    void aPlanNamesResources() {
        declare(false);
        world.begin("t", planned("t"));
        claim(1);
        assertThat(settle("{\"resources\":[\"online\"]}", 5)).isEmpty();
        assertThat(record("t").rank()).endsWith("\u001fonline");
        declare(true);
        assertThat(claim(5)).containsExactly("t h");
    }

    @Test
    void aPlanWithWhichNothingIsLeftToDoEndsTheTask() {
        world.begin("t", planned("t"));
        claim(1);
        assertThat(settle("{\"done\":true,\"result\":[1,2]}", 5)).isEmpty();
        assertThat(world.trees.result("t", 1000)).isEqualTo("[1,2]");
    }

    @Test
    void aPlanThatFailsThreeTimesEndsTheTask() {
        world.begin("t", planned("t"));
        for (int trial = 1; trial <= 3; trial++) {
            assertThat(claim(1)).as("trial " + trial).containsExactly("t " + PLAN);
            assertThat(worker.held.getFirst().task().maxTrials()).isEqualTo(3);
            worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        }
        assertThat(world.state("t").error().orElseThrow())
                .satisfies(error -> assertThat(error.reason()).isEqualTo("PlanFailed"))
                .satisfies(error -> assertThat(error.message()).contains("Error: no"));
    }

    @Test
    void trialsOfAPlanLeaveThoseOfTheTaskAlone() {
        world.begin("t", planned("t"));
        claim(1);
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        claim(1);
        assertThat(settle("{}", 1)).containsExactly("t h");
        assertThat(worker.held.getFirst().trial()).as("numbers go on").isEqualTo(2);
        assertThat(worker.held.getFirst().task().maxTrials()).isEqualTo(2);
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.FAILED);
    }

    @Test
    void anAnswerThatIsNoPlanIsAFailedTrial() {
        int tried = 0;
        for (String senseless : List.of(
                "[]",
                "{\"args\":[\"" + "x".repeat(65_536) + "\"]}",
                "{\"result\":1}",
                "{\"tags\":[\"a b\"]}",
                "{\"relPriority\":100000}",
                "{\"args\":{}}",
                "{\"tasks\":[{\"handler\":\"h\",\"plan\":true,\"planSeconds\":0}]}",
                "{\"what\":1}")) {
            String id = "t" + tried++;
            world.begin(id, planned("t"));
            claim(1);
            worker.step(List.of(World.brought(worker.held.getFirst(), senseless)), 0);
            assertThat(record(id).state()).as(senseless).isEqualTo(TreeState.State.STARTABLE);
            assertThat(record(id).trial()).as(senseless).isEqualTo(2);
            claim(1);
            worker.step(List.of(World.passed(worker.held.getFirst(), "1")), 0); // a plan is of that format alone
            assertThat(record(id).trial()).as(senseless).isEqualTo(3);
            world.trees.change(id, Trees.Change.CANCEL);
            assertThat(world.trees.drop(id, 3)).isTrue();
        }
    }

    @Test
    void aPlanWhoseWorkerIsLostIsMadeAgain() {
        world.begin("t", planned("t"));
        claim(1);
        worker.die();
        world.reaper.tick();
        World.Worker other = world.worker("p", "h", PLAN);
        assertThat(names(other.step(List.of(), 1).claims())).containsExactly("t " + PLAN);
    }

    @Test
    void whatFollowsIsMadeInTheStepThatRecordsTheResult() {
        world.begin(
                "t",
                new TreeNode.Leaf(
                        "p",
                        Optional.of("h"),
                        1,
                        1,
                        new Rank(0, List.of(), Optional.of("acme")),
                        World.body("t", "h")));
        claim(1);
        String tasks = "{\"result\":9,\"tasks\":[{\"handler\":\"g\",\"args\":[1.0]},"
                + "{\"chain\":[{\"handler\":\"g\"},{\"handler\":\"h\",\"plan\":true}]},"
                + "{\"handler\":\"far\",\"pool\":\"q\"}]}";
        Settlement settled = World.brought(worker.held.getFirst(), tasks);
        StepCall call = worker.source.prepare(worker.request(List.of(settled), 5));
        StepCall.Outcome.Done done = (StepCall.Outcome.Done) call.run();
        StepCall.Outcome.Done again = (StepCall.Outcome.Done) call.run();
        assertThat(names(done.claims())).containsExactly("g g", "g g");
        assertThat(names(again.claims())).as("the reply was lost").containsExactlyInAnyOrder("g g", "g g");
        assertThat(world.trees.result("t", 1000)).isEqualTo("9");
        done.rest().ifPresent(Runnable::run);
        assertThat(world.worker("q", "far").claimNames()).containsExactly("far");
        Set<String> shares = Set.copyOf(world.store.ask(redis -> redis.hvals(world.keys.nodes())).stream()
                .filter(text -> text.startsWith("L"))
                .map(text -> text.split("\t", -1)[15])
                .toList());
        assertThat(shares).as("keys of fairness").containsExactly("acme");
        Claim single = done.claims().getFirst();
        assertThat(world.arguments(single)).isEqualTo("[1.0]");
        worker.step(List.of(World.passed(single, "1")), 0);
        boolean there = world.store.ask(redis -> redis.hexists(world.keys.nodes(), single.id()));
        assertThat(there).as("nobody asks for it").isFalse();
    }

    @Test
    void whatATaskThatEndedMeanwhileBringsIsNotMade() {
        world.begin("t", World.leaf("t"));
        claim(1);
        world.trees.change("t", Trees.Change.CANCEL);
        Claim held = worker.held.getFirst();
        assertThat(worker.step(List.of(World.brought(held, "{\"tasks\":[{\"handler\":\"g\"}]}")), 5)
                        .claims())
                .isEmpty();
        assertThat(world.nodes()).isEqualTo(1);
    }

    @Test
    void tooManyOrSenselessTasksAreAFailedTrialAndNoneIsMade() {
        List<String> many = new ArrayList<>();
        for (int i = 0; i < 65; i++) {
            many.add("{\"handler\":\"g\"}");
        }
        int tried = 0;
        for (String tasks : List.of(
                "[" + String.join(",", many) + "]",
                "[{\"handler\":\"g\"},{\"handler\":\"g\",\"maxTrials\":0}]",
                "[{\"handler\":\"g#plan\"}]",
                "[{\"command\":[\"true\"],\"plan\":true}]",
                "{}")) {
            String id = "t" + tried++;
            world.begin(id, World.leaf("t"));
            claim(1);
            worker.step(List.of(World.brought(worker.held.getFirst(), "{\"tasks\":" + tasks + "}")), 0);
            assertThat(world.state(id).error().orElseThrow().reason()).as(tasks).isEqualTo("ResultInvalid");
            assertThat(world.nodes()).as(tasks).isEqualTo(1);
            assertThat(world.trees.drop(id, 3)).isTrue();
        }
    }

    @Test
    void childrenOfAForEachAreEachPlanned() {
        world.begin("t", World.chain(World.leaf("list", "p", "g"), World.each(planned("each"), 0)));
        claim(1);
        worker.step(List.of(World.passed(worker.held.getFirst(), "[10,20]")), 0);
        assertThat(claim(5)).containsExactly("each " + PLAN, "each " + PLAN);
        List<Claim> plans = List.copyOf(worker.held);
        StepCall.Outcome.Done done = worker.step(
                List.of(World.brought(plans.get(0), "{\"args\":[\"one\"]}"), World.brought(plans.get(1), "{}")), 5);
        assertThat(done.claims().stream().map(claim -> world.arguments(claim)).toList())
                .as("a plan that gives arguments gives all of them")
                .containsExactlyInAnyOrder("[\"one\"]", "[\"each\",20]");
    }

    @Test
    void aFairPoolGivesATaskItsTurnWhenItIsPlanned() {
        new Lifecycle(world.store)
                .order(world.keyspace, 1)
                .arrange("p", new PoolOrder.Wishes(Map.of(), 0, Optional.of(Map.of())));
        for (int i = 0; i < 3; i++) {
            world.begin(
                    "a" + i,
                    new TreeNode.Leaf(
                            "p",
                            Optional.of("h"),
                            1,
                            1,
                            new Rank(0, List.of(), Optional.of("a")),
                            World.body("a" + i, "h")));
        }
        world.begin("b", planned("b", new Rank(0, List.of(), Optional.of("b"))));
        assertThat(claim(1)).containsExactly("b " + PLAN);
        assertThat(settle("{}", 3)).as("in the next round").containsExactlyInAnyOrder("a0 h", "a1 h", "b h");
    }

    /** A task that runs with the resource is stopped, and a plan does not run with it. */
    @Test
    void aPlanGoesOnWhenAResourceGoesThatCancels() {
        PoolOrder order = new Lifecycle(world.store).order(world.keyspace, 1);
        for (boolean there : new boolean[] {true, false}) {
            order.arrange(
                    "p",
                    new PoolOrder.Wishes(
                            Map.of(),
                            0,
                            Optional.empty(),
                            Map.of(
                                    "online",
                                    new PoolOrder.Declared(there, Optional.of(1), Optional.empty(), true, false)),
                            Map.of()));
            if (there) {
                world.begin("t", planned("t", new Rank(0, List.of(), Optional.empty(), List.of("online"))));
                claim(1);
            }
        }
        Claim held = worker.held.getFirst();
        assertThat(worker.source.attend(List.of(new RunningTask(held.id(), 0, 0))))
                .isEmpty();
    }

    /** A function is called again when there is memory, as one that brings chunks is. */
    @Test
    void nothingIsMadeWhileTheMemoryOfRedisIsUsedUp() {
        world.begin("t", World.leaf("t"));
        world.begin("planned", planned("planned"));
        claim(2);
        Claim planning = worker.held.stream()
                .filter(claim -> claim.id().equals("planned"))
                .findFirst()
                .orElseThrow();
        Claim running = worker.held.stream()
                .filter(claim -> claim.id().equals("t"))
                .findFirst()
                .orElseThrow();
        world.store.ask(redis -> redis.configSet("maxmemory", "1"));
        try {
            worker.step(
                    List.of(
                            World.brought(running, "{\"tasks\":[{\"handler\":\"g\"}]}"),
                            World.brought(planning, "{\"args\":[1]}")),
                    5);
        } finally {
            world.store.ask(redis -> redis.configSet("maxmemory", "0"));
        }
        assertThat(world.nodes()).isEqualTo(2);
        assertThat(record("t").state()).isEqualTo(TreeState.State.RESTART);
        assertThat(record("planned").state()).isEqualTo(TreeState.State.RESTART);
        assertThat(record("t").trial()).as("no trial is used").isEqualTo(1);
    }
}
