package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.ScoredValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;

/** The order of a pool's Tasks where its bounds are reached, and where names happen to look alike. */
class OrderBoundsIT {

    private static final int MOST_KEYS = 10_000;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private PoolOrder order;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        order = new Lifecycle(world.store).order(world.keyspace, 1);
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void make(String id, String handler, Rank rank) {
        world.begin(id, new TreeNode.Leaf("p", Optional.of(handler), 5, 1, rank, World.body(id, handler)));
    }

    private static Rank key(String key) {
        return new Rank(0, List.of(), Optional.of(key));
    }

    private void takeTurns() {
        order.arrange("p", new PoolOrder.Wishes(Map.of(), 0, Optional.of(Map.of())));
    }

    /** A turn is a number in the queue: one that began anew would go before all that come back. */
    @Test
    void turnsGoOnAboveThoseThatWereGivenOnceNothingWaits() {
        takeTurns();
        World.Worker worker = world.worker("p", "h");
        IntStream.range(0, 5).forEach(i -> make("a" + i, "h", key("a")));
        List<Claim> claims = worker.step(List.of(), 5).claims();
        assertThat(claims).hasSize(5);
        long turns = world.store.ask(redis -> redis.exists(world.keys.queue("p").get(8)));
        assertThat(turns).as("turns while nothing waits").isZero();
        make("b", "h", key("b"));
        worker.step(List.of(new Settlement.Returned(claims.getLast(), Optional.empty(), Duration.ZERO)), 0);
        assertThat(worker.step(List.of(), 2).claims().stream()
                        .map(claim -> claim.task().name()))
                .containsExactly("a4", "b");
    }

    @Test
    void theLastTurnsOfTenThousandKeysAreKept() {
        takeTurns();
        String turns = world.keys.queue("p").get(8);
        make("first", "h", key("first"));
        ScoredValue<String>[] many = scored(MOST_KEYS + 500);
        world.store.ask(redis -> redis.zadd(turns, many));
        make("next", "h", key("next"));
        long kept = world.store.ask(redis -> redis.zcard(turns));
        assertThat(kept).isEqualTo(MOST_KEYS + 1);
        Double oldest = world.store.ask(redis -> redis.zscore(turns, "k0"));
        assertThat(oldest).as("the lowest turn").isNull();
    }

    @SuppressWarnings("unchecked")
    private static ScoredValue<String>[] scored(int keys) {
        return IntStream.range(0, keys)
                .mapToObj(i -> ScoredValue.just(2000 + i, "k" + i))
                .toArray(ScoredValue[]::new);
    }

    /** A class is known to a claim by six digits of its handler's digest. */
    @Test
    void aHandlerWhoseDigestLooksLikeAnothersGetsNoneOfItsTasks() throws NoSuchAlgorithmException {
        List<String> alike = alike();
        make("other", alike.get(1), new Rank(9, List.of(), Optional.empty()));
        make("mine", alike.get(0), new Rank(1, List.of(), Optional.empty()));
        make("plain", alike.get(0), Rank.NONE);
        assertThat(world.worker("p", alike.get(0)).claimNames()).containsExactly("mine", "plain");
        assertThat(world.worker("p", alike.get(1)).claimNames()).containsExactly("other");
    }

    private static List<String> alike() throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("SHA-1");
        Map<String, String> seen = new HashMap<>();
        for (int i = 0; ; i++) {
            String name = "h" + i;
            String digits = HexFormat.of()
                    .formatHex(digest.digest(name.getBytes(StandardCharsets.UTF_8)))
                    .substring(0, 6);
            String earlier = seen.put(digits, name);
            if (earlier != null) {
                return List.of(earlier, name);
            }
        }
    }

    /** More classes than a claim passes over, of a handler that no worker serves. */
    @Test
    void ranksBehindManyOfAHandlerThatNoneServesAreFound() {
        IntStream.range(0, 1200)
                .forEach(i -> make("o" + i, "other", new Rank(900, List.of("t" + i), Optional.empty())));
        make("plain", "h", Rank.NONE);
        make("low", "h", new Rank(-1, List.of(), Optional.empty()));
        IntStream.range(0, 200).forEach(i -> make("a" + i, "h", new Rank(i + 1, List.of("t" + i), Optional.empty())));
        World.Worker worker = world.worker("p", "h");
        List<String> claimed = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            worker.step(List.of(), 20)
                    .claims()
                    .forEach(claim -> claimed.add(claim.task().name()));
        }
        assertThat(claimed).hasSize(202).doesNotHaveDuplicates().endsWith("plain", "low");
        assertThat(claimed.subList(160, 202))
                .as("the last ones, when few are left to be found")
                .containsExactlyElementsOf(Stream.concat(
                                claimed.subList(160, 200).stream()
                                        .sorted(Comparator.comparing(name -> -Integer.parseInt(name.substring(1)))),
                                Stream.of("plain", "low"))
                        .toList());
        assertThat(world.worker("p", "other").step(List.of(), 20).claims())
                .as("the others stand as before")
                .hasSize(20);
    }

    /** Each handler has a share of what is looked for behind them, and the first one has more classes than its share. */
    @Test
    void plainTasksStayBehindRanksThatAClaimDidNotFind() {
        IntStream.range(0, 1200)
                .forEach(i -> make("o" + i, "other", new Rank(900, List.of("t" + i), Optional.empty())));
        IntStream.range(0, 50).forEach(i -> make("a" + i, "h1", new Rank(5, List.of("t" + i), Optional.empty())));
        IntStream.range(0, 50).forEach(i -> make("plain" + i, "h1", Rank.NONE));
        World.Worker worker = world.worker(
                "p", IntStream.rangeClosed(1, 40).mapToObj(i -> "h" + i).toArray(String[]::new));
        List<String> claimed = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            worker.step(List.of(), 64)
                    .claims()
                    .forEach(claim -> claimed.add(claim.task().name()));
        }
        assertThat(claimed).hasSize(100).doesNotHaveDuplicates();
        assertThat(claimed.subList(0, 50)).allMatch(name -> name.startsWith("a"));
    }

    @Test
    void programsThatBoostAllTheyMayLeaveThePoolItsOwn() {
        Boosts boosts = new Boosts(world.store, world.keyspace);
        Map<String, Integer> many = new HashMap<>();
        IntStream.range(0, Boosts.MOST_TAGS).forEach(i -> many.put("t" + i, 1));
        for (int i = 0; i < 39; i++) {
            boosts.replace("p", "owner" + i, many, Optional.empty());
        }
        Map<String, Integer> rest = new HashMap<>();
        IntStream.range(0, 16).forEach(i -> rest.put("t" + i, 1));
        boosts.replace("p", "owner39", rest, Optional.empty());
        assertThatThrownBy(() -> boosts.replace("p", "more", Map.of("t", 1), Optional.empty()))
                .isInstanceOf(StoreRefusedException.class);
        order.arrange("p", new PoolOrder.Wishes(many, 0, Optional.empty()));
        make("plain", "h", Rank.NONE);
        make("seen", "h", new Rank(0, List.of("t100"), Optional.empty()));
        assertThat(world.worker("p", "h").claimNames()).containsExactly("seen", "plain");
        String sum = world.store.ask(redis -> redis.hget(world.keys.queue("p").get(7), "+t100"));
        assertThat(sum).as("39 owners and the pool").isEqualTo("40");
    }
}
