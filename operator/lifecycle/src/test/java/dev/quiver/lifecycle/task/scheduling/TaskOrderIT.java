package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.worker.Claim;

/** Which task of a pool goes first: priorities, tags and their boosts, age, turns of keys, and what a chain lends. */
class TaskOrderIT {

    private static final Optional<Duration> FOR_GOOD = Optional.empty();

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private Boosts boosts;
    private PoolOrder order;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        boosts = new Boosts(world.store, world.keyspace);
        order = new Lifecycle(world.store).order(world.keyspace, 1);
        worker = world.worker("p", "h");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static Rank rank(int priority, String... tags) {
        return new Rank(priority, List.of(tags), Optional.empty());
    }

    private static Rank key(String key) {
        return new Rank(0, List.of(), Optional.of(key));
    }

    private static TreeNode leaf(String name, Rank rank) {
        return new TreeNode.Leaf("p", Optional.of("h"), 1, 1, rank, World.body(name, "h"));
    }

    private void make(String id, Rank rank) {
        world.begin(id, leaf(id, rank));
    }

    private List<String> claim(int wanted) {
        List<Claim> claims = worker.step(List.of(), wanted).claims();
        return claims.stream().map(claim -> claim.task().name()).toList();
    }

    private void arrange(int ageing, Optional<Map<String, Integer>> weights) {
        order.arrange("p", new PoolOrder.Wishes(Map.of(), ageing, weights));
    }

    @Test
    void higherPrioritiesGoFirstAndEqualsInOrderOfArrival() {
        make("plain", Rank.NONE);
        make("low", rank(-5));
        make("high", rank(5));
        make("later", Rank.NONE);
        make("high-too", rank(5));
        make("zero", rank(0, "nothing"));
        assertThat(claim(10)).containsExactly("high", "high-too", "plain", "later", "zero", "low");
    }

    @Test
    void aBoostMovesWhatWaitsAtOnce() {
        make("plain", Rank.NONE);
        make("seen", rank(0, "view:1"));
        make("both", rank(0, "view:1", "view:2"));
        boosts.replace("p", "front-end", Map.of("view:1", 10, "view:2", 1), FOR_GOOD);
        boosts.replace("p", "other", Map.of("view:1", -30), FOR_GOOD);
        assertThat(claim(1)).as("the sum over owners").containsExactly("plain");
        boosts.replace("p", "other", Map.of(), FOR_GOOD);
        assertThat(claim(3)).containsExactly("both", "seen");
    }

    @Test
    void aBoostWithALeaseEndsWithItsOwner() {
        make("plain", Rank.NONE);
        make("seen", rank(0, "view"));
        boosts.replace("p", "front-end", Map.of("view", 10), Optional.of(Duration.ofMillis(300)));
        boosts.replace("p", "front-end", Map.of("view", 10), Optional.of(Duration.ofMillis(500)));
        assertThat(priority()).isEqualTo("10");
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
            world.tick();
            return priority().equals("0");
        });
        assertThat(claim(2)).containsExactly("plain", "seen");
        long left = world.store.ask(redis -> redis.exists(classes(), ranks()));
        assertThat(left).as("keys").isZero();
    }

    private String priority() {
        return Optional.ofNullable(world.store.ask(redis -> redis.hget(world.keys.hash("p"), "priority")))
                .orElse("0");
    }

    private String ranks() {
        return world.keys.queue("p").get(6);
    }

    private String classes() {
        return world.keys.queue("p").get(7);
    }

    /** 32 classes move in the call of the boost, the others by commands; each claim finds the best of those that moved. */
    @Test
    void aBoostOfManyClassesFollowsByCommands() {
        IntStream.range(0, 200).forEach(i -> make("t" + i, rank(0, "all", "own" + i)));
        make("plain", Rank.NONE);
        boosts.replace("p", "me", Map.of("all", 7), FOR_GOOD);
        assertThat(priority()).isEqualTo("7");
        long commands = world.store.ask(redis -> redis.zcard(world.keys.commands()));
        assertThat(commands).as("commands that are left").isZero();
        List<String> claimed = new ArrayList<>();
        for (int i = 0; i < 50 && claimed.size() < 200; i++) {
            List<String> some = claim(Math.min(64, 200 - claimed.size()));
            assertThat(some).as("at most 32 classes a step").hasSizeLessThanOrEqualTo(32);
            claimed.addAll(some);
        }
        assertThat(claimed)
                .isEqualTo(IntStream.range(0, 200).mapToObj(i -> "t" + i).toList());
        assertThat(claim(1)).containsExactly("plain");
    }

    @Test
    void classesOfHandlersThatNobodyHereServesArePassedOver() {
        for (int i = 0; i < 40; i++) {
            world.begin(
                    "o" + i,
                    new TreeNode.Leaf(
                            "p", Optional.of("other"), 1, 1, rank(9, "own" + i), World.body("o" + i, "other")));
        }
        make("mine", rank(-3));
        make("plain", Rank.NONE);
        assertThat(claim(5)).containsExactly("plain", "mine");
        assertThat(worker.step(List.of(), 5).others())
                .as("tasks that it does not serve")
                .isPresent();
        assertThat(world.worker("p", "other").claim()).hasSize(32);
    }

    /** Where others have more classes than a claim looks behind, tasks without a rank go on. */
    @Test
    void classesThatNobodyServesHoldNothingUpHoweverManyTheyAre() {
        for (int i = 0; i < 1100; i++) {
            world.begin(
                    "o" + i,
                    new TreeNode.Leaf(
                            "p", Optional.of("other"), 1, 1, rank(9, "own" + i), World.body("o" + i, "other")));
        }
        make("plain", Rank.NONE);
        assertThat(claim(5)).containsExactly("plain");
    }

    @Test
    void whatComesBackAfterAgeingWasOverStandsWhereItWouldWithoutIt() {
        arrange(10, Optional.empty());
        long now = Long.parseLong(world.store.ask(redis -> redis.time()).getFirst()) * 1000;
        world.store.ask(redis -> redis.hset(world.keys.hash("p"), "ageing", "10 " + (now - 120_500) + " 0"));
        make("old", rank(1));
        arrange(0, Optional.empty());
        assertThat(claim(1)).containsExactly("old");
        assertThat(worker.step(List.of(), 1).claims()).isEmpty();
        String rule = world.store.ask(redis -> redis.hget(world.keys.hash("p"), "ageing"));
        assertThat(rule).as("nothing waits").isNull();
        worker.die();
        worker = world.worker("p", "h");
        make("new", Rank.NONE);
        assertThat(claim(2)).containsExactly("old", "new");
    }

    @Test
    void aKeyThatComesAnewTakesTurnsWithOthersWhateverTheirTags() {
        arrange(0, Optional.of(Map.of()));
        IntStream.range(0, 20).forEach(i -> make("a" + i, new Rank(0, List.of("ta"), Optional.of("a"))));
        assertThat(claim(10)).hasSize(10);
        IntStream.range(0, 20).forEach(i -> make("b" + i, new Rank(0, List.of("tb"), Optional.of("b"))));
        List<String> next = claim(10);
        assertThat(next).filteredOn(name -> name.startsWith("a")).as("%s", next).hasSizeBetween(4, 6);
    }

    @Test
    void whatWaitsLongerAgesAboveWhatComesLater() {
        arrange(10, Optional.empty());
        make("old", rank(-15));
        long now = Long.parseLong(world.store.ask(redis -> redis.time()).getFirst()) * 1000;
        // The rule has been there for two minutes, so what comes now stands 20 behind what came at its beginning.
        world.store.ask(redis -> redis.hset(world.keys.hash("p"), "ageing", "10 " + (now - 120_500) + " 0"));
        make("new", Rank.NONE);
        make("newer", rank(6));
        assertThat(priority()).as("of the first one, which is new").isEqualTo("6");
        assertThat(claim(3)).containsExactly("newer", "old", "new");
    }

    @Test
    void whatIsLentAgesAsWell() {
        arrange(10, Optional.empty());
        long now = Long.parseLong(world.store.ask(redis -> redis.time()).getFirst()) * 1000;
        world.store.ask(redis -> redis.hset(world.keys.hash("p"), "ageing", "10 " + (now - 30_000) + " 0"));
        make("old", rank(-15));
        world.store.ask(redis -> redis.hset(world.keys.hash("p"), "ageing", "10 " + (now - 120_500) + " 0"));
        world.begin("lent", World.chain(leaf("first", rank(-50)), leaf("second", rank(2))));
        world.begin("more", World.chain(leaf("more", rank(-50)), leaf("most", rank(6))));
        assertThat(claim(3)).containsExactly("more", "old", "first");
    }

    /** A map-reduce without map and reduce is its chunks alone. */
    @Test
    void chunksLendWhatTheyHave() {
        ChunkWork work =
                new ChunkWork(Optional.empty(), 1, 2, false, 1 << 20, true, Optional.empty(), Optional.empty(), 0);
        make("other", rank(4));
        world.begin(
                "t",
                World.chain(
                        leaf("list", Rank.NONE),
                        new TreeNode.Chunks(
                                "p", Optional.of("h"), 1, work, Optional.empty(), rank(5), World.body("chunks", "h"))));
        assertThat(claim(2)).containsExactly("list", "other");
    }

    @Test
    void anotherRuleOfAgeingBeginsWhereTheFormerEnded() {
        long now = Long.parseLong(world.store.ask(redis -> redis.time()).getFirst()) * 1000;
        world.store.ask(redis -> redis.hset(world.keys.hash("p"), "ageing", "10 " + (now - 120_500) + " 5000"));
        arrange(0, Optional.empty());
        String rule = world.store.ask(redis -> redis.hget(world.keys.hash("p"), "ageing"));
        assertThat(rule).startsWith("0 ").endsWith(" 25000");
    }

    @Test
    void keysTakeTurnsByTheirWeights() {
        arrange(0, Optional.of(Map.of("double", 2)));
        IntStream.range(0, 60).forEach(i -> make("a" + i, key("a")));
        IntStream.range(0, 20).forEach(i -> make("d" + i, key("double")));
        IntStream.range(0, 20).forEach(i -> make("n" + i, Rank.NONE));
        Map<String, Integer> first = new HashMap<>();
        claim(40).forEach(name -> first.merge(name.substring(0, 1), 1, Integer::sum));
        assertThat(first.get("a")).isBetween(9, 11);
        assertThat(first.get("d")).isBetween(19, 20);
        assertThat(first.get("n")).isBetween(9, 11);
        make("late", key("new"));
        assertThat(claim(3))
                .as("a key that comes anew is served in the next round")
                .contains("late");
    }

    @Test
    void turnsEndAndTheOrderOfArrivalGoesOn() {
        arrange(0, Optional.of(Map.of()));
        IntStream.range(0, 5).forEach(i -> make("a" + i, key("a")));
        make("b", key("b"));
        arrange(0, Optional.empty());
        make("last", key("b"));
        assertThat(claim(10)).containsExactly("a0", "a1", "b", "a2", "a3", "a4", "last");
        long turns = world.store.ask(redis -> redis.exists(world.keys.queue("p").get(8)));
        assertThat(turns).isZero();
    }

    @Test
    void whatWaitsForATaskLendsItItsPriority() {
        make("plain", Rank.NONE);
        world.begin("chain", World.chain(leaf("first", Rank.NONE), leaf("second", rank(3, "view"))));
        assertThat(claim(1)).containsExactly("first");
        world.work(worker, _ -> Optional.of("1"));
        world.begin("chain2", World.chain(leaf("x", rank(-9)), leaf("y", rank(0, "view"))));
        make("other", rank(1));
        boosts.replace("p", "me", Map.of("view", 5), FOR_GOOD);
        assertThat(claim(2))
                .as("the boost of the later one reaches the first one")
                .containsExactly("x", "other");
    }

    @Test
    void cancelledTasksLeaveNothingBehind() {
        make("a", rank(1, "x"));
        make("b", rank(1, "x"));
        make("c", rank(2, "y"));
        for (String id : List.of("c", "a", "b")) {
            assertThat(world.trees.change(id, Trees.Change.CANCEL)).isTrue();
        }
        assertThat(claim(5)).isEmpty();
        long left = world.store.ask(redis -> redis.exists(classes(), ranks()));
        assertThat(left).as("keys").isZero();
    }

    @Test
    void aRankStaysWithItsTaskThroughRetriesAndLosses() {
        make("a", rank(4, "x"));
        make("plain", Rank.NONE);
        Claim held = worker.step(List.of(), 1).claims().getFirst();
        assertThat(held.task().name()).isEqualTo("a");
        worker.die();
        worker = world.worker("p", "h");
        assertThat(claim(1)).containsExactly("a");
        NodeRecord record = NodeRecord.parse(world.store.ask(redis -> redis.hget(world.keys.nodes(), "a")));
        assertThat(record.fields().get(14)).isEqualTo("4\u001fx\u001f");
    }

    @Test
    void thePoolsTasksStandAmongItsSourcesByTheirFirst() {
        make("plain", Rank.NONE);
        double plain = place();
        make("high", rank(7));
        assertThat(plain - place()).as("seven bands higher").isEqualTo(7.0 * (1L << 35));
        assertThat(claim(1)).containsExactly("high");
        assertThat(priority()).isEqualTo("0");
    }

    private double place() {
        return world.store.ask(redis -> redis.zscore(world.keyspace.poolReady("p"), TaskQueues.source("p")));
    }

    @Test
    void boostsHaveBounds() {
        Map<String, Integer> many = new HashMap<>();
        IntStream.range(0, 257).forEach(i -> many.put("t" + i, 1));
        assertThatThrownBy(() -> boosts.replace("p", "me", many, FOR_GOOD))
                .hasMessage("the number of boosts is 257, 0 to 256 are allowed");
        assertThatThrownBy(() -> boosts.replace("p", "me", Map.of("a b", 1), FOR_GOOD))
                .hasMessageContaining("boosts has \"a b\"");
        assertThatThrownBy(() -> boosts.replace("p", "me", Map.of("a", 10_000_001), FOR_GOOD))
                .hasMessageContaining("boost of tag \"a\" is 10000001");
        assertThatThrownBy(() -> boosts.replace("p", "spec", Map.of("a", 1), FOR_GOOD))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the owner is spec");
        many.remove("t256");
        for (int i = 0; i < 39; i++) {
            boosts.replace("p", "owner" + i, many, FOR_GOOD);
        }
        assertThatThrownBy(() -> boosts.replace("p", "one-more", many, FOR_GOOD))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("pool p has 9984 boosts of other owners, and 10000 at most");
        boosts.replace("p", "owner7", many, FOR_GOOD);
    }

    @Test
    void aPoolThatGoesLeavesNoOrderBehind() {
        order.arrange("p", new PoolOrder.Wishes(Map.of("view", 3), 7, Optional.of(Map.of("acme", 2))));
        Map<String, Integer> many = new HashMap<>();
        IntStream.range(0, 256).forEach(i -> many.put("t" + i, 1));
        boosts.replace("p", "me", many, Optional.of(Duration.ofHours(1)));
        boosts.replace("p", "you", many, FOR_GOOD);
        make("seen", new Rank(0, List.of("view"), Optional.of("acme")));
        order.forget("p");
        assertThat(priority()).isEqualTo("0");
        assertThat(claim(1)).containsExactly("seen");
        List<String> keys = world.keys.queue("p").subList(6, 9);
        long left = world.store.ask(redis -> redis.exists(keys.toArray(String[]::new)));
        assertThat(left).as("keys").isZero();
    }

    @Test
    void aFormerLeaderArrangesNothing() {
        new Lifecycle(world.store).health(world.keyspace, 2).observe(Optional.empty());
        assertThatThrownBy(() -> arrange(5, Optional.empty())).isInstanceOf(StaleLeaderException.class);
    }
}
