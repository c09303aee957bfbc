package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.node.IntNode;
import io.lettuce.core.Range;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.worker.WorkSource;

/** Sets and chunks stand among the sources of their pool by their priorities and the boosts of their tags. */
class SourcePlacesIT {

    private static final Optional<Duration> FOR_GOOD = Optional.empty();

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private Boosts boosts;
    private SourcePlaces places;
    private TaskSetControl sets;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        boosts = new Boosts(world.store, world.keyspace);
        Lifecycle lifecycle = new Lifecycle(world.store);
        places = lifecycle.places(world.keyspace, 1);
        sets = lifecycle.control(world.keyspace, 1);
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void open(String uid, int priority) {
        ExecutionSpec spec = new ExecutionSpec(
                uid,
                new Execution.Command(List.of("true"), List.of(), Optional.empty()),
                List.of(),
                Optional.empty(),
                new ExecutionSpec.TaskSource.Count(5),
                Optional.empty());
        sets.open(new TaskSetOpening(uid, "p", spec, TaskSetLimits.DEFAULT, 0, priority, false));
    }

    private List<String> order() {
        return world.store.ask(redis -> redis.zrange(world.keyspace.poolReady("p"), 0, -1));
    }

    private String priority(String uid) {
        return world.store.ask(redis -> redis.hget(world.keyspace.prefix() + "taskset:" + uid, "priority"));
    }

    private long rows() {
        return world.store.ask(redis -> redis.zcard(world.keys.queue("p").get(6)));
    }

    @Test
    void setsStandByTheirPriorityAndABoostMovesThem() {
        open("a", 0);
        open("b", 3);
        open("c", 0);
        assertThat(order()).containsExactly("b", "a", "c");
        places.place("p", "c", new Rank(1, List.of("view"), Optional.empty()));
        assertThat(order()).containsExactly("b", "c", "a");
        boosts.replace("p", "me", Map.of("view", 5), FOR_GOOD);
        assertThat(order()).containsExactly("c", "b", "a");
        assertThat(priority("c")).isEqualTo("6");
        boosts.replace("p", "me", Map.of("view", -5), FOR_GOOD);
        assertThat(order()).containsExactly("b", "a", "c");
    }

    @Test
    void aSetThatIsNotReadyHasItsPlaceWhenItComesBack() {
        open("a", 0);
        open("b", 0);
        places.place("p", "b", new Rank(0, List.of("view"), Optional.empty()));
        sets.changeStatus("b", new StatusChange.Suspend());
        boosts.replace("p", "me", Map.of("view", 5), FOR_GOOD);
        assertThat(order()).containsExactly("a");
        sets.changeStatus("b", new StatusChange.Resume());
        assertThat(order()).containsExactly("b", "a");
    }

    @Test
    void priorityAndTagsOfASetChange() {
        open("a", 0);
        open("b", 0);
        boosts.replace("p", "me", Map.of("view", 5, "other", 7), FOR_GOOD);
        places.place("p", "b", new Rank(-1, List.of("view", "other"), Optional.empty()));
        assertThat(priority("b")).isEqualTo("11");
        places.place("p", "b", new Rank(-1, List.of(), Optional.empty()));
        assertThat(priority("b")).isEqualTo("-1");
        assertThat(order()).containsExactly("a", "b");
        boosts.replace("p", "me", Map.of("view", 50), FOR_GOOD);
        assertThat(order()).as("it has the tag no more").containsExactly("a", "b");
        places.place("p", "b", new Rank(99_999, List.of("view"), Optional.empty()));
        assertThat(priority("b")).as("the highest").isEqualTo("99999");
    }

    @Test
    void aSetThatGoesLeavesNothing() {
        open("a", 0);
        open("b", 0);
        places.place("p", "a", new Rank(0, List.of("view", "other"), Optional.empty()));
        places.place("p", "b", new Rank(0, List.of("view"), Optional.empty()));
        assertThat(rows()).isEqualTo(3);
        sets.drop("a");
        assertThat(rows()).as("whoever drops it takes its members along").isEqualTo(1);
        sets.changeStatus("b", new StatusChange.Cancel());
        boosts.replace("p", "me", Map.of("view", 5), FOR_GOOD);
        boosts.replace("p", "me", Map.of(), FOR_GOOD);
        assertThat(rows()).as("an ended one is forgotten by the first boost").isZero();
    }

    /** No equal outranks another one: they take turns by picks. */
    @Test
    void aStepSaysWhetherAnotherSourceStandsHigher() {
        World.Worker worker = world.worker("p", "h");
        open("low", -1);
        open("equal", -1);
        WorkSource low = worker.at("low").orElseThrow();
        assertThat(worker.step(low, List.of(), 1).outranked()).as("by an equal").isFalse();
        world.begin("t", leaf("t", Rank.NONE));
        assertThat(worker.step(low, List.of(), 1).outranked()).as("by a Task").isTrue();
        assertThat(worker.step(low, List.of(), 3).claims()).as("it had five").hasSize(3);
        assertThat(worker.step(low, List.of(), 0).outranked())
                .as("it is in the order no more")
                .isTrue();
        assertThat(worker.step(List.of(), 0).outranked()).as("the Tasks").isFalse();
        places.place("p", "equal", new Rank(1, List.of(), Optional.empty()));
        assertThat(worker.step(List.of(), 0).outranked()).as("the Tasks").isTrue();
        world.begin("u", leaf("u", new Rank(1, List.of(), Optional.empty())));
        assertThat(worker.step(List.of(), 0).outranked()).as("by an equal").isFalse();
        assertThat(worker.step(List.of(), 2).claims()).hasSize(2);
        sets.changeStatus("equal", new StatusChange.Cancel());
        assertThat(worker.step(low, List.of(), 0).outranked())
                .as("nothing else has work")
                .isFalse();
    }

    private static TreeNode leaf(String name, Rank rank) {
        return new TreeNode.Leaf("p", Optional.of("h"), 1, 1, rank, World.body(name, "h"));
    }

    /** A boost's command may be run by a worker at any time, also once the set is gone. */
    @Test
    void aCommandThatComesAfterTheEndOfASetBringsNothingBack() {
        open("a", 0);
        places.place("p", "a", new Rank(0, List.of("view", "other"), Optional.empty()));
        boost("view", 5);
        sets.drop("a");
        assertThat(commands("place")).as("that waits").hasSize(1);
        for (int i = 0; i < 3; i++) {
            world.tick();
        }
        assertThat(commands("place")).isEmpty();
        assertThat(keysOfSources()).isEmpty();
    }

    private List<String> keysOfSources() {
        return world.store.ask(redis -> redis.zrangebylex(
                world.keyspace.poolRanks("p"),
                Range.from(Range.Boundary.including("s"), Range.Boundary.excluding("t"))));
    }

    private List<String> commands(String kind) {
        List<String> all = world.store.ask(redis -> redis.zrange(world.keys.commands(), 0, -1));
        return all.stream().filter(command -> command.startsWith(kind + "\t")).toList();
    }

    /** The call alone: nothing runs what it leaves. */
    private void boost(String... boosts) {
        List<String> arguments = new ArrayList<>(List.of("", "me", ""));
        arguments.addAll(List.of(boosts));
        world.store.run(
                TaskScripts.BOOST,
                TaskScripts.BOOST.keys(TaskScriptKeys.of(world.keyspace, "")::key, world.keys.queue("p")),
                arguments.toArray(String[]::new));
    }

    private void boost(String tag, int by) {
        boost(tag, Integer.toString(by));
    }

    /** A tag costs what it moves, classes or sources: or a script would write thousands of commands at once. */
    @Test
    void aBoostOfManyTagsLeavesFewCommandsAtATime() {
        List<String> tags = IntStream.range(0, 8).mapToObj(i -> "t" + i).toList();
        List<String> uids = IntStream.range(0, 30).mapToObj(i -> "s" + i).toList();
        for (String uid : uids) {
            open(uid, 0);
            places.place("p", uid, new Rank(0, tags, Optional.empty()));
        }
        boost(tags.stream().flatMap(tag -> Stream.of(tag, "1")).toArray(String[]::new));
        assertThat(commands("place")).hasSizeLessThan(64);
        assertThat(commands("replace")).as("tags that follow").hasSize(6);
        for (int i = 0; i < 20; i++) {
            world.tick();
        }
        assertThat(uids).allSatisfy(uid -> assertThat(priority(uid)).isEqualTo("8"));
    }

    /** A call that cannot read the source leaves its command. */
    @Test
    void aCommandIsTakenByTheCallThatPlaces() {
        open("a", 0);
        places.place("p", "a", new Rank(0, List.of("view"), Optional.empty()));
        String set = world.keyspace.prefix() + "taskset:a";
        world.store.ask(redis -> redis.hset(set, "rank", "x".repeat(5000)));
        boosts.replace("p", "me", Map.of("view", 5), FOR_GOOD);
        world.tick();
        assertThat(commands("place")).as("a hash that is too large is not read").hasSize(1);
        world.store.ask(redis -> redis.hset(set, "rank", "0\u001fview\u001f"));
        tickUntil(() -> assertThat(priority("a")).isEqualTo("5"));
        assertThat(commands("place")).isEmpty();
    }

    /** Those behind the first 32 follow by commands, as classes do. */
    @Test
    void manySetsFollow() {
        List<String> uids = IntStream.range(0, 80).mapToObj(i -> "s" + i).toList();
        for (String uid : uids) {
            open(uid, 0);
            places.place("p", uid, new Rank(0, List.of("view"), Optional.empty()));
        }
        boosts.replace("p", "me", Map.of("view", 5), FOR_GOOD);
        for (int i = 0; i < 20; i++) {
            world.tick();
        }
        assertThat(uids).allSatisfy(uid -> assertThat(priority(uid)).isEqualTo("5"));
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
    void chunksHaveThePlaceOfTheirNode() {
        open("a", 3);
        world.begin("t", chunks(new Rank(4, List.of("view"), Optional.empty())));
        tickUntil(() -> assertThat(order()).containsExactly("chunks:t.1", "a"));
        boosts.replace("p", "me", Map.of("view", -3), FOR_GOOD);
        assertThat(order()).containsExactly("a", "chunks:t.1");
        assertThat(world.trees.rank(TaskTree.of("t", chunks(new Rank(9, List.of("view"), Optional.empty())))))
                .isTrue();
        assertThat(order()).containsExactly("chunks:t.1", "a");
        while (!world.trees.drop("t", 10)) {
            world.tick();
        }
        tickUntil(() -> assertThat(order()).containsExactly("a"));
        boosts.replace("p", "me", Map.of(), FOR_GOOD);
        tickUntil(() -> assertThat(rows()).isZero());
    }

    /** The call that gives them other tags leaves a command, and the tree goes before anybody runs it. */
    @Test
    void chunksWhoseTagsChangeBeforeTheyGoLeaveNothing() {
        world.begin("t", chunks(new Rank(4, List.of("view"), Optional.empty())));
        tickUntil(() -> assertThat(keysOfSources()).hasSize(1));
        world.store.run(
                TaskScripts.RANK,
                TaskScripts.RANK.keys(TaskScriptKeys.of(world.keyspace, "")::key, world.keys.queue("p")),
                "",
                "t",
                "t.1",
                "4\u001fother\u001f",
                "");
        assertThat(commands("place")).hasSize(1);
        while (!world.trees.drop("t", 10)) {
            world.tick();
        }
        tickUntil(() -> assertThat(commands("remove")).isEmpty());
        assertThat(commands("place")).isEmpty();
        assertThat(keysOfSources()).isEmpty();
    }

    private void tickUntil(Runnable holds) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            world.tick();
            holds.run();
        });
    }

    @Test
    void aCommandThatATenantWroteTouchesNothingElse() {
        open("a", 0);
        String set = world.keyspace.prefix() + "taskset:a";
        List<String> bad = new ArrayList<>(
                List.of("place\ta\tmeta \tp\t0", "place\ta\ttaskset:a/b view\tp\t0", "place\ta b\ttaskset:a \tp\t0"));
        bad.add("place\ta\ttaskset:nobody view\tp\t0");
        bad.add("place\ta\ttask:nodes view\tp\t0");
        bad.forEach(command -> world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, command)));
        world.store.ask(redis -> redis.hset(set, "rank", "x".repeat(5000)));
        world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, "place\ta\ttaskset:a view\tp\t0"));
        for (int i = 0; i < 5; i++) {
            world.tick();
        }
        assertThat(priority("a")).isEqualTo("0");
        assertThat(order()).containsExactly("a");
        String ofMeta = world.store.ask(redis -> redis.hget(world.keyspace.prefix() + "meta", "priority"));
        assertThat(ofMeta).isNull();
    }

    @Test
    void aFormerLeaderPlacesNothing() {
        open("a", 0);
        new Lifecycle(world.store).health(world.keyspace, 2).observe(Optional.empty());
        assertThatThrownBy(() -> places.place("p", "a", new Rank(5, List.of(), Optional.empty())))
                .isInstanceOf(StaleLeaderException.class);
        assertThat(priority("a")).isEqualTo("0");
    }
}
