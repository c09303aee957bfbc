package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;

/** Many resources, many classes, and what a tenant writes: what is open runs, nothing is left behind, no number drifts. */
class ResourceBoundsIT {

    private static final Optional<Duration> FOR_GOOD = Optional.empty();
    private static final String ME = "me";
    private static final String LONG = "x".repeat(115);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private Resources resources;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        resources = new Resources(world.store, world.keyspace);
        worker = world.worker("p", "h");
        declare(Map.of("online", true, "tenant!*", true), Map.of());
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void declare(Map<String, Boolean> names, Map<String, List<String>> aliases) {
        new Lifecycle(world.store)
                .order(world.keyspace, 1)
                .arrange("p", new PoolOrder.Wishes(Map.of(), 0, Optional.empty(), Declarations.of(names), aliases));
    }

    private static TreeNode leaf(String name, String handler, Rank rank) {
        return new TreeNode.Leaf("p", Optional.of(handler), 2, 1, rank, World.body(name, handler));
    }

    private static Rank needs(String... names) {
        return new Rank(0, List.of(), Optional.empty(), List.of(names));
    }

    private void make(String id, String... names) {
        world.begin(id, leaf(id, "h", needs(names)));
    }

    private List<String> claim(int wanted) {
        return worker.step(List.of(), wanted).claims().stream()
                .map(claim -> claim.task().name())
                .toList();
    }

    private Resources.State state(String name) {
        return resources.read("p", Resources.MOST_READ).resources().stream()
                .filter(state -> state.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private long blocked() {
        return resources.read("p", 0).blocked();
    }

    private String queue() {
        return world.keys.queue("p").getFirst();
    }

    private void write(String field, String value) {
        world.store.ask(redis -> redis.hset(world.keys.queue("p").get(7), field, value));
    }

    /** Far more than a claim looks at: it finds the open one at once, and no plain task goes before it. */
    @Test
    void aClaimFindsAnOpenTaskBehindManyBlockedClasses() {
        for (int i = 0; i < 1100; i++) {
            world.begin("x" + i, leaf("x", "other", new Rank(9, List.of("own" + i), Optional.empty())));
        }
        resources.close("p", ME, "tenant!*", FOR_GOOD);
        IntStream.range(0, 300).forEach(i -> make("t" + i, "tenant!" + i));
        make("open", "online");
        make("plain");
        assertThat(claim(1)).containsExactly("open");
        assertThat(claim(1)).containsExactly("plain");
    }

    @Test
    void namesThatTasksOnlyWaitForTakeNoPlaceOfThoseThatAreClosed() {
        make("a", "one!1");
        make("b", "two!1", "one!1");
        IntStream.range(0, 5).forEach(i -> make("c" + i, "three!1"));
        Resources.Known known = resources.read("p", 1);
        assertThat(known.known()).as("declared ones").isEqualTo(2);
        assertThat(known.resources()).extracting(Resources.State::name).containsExactly("three!1");
        IntStream.range(0, 5).forEach(i -> world.trees.drop("c" + i, 0));
        world.tick();
        assertThat(resources.read("p", Resources.MOST_READ).resources())
                .extracting(Resources.State::name)
                .containsExactlyInAnyOrder("one!1", "two!1", "online", "tenant!*");
    }

    /** A program may write it by hand, and it ends up in a status, whose fields have bounds. */
    @Test
    void whatATenantWroteOfAResourceIsBounded() {
        write("!online", "o".repeat(300) + "\u001f999999999999999\u001f");
        assertThat(state("online"))
                .returns(true, Resources.State::missing)
                .returns(Optional.empty(), Resources.State::closedBy);
        write("!online", "me\u001f999999999999999\u001f");
        assertThat(state("online").since())
                .hasValueSatisfying(since -> assertThat(since)
                        .isBefore(Instant.parse("9999-12-31T23:59:59Z").plusMillis(1000)));
        assertThat(resources.open("p", ME, "online")).isTrue();
    }

    @Test
    void aCountThatIsWrongIsRightWhenNothingWaitsAnyMore() {
        make("first", "online");
        world.store.ask(redis -> redis.hset(queue(), "delayed", "1000"));
        assertThat(claim(1)).containsExactly("first");
        assertThat(blocked()).isZero();
    }

    @Test
    void aClosingThatIsTakenBackLeavesNoCommand() {
        Optional<Duration> year = Optional.of(Duration.ofDays(365));
        resources.close("p", "a", "online", year);
        resources.close("p", "b", "online", year);
        resources.close("p", "c", "online", year);
        assertThat(commands()).isEqualTo(3);
        resources.open("p", "a", "online");
        resources.close("p", "b", "online", FOR_GOOD);
        assertThat(commands()).isOne();
        resources.openAll("p", ME, "online");
        assertThat(commands()).isZero();
        resources.close("p", "a", "online", year);
        new Lifecycle(world.store).order(world.keyspace, 1).forget("p");
        assertThat(commands()).isZero();
    }

    private long commands() {
        return world.store.ask(redis -> redis.zcard(world.keys.commands()));
    }

    /** Two functions come upon the same resource, and the one that names the later end is right. */
    @Test
    void aShorterClosingOfATaskTakesNothingFromALongerOne() {
        make("long", "online");
        make("short", "online");
        List<Claim> claims = worker.step(List.of(), 2).claims();
        worker.step(List.of(stopped(claims.getFirst(), Duration.ofHours(1))), 0);
        worker.step(List.of(stopped(claims.getLast(), Duration.ofMillis(1))), 0);
        world.tick();
        assertThat(claim(2)).isEmpty();
        assertThat(blocked()).isEqualTo(2);
    }

    private static Settlement stopped(Claim claim, Duration time) {
        return new Settlement.Returned(claim, Optional.empty(), time, Optional.of("online"));
    }

    /** The program that closed it died before the classes followed. */
    @Test
    void aTaskWhoseClassDoesNotYetStandBehindTheGateIsNotGivenOut() {
        IntStream.range(0, 40).forEach(i -> make("t" + i, "online", "tenant!" + i));
        write("=online", "x 1 o");
        make("open", "tenant!open");
        assertThat(claim(5)).containsExactly("open");
        assertThat(blocked()).isEqualTo(40);
        assertThat(state("online").waiting()).isEqualTo(40);
        assertThat(resources.openAll("p", ME, "online")).isTrue();
        assertThat(claim(64)).hasSize(32);
    }

    /** Its record would have no room for them: so it waits for the short name, and is not lost. */
    @Test
    void anAliasThatIsTooLongForATasksRecordStays() {
        List<String> many = IntStream.range(0, 8).mapToObj(i -> LONG + i).toList();
        declare(Map.of("online", true), Map.of("all", many));
        List<String> tags =
                IntStream.range(0, 8).mapToObj(i -> "tag" + i + LONG).toList();
        Rank rank = new Rank(1, tags, Optional.empty(), List.of("all"));
        List<String> others =
                IntStream.range(0, 8).mapToObj(i -> "lent" + i + LONG).toList();
        world.begin(
                "chain",
                World.chain(
                        leaf("first", "h", rank),
                        leaf("next", "h", new Rank(2, others, Optional.empty())),
                        leaf("last", "h", new Rank(3, others.subList(0, 4), Optional.empty()))));
        assertThat(state("all").waiting()).isOne();
        declare(Map.of("all", true), Map.of());
        assertThat(claim(1)).containsExactly("first");
    }

    @Test
    void anAliasThatATenantWroteIsBounded() {
        write("aonline!*", "*".repeat(2_000_000));
        write("aonline", "a\u001e".repeat(500_000));
        make("pattern", "online!" + LONG);
        make("name", "online");
        assertThat(claim(5)).containsExactly("name");
        assertThat(state("online!" + LONG).waiting()).isOne();
    }

    /** It is one name further only once, whatever its rank was before it was queued. */
    @Test
    void anAliasIsFollowedOnce() {
        declare(Map.of("c", true), Map.of("a", List.of("b"), "b", List.of("c")));
        world.begin("chain", World.chain(leaf("first", "h", Rank.NONE), leaf("next", "h", needs("x"))));
        world.trees.rank(
                TaskTree.of("chain", World.chain(leaf("first", "h", Rank.NONE), leaf("next", "h", needs("a")))));
        Claim first = worker.step(List.of(), 1).claims().getFirst();
        assertThat(worker.step(List.of(World.passed(first, "1")), 1).claims()).isEmpty();
        assertThat(state("b").waiting()).isOne();
    }

    /** A worker that found nothing of its own passes a wake on when the number is another than it saw. */
    @Test
    void whatOpensIsNewsForWorkersThatFoundNothing() {
        make("gated", "online");
        resources.close("p", ME, "online", FOR_GOOD);
        String before = world.store.ask(redis -> redis.hget(queue(), "seq"));
        resources.open("p", ME, "online");
        String after = world.store.ask(redis -> redis.hget(queue(), "seq"));
        assertThat(after).isNotEqualTo(before);
    }
}
