package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.node.IntNode;
import io.lettuce.core.Range;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerSession;

/** Sets and chunks give nothing out while a resource that they name is missing; what runs of them goes on. */
class SourceGatesIT {

    private static final Optional<Duration> FOR_GOOD = Optional.empty();
    private static final String ME = "me";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private Resources resources;
    private SourcePlaces places;
    private TaskSetControl sets;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        resources = new Resources(world.store, world.keyspace);
        Lifecycle lifecycle = new Lifecycle(world.store);
        places = lifecycle.places(world.keyspace, 1);
        sets = lifecycle.control(world.keyspace, 1);
        worker = world.worker("p", "h");
        declare(Map.of("online", true, "tenant!*", true));
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void declare(Map<String, Boolean> names) {
        say(Declarations.of(names));
    }

    private void say(Map<String, PoolOrder.Declared> names) {
        new Lifecycle(world.store)
                .order(world.keyspace, 1)
                .arrange("p", new PoolOrder.Wishes(Map.of(), 0, Optional.empty(), names, Map.of()));
    }

    private void open(String uid) {
        ExecutionSpec spec = new ExecutionSpec(
                uid,
                new Execution.Command(List.of("true"), List.of(), Optional.empty()),
                List.of(),
                Optional.empty(),
                new ExecutionSpec.TaskSource.Count(5),
                Optional.empty());
        sets.open(new TaskSetOpening(uid, "p", spec, TaskSetLimits.DEFAULT, 0, 0, false).gated(true));
    }

    private static Rank needs(String... names) {
        return new Rank(0, List.of(), Optional.empty(), List.of(names));
    }

    private void place(String uid, String... names) {
        places.place("p", uid, needs(names));
    }

    private List<String> order() {
        return world.store.ask(redis -> redis.zrange(world.keyspace.poolReady("p"), 0, -1));
    }

    private Optional<String> gate(String uid) {
        return snapshot(uid).gate();
    }

    private TaskSetSnapshot snapshot(String uid) {
        return sets.snapshot(List.of(uid)).get(uid);
    }

    private List<String> rows() {
        return world.store.ask(redis -> redis.zrangebylex(
                world.keyspace.poolRanks("p"),
                Range.from(Range.Boundary.including("u"), Range.Boundary.excluding("v"))));
    }

    @Test
    void aSetGivesNothingOutBeforeItHasItsPlace() {
        open("a");
        assertThat(order()).isEmpty();
        assertThat(gate("a")).contains("");
        place("a", "online");
        assertThat(order()).containsExactly("a");
        assertThat(gate("a")).isEmpty();
    }

    /** A number of the whole run would be none of those that run at a time. */
    @Test
    void aSetHoldsNoPermitsAndDoesNotGoOnWithoutThem() {
        open("a");
        place("a", "online");
        assertThat(order()).containsExactly("a");
        say(Map.of("online", Declarations.permits(9)));
        assertThat(order()).isEmpty();
        assertThat(gate("a")).contains("online");
        declare(Map.of("online", true));
        assertThat(order()).containsExactly("a");
    }

    @Test
    void aSetLeavesTheOrderWhileAResourceIsMissingAndWhatRunsGoesOn() {
        open("a");
        place("a", "online", "tenant!acme");
        WorkSource set = worker.at("a").orElseThrow();
        List<Claim> held = worker.step(set, List.of(), 2).claims();
        assertThat(held).hasSize(2);
        resources.close("p", ME, "tenant!*", FOR_GOOD);
        assertThat(order()).isEmpty();
        assertThat(gate("a")).contains("tenant!acme");
        var step = worker.step(set, List.of(World.passed(held.getFirst(), "1")), 2);
        assertThat(step.claims()).as("a worker that stayed").isEmpty();
        assertThat(step.claimable()).isZero();
        assertThat(snapshot("a").succeeded()).isOne();
        assertThat(order()).as("after a step of it").isEmpty();
        resources.open("p", ME, "tenant!*");
        assertThat(order()).containsExactly("a");
        assertThat(worker.step(set, List.of(World.passed(held.getLast(), "1")), 5)
                        .claims())
                .hasSize(3);
    }

    /** The first one that is missing is named, in the order of the spec. */
    @Test
    void resourcesOfASetChange() {
        open("a");
        place("a", "printer", "scanner");
        assertThat(gate("a")).contains("printer");
        declare(Map.of("printer", true));
        assertThat(gate("a")).contains("scanner");
        place("a", "printer");
        assertThat(gate("a")).isEmpty();
        assertThat(rows()).hasSize(1);
        place("a");
        assertThat(rows()).isEmpty();
        resources.close("p", ME, "printer", FOR_GOOD);
        assertThat(order()).containsExactly("a");
    }

    /** A worker that still runs tasks of it is sent to what has work. */
    @Test
    void aWorkerOfASetThatWaitsIsSentToAnother() {
        open("a");
        place("a", "online");
        WorkSource set = worker.at("a").orElseThrow();
        assertThat(worker.step(set, List.of(), 2).claims()).hasSize(2);
        resources.close("p", ME, "online", FOR_GOOD);
        assertThat(worker.session.pick(List.of("a"), List.of())).isEqualTo(new WorkerSession.PickOutcome.Nothing());
        open("b");
        place("b");
        for (int i = 0; i < 3; i++) {
            assertThat(worker.session.pick(List.of("a"), List.of()))
                    .isEqualTo(new WorkerSession.PickOutcome.Picked("b"));
        }
    }

    /** Tasks of it that take long may be offered to other workers. */
    @Test
    void aSetWithOfferedTasksLeavesTheOrderAsWell() {
        open("a");
        place("a", "online");
        world.store.ask(redis -> redis.hset(world.keyspace.prefix() + "taskset:a", "offered", "1"));
        resources.close("p", ME, "online", FOR_GOOD);
        assertThat(order()).isEmpty();
    }

    @Test
    void aSetThatCameBeforeItsAliasGoesOnWithIt() {
        open("a");
        place("a", "account!7");
        assertThat(gate("a")).contains("account!7");
        new Lifecycle(world.store)
                .order(world.keyspace, 1)
                .arrange(
                        "p",
                        new PoolOrder.Wishes(
                                Map.of(),
                                0,
                                Optional.empty(),
                                Map.of("online", PoolOrder.Declared.uncounted(true)),
                                Map.of("account!*", List.of("online"))));
        tickUntil(() -> assertThat(order()).containsExactly("a"));
    }

    /** All that a spec may have. */
    @Test
    void aSetWithLongNamesFollowsItsResources() {
        open("a");
        String[] names =
                IntStream.range(0, 8).mapToObj(i -> i + "x".repeat(126) + ":").toArray(String[]::new);
        List<String> tags =
                IntStream.range(0, 8).mapToObj(i -> i + "t".repeat(127)).toList();
        Map<String, Boolean> declared = new HashMap<>();
        List.of(names).forEach(name -> declared.put(name, true));
        declare(declared);
        places.place("p", "a", new Rank(1, tags, Optional.empty(), List.of(names)));
        assertThat(order()).containsExactly("a");
        resources.close("p", ME, names[7], FOR_GOOD);
        tickUntil(() -> assertThat(order()).isEmpty());
        resources.open("p", ME, names[7]);
        tickUntil(() -> assertThat(order()).containsExactly("a"));
    }

    @Test
    void aSuspendedSetThatComesBackStillWaits() {
        open("a");
        place("a", "online");
        sets.changeStatus("a", new StatusChange.Suspend());
        resources.close("p", ME, "online", FOR_GOOD);
        sets.changeStatus("a", new StatusChange.Resume());
        assertThat(order()).isEmpty();
        resources.open("p", ME, "online");
        assertThat(order()).containsExactly("a");
    }

    @Test
    void aSetThatGoesLeavesNothing() {
        open("a");
        open("b");
        place("a", "online", "tenant!acme");
        place("b", "online");
        assertThat(rows()).hasSize(4);
        sets.drop("a");
        assertThat(rows()).hasSize(1);
        sets.changeStatus("b", new StatusChange.Cancel());
        resources.close("p", ME, "online", FOR_GOOD);
        assertThat(rows()).isEmpty();
    }

    @Test
    void manySetsFollowByCommands() {
        List<String> uids = IntStream.range(0, 80).mapToObj(i -> "s" + i).toList();
        for (String uid : uids) {
            open(uid);
            place(uid, "online");
        }
        resources.close("p", ME, "online", FOR_GOOD);
        tickUntil(() -> assertThat(order()).isEmpty());
        resources.open("p", ME, "online");
        tickUntil(() -> assertThat(order()).containsExactlyInAnyOrderElementsOf(uids));
        long commands = world.store.ask(redis -> redis.zcard(world.keys.commands()));
        assertThat(commands).isZero();
    }

    private static TreeNode chunks(Rank rank) {
        ChunkWork work = new ChunkWork(
                Optional.empty(),
                1,
                2,
                false,
                1 << 20,
                false,
                Optional.of(List.of(IntNode.valueOf(1), IntNode.valueOf(2))),
                Optional.empty(),
                0);
        return World.chain(
                new TreeNode.Chunks("p", Optional.of("h"), 1, work, Optional.empty(), rank, World.body("chunks", "h")));
    }

    @Test
    void chunksWaitForTheResourcesOfTheirNode() {
        resources.close("p", ME, "online", FOR_GOOD);
        TreeNode tree = chunks(needs("online"));
        world.begin("t", tree);
        tickUntil(() -> assertThat(rows()).hasSize(1));
        assertThat(order()).isEmpty();
        Blockage blockage = world.trees.blockage(TaskTree.of("t", tree));
        assertThat(blockage.waiting()).isOne();
        assertThat(blockage.missing()).extracting(Blockage.Missing::name).containsExactly("online");
        resources.open("p", ME, "online");
        tickUntil(() -> assertThat(order()).containsExactly("chunks:t.1"));
        assertThat(world.trees.blockage(TaskTree.of("t", tree))).isEqualTo(Blockage.NONE);
    }

    private void tickUntil(Runnable holds) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            world.tick();
            holds.run();
        });
    }
}
