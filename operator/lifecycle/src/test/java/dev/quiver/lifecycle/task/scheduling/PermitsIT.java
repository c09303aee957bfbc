package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import io.lettuce.core.Range;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.Permits;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceLoad;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.Takeover;

/** Only as many tasks run with a resource as it has permits, whatever becomes of those that hold one. */
class PermitsIT {

    private static final String ME = "me";

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
        declare(Map.of("db", Declarations.permits(2), "tenant!*", Declarations.permits(1)));
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void declare(Map<String, PoolOrder.Declared> names) {
        new Lifecycle(world.store)
                .order(world.keyspace, 1)
                .arrange("p", new PoolOrder.Wishes(Map.of(), 0, Optional.empty(), names, Map.of()));
    }

    /** One whose name has a hyphen shares a class with those of the same beginning. */
    private static TreeNode leaf(String name, String handler, int priority, String... names) {
        Rank rank = new Rank(priority, List.of(name.split("-")[0]), Optional.empty(), List.of(names));
        return new TreeNode.Leaf("p", Optional.of(handler), 3, 1, rank, World.body(name, handler));
    }

    private void make(String id, String... names) {
        make(id, 0, names);
    }

    private void make(String id, int priority, String... names) {
        world.begin(id, leaf(id, "h", priority, names));
    }

    private List<String> claim(int wanted) {
        return names(worker.step(List.of(), wanted).claims());
    }

    private static List<String> names(List<Claim> claims) {
        return claims.stream().map(claim -> claim.task().name()).toList();
    }

    private List<String> pass(Claim claim, int wanted) {
        return names(worker.step(List.of(World.passed(claim, "1")), wanted).claims());
    }

    private static String tokens(Claim claim) {
        return ((TaskLeaf) claim.task()).tokens();
    }

    private static long token(Claim claim) {
        return Long.parseLong(tokens(claim).replaceAll("\\D+", ""));
    }

    private Resources.State state(String name) {
        return resources.read("p", Resources.MOST_READ).resources().stream()
                .filter(state -> state.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** A store that remembers the highest token would refuse all that come later. */
    @Test
    void tokensGoOnWhereAPoolIsMadeAgain() {
        make("first", "db");
        Claim first = worker.step(List.of(), 1).claims().getFirst();
        pass(first, 0);
        new Lifecycle(world.store).order(world.keyspace, 1).forget("p");
        Awaitility.await().pollDelay(Duration.ofMillis(5)).until(() -> true);
        declare(Map.of("db", Declarations.permits(2)));
        make("second", "db");
        assertThat(token(worker.step(List.of(), 1).claims().getFirst())).isGreaterThan(token(first));
    }

    private long used(String name) {
        return state(name).permits().orElseThrow().used();
    }

    private SourceLoad load() {
        return new Lifecycle(world.store)
                .waiting(world.keyspace)
                .in(Map.of("p", Set.of(TaskQueues.source("p"))))
                .get("p")
                .getFirst();
    }

    private long holders() {
        return world.store.ask(redis -> redis.zlexcount(
                world.keys.queue("p").get(6),
                Range.from(Range.Boundary.including("p"), Range.Boundary.excluding("q"))));
    }

    private void checkThatNothingStays() {
        new Lifecycle(world.store).order(world.keyspace, 1).forget("p");
        long keys = world.store.ask(redis ->
                redis.exists(world.keys.queue("p").get(6), world.keys.queue("p").get(7)));
        assertThat(keys).isZero();
        for (String field : List.of("held", "limited", "delayed")) {
            String left = world.store.ask(redis -> redis.hget(world.keys.hash("p"), field));
            assertThat(left).as(field).isIn(null, "0");
        }
    }

    @Test
    void onlyAsManyRunAsThereArePermits() {
        IntStream.range(0, 5).forEach(i -> make("t-" + i, "db"));
        make("plain");
        List<Claim> claims = worker.step(List.of(), 5).claims();
        assertThat(names(claims)).containsExactly("t-0", "t-1", "plain");
        assertThat(state("db").permits()).contains(new Permits(2, 2, Optional.empty(), List.of("t-0", "t-1")));
        assertThat(state("db")).returns(3L, Resources.State::waiting).returns(false, Resources.State::missing);
        assertThat(pass(claims.getFirst(), 5)).containsExactly("t-2");
        assertThat(used("db")).isEqualTo(2);
        world.work(worker, _ -> Optional.of("1"));
        checkThatNothingStays();
    }

    @Test
    void eachNameOfAPatternHasThatMany() {
        make("a1", "tenant!a");
        make("a2", "tenant!a");
        make("b1", "tenant!b");
        make("b2", "tenant!b", "db");
        assertThat(claim(5)).containsExactly("a1", "b1");
        declare(Map.of("db", Declarations.permits(2), "tenant!*", Declarations.permits(2)));
        assertThat(claim(5)).as("all names of it follow").containsExactly("a2", "b2");
        assertThat(used("tenant!b")).isEqualTo(2);
    }

    @Test
    void eachGrantHasAHigherTokenAndARepeatedCallGivesTheSame() {
        make("first", "tenant!a", "db");
        make("second", "tenant!a");
        StepCall call = worker.source.prepare(worker.request(List.of(), 2));
        Claim first = ((StepCall.Outcome.Done) call.run()).claims().getFirst();
        assertThat(tokens(first)).matches("\\{\"tenant!a\":\\d+,\"db\":\\d+}");
        Claim again = ((StepCall.Outcome.Done) call.run()).claims().getFirst();
        assertThat(tokens(again)).contains("\"tenant!a\":", "\"db\":").hasSameSizeAs(tokens(first));
        assertThat(Set.of(tokens(again).replaceAll("[{}]", "").split(",")))
                .isEqualTo(Set.of(tokens(first).replaceAll("[{}]", "").split(",")));
        long before = Long.parseLong(tokens(first).replaceAll(".*\"tenant!a\":(\\d+).*", "$1"));
        Claim second =
                worker.step(List.of(World.passed(first, "1")), 2).claims().getFirst();
        assertThat(token(second)).isGreaterThan(before);
        make("plain");
        assertThat(tokens(worker.step(List.of(), 1).claims().getFirst())).isEmpty();
    }

    @Test
    void aLostWorkersPermitsComeBackAndItsSettlementIsRefused() {
        make("exclusive", "tenant!a");
        World.Worker frozen = world.worker("p", "h");
        Claim before = frozen.step(List.of(), 1).claims().getFirst();
        assertThat(claim(1)).isEmpty();
        frozen.die();
        Claim after = worker.step(List.of(), 1).claims().getFirst();
        assertThat(after.task().name()).isEqualTo("exclusive");
        assertThat(token(after)).isGreaterThan(token(before));
        assertThat(frozen.source
                        .prepare(frozen.request(List.of(World.passed(before, "1")), 0))
                        .run())
                .isNotInstanceOf(StepCall.Outcome.Done.class);
        assertThat(used("tenant!a")).isOne();
        pass(after, 0);
        checkThatNothingStays();
    }

    @Test
    void aTaskThatHasAnotherSessionOfItsPodHoldsTheSame() {
        make("moves", "tenant!a");
        Claim before = worker.step(List.of(), 1).claims().getFirst();
        World.Worker next = worker.successor();
        List<Claim> orphans = next.session.adopt(next.session.orphans().stream()
                .map(orphan -> Takeover.running(orphan, 5, 9))
                .toList());
        assertThat(orphans)
                .singleElement()
                .satisfies(claim -> assertThat(tokens(claim)).isEqualTo(tokens(before)));
        assertThat(used("tenant!a")).isOne();
        next.step(List.of(World.passed(orphans.getFirst(), "1")), 0);
        checkThatNothingStays();
    }

    @Test
    void permitsComeBackHoweverATaskEnds() {
        make("returned", "db");
        make("failed", "db");
        List<Claim> claims = worker.step(List.of(), 2).claims();
        worker.step(
                List.of(
                        new Settlement.Returned(claims.getFirst(), Optional.empty(), Duration.ofHours(1)),
                        World.failed(claims.getLast())),
                0);
        assertThat(holders()).isZero();
        List<Claim> again = worker.step(List.of(), 2).claims();
        assertThat(names(again)).containsExactly("failed");
        world.trees.change("failed", Trees.Change.CANCEL);
        assertThat(used("db")).as("its worker has not stopped it yet").isOne();
        pass(again.getFirst(), 0);
        make("swept", "db");
        Claim swept = worker.step(List.of(), 1).claims().getFirst();
        world.store.ask(redis -> redis.hdel(world.keys.nodes(), "swept"));
        pass(swept, 0);
        assertThat(holders()).as("of a task without a record").isZero();
        make("reranked", "db");
        Claim reranked = worker.step(List.of(), 1).claims().getFirst();
        world.trees.rank(TaskTree.of("reranked", World.leaf("reranked")));
        pass(reranked, 0);
        assertThat(holders()).as("of one that names it no more").isZero();
    }

    @Test
    void aTaskThatAClaimFindsAndDoesNotHoldTakesNone() {
        TreeNode chain = World.group(leaf("parked", "h", 0, "tenant!a"));
        world.begin("tree", chain);
        world.trees.change("tree", Trees.Change.SUSPEND);
        make("other", "tenant!a");
        Claim other = worker.step(List.of(), 1).claims().getFirst();
        assertThat(other.task().name()).isEqualTo("other");
        assertThat(used("tenant!a")).isOne();
        world.trees.change("tree", Trees.Change.RESUME);
        assertThat(claim(1)).isEmpty();
        assertThat(pass(other, 1)).containsExactly("parked");
        make("void", "db");
        world.store.ask(redis -> redis.hdel(world.keys.nodes(), "void"));
        make("next", "db");
        assertThat(claim(2)).containsExactly("next");
        assertThat(used("db")).isOne();
    }

    /** One that lost its worker twice stands in a line of its own. */
    @Test
    void aTaskThatIsToRunAloneTakesItsPermitWhenItRuns() {
        make("poison", "tenant!a");
        for (int i = 0; i < 2; i++) {
            World.Worker dead = world.worker("p", "h");
            dead.step(List.of(), 1);
            dead.die();
        }
        make("busy");
        Claim busy = worker.step(List.of(), 2).claims().getFirst();
        assertThat(busy.task().name()).isEqualTo("busy");
        assertThat(holders()).isZero();
        make("first", 1, "tenant!a");
        World.Worker another = world.worker("p", "h");
        assertThat(names(another.step(List.of(), 1).claims())).isEqualTo(List.of("poison"));
        assertThat(tokens(another.held.getFirst())).contains("tenant!a");
        assertThat(pass(busy, 1)).as("the permit is taken").isEmpty();
        another.step(List.of(World.passed(another.held.getFirst(), "1")), 0);
        assertThat(claim(1)).containsExactly("first");
    }

    /** With one line for all handlers a permit would wait for ever for a handler that nobody serves. */
    @Test
    void aPermitDoesNotWaitForAHandlerThatNobodyServes() {
        IntStream.range(0, 3).forEach(i -> make("y" + i, "tenant!a"));
        Claim running = worker.step(List.of(), 1).claims().getFirst();
        for (String handler : List.of("idle", "nobody")) { // which stand before and behind h
            for (int i = 0; i < 3; i++) {
                String name = handler + i;
                world.begin(name, leaf(name, handler, 9, "tenant!a"));
            }
        }
        assertThat(claim(1)).isEmpty();
        assertThat(pass(running, 1)).containsExactly("y1");
        assertThat(pass(worker.held.getFirst(), 1)).containsExactly("y2");
    }

    @Test
    void theBestWaiterGetsIt() {
        make("runs", "tenant!a");
        Claim runs = worker.step(List.of(), 1).claims().getFirst();
        IntStream.range(0, 9).forEach(i -> make("t" + i, i, "tenant!a"));
        assertThat(claim(5)).isEmpty();
        assertThat(pass(runs, 0)).isEmpty();
        make("best", 99, "tenant!a");
        assertThat(claim(5)).containsExactly("best");
        Claim best = worker.held.getFirst();
        make("t8-ahead", 9, "tenant!a");
        make("t3-ahead", 10, "tenant!a");
        assertThat(pass(best, 5)).as("of a class that waited behind others").containsExactly("t3-ahead");
        make("t0-ahead", 11, "tenant!a");
        assertThat(pass(worker.held.getFirst(), 0)).isEmpty();
        make("t2-ahead", 12, "tenant!a");
        assertThat(claim(5)).as("while a permit is free").containsExactly("t2-ahead");
    }

    @Test
    void aWaiterThatIsCancelledLoweredOrGatedLetsTheNextOneCome() {
        make("runs", "tenant!a");
        Claim runs = worker.step(List.of(), 1).claims().getFirst();
        make("cancelled", 5, "tenant!a");
        make("lowered", 4, "tenant!a");
        make("gated", 3, "tenant!a", "net");
        make("next", 2, "tenant!a");
        declare(Map.of("net", PoolOrder.Declared.uncounted(true), "tenant!*", Declarations.permits(1)));
        assertThat(claim(5)).isEmpty();
        pass(runs, 0);
        world.trees.change("cancelled", Trees.Change.CANCEL);
        world.trees.rank(TaskTree.of("lowered", leaf("lowered", "h", 1, "tenant!a")));
        resources.close("p", ME, "net", Optional.empty());
        assertThat(claim(5)).containsExactly("next");
    }

    @Test
    void aBoostDecidesWhoGetsAPermitThatIsFree() {
        Boosts boosts = new Boosts(world.store, world.keyspace);
        make("runs", "tenant!a");
        Claim runs = worker.step(List.of(), 1).claims().getFirst();
        make("first", 3, "tenant!a");
        make("second", 2, "tenant!a");
        make("third", 1, "tenant!a");
        assertThat(claim(5)).isEmpty();
        pass(runs, 0);
        boosts.replace("p", ME, Map.of("third", 10), Optional.empty());
        assertThat(claim(5)).as("boosted behind the gate").containsExactly("third");
        pass(worker.held.getFirst(), 0);
        boosts.replace("p", ME, Map.of("first", -10), Optional.empty());
        assertThat(claim(5)).as("the other one was lowered").containsExactly("second");
    }

    /** So a claim need not find the others behind those that cannot run. */
    @Test
    void onlyTheBestOnesComeUp() {
        make("runs", "tenant!a");
        Claim runs = worker.step(List.of(), 1).claims().getFirst();
        IntStream.range(0, 20).forEach(i -> make("t" + i, i, "tenant!a"));
        assertThat(resources.read("p", 0).blocked()).isEqualTo(20);
        pass(runs, 0);
        assertThat(resources.read("p", 0).blocked()).isEqualTo(19);
        assertThat(load().claimable()).isOne();
        resources.close("p", ME, "tenant!a", Optional.empty());
        assertThat(resources.read("p", 0).blocked()).isEqualTo(20);
        resources.open("p", ME, "tenant!a");
        assertThat(resources.read("p", 0).blocked()).as("behind one").isEqualTo(19);
        assertThat(claim(5)).containsExactly("t19");
    }

    /** The first of the others waits for something else, and kept them from this one. */
    @Test
    void aTaskThatLacksOneTakesNoOtherAndKeepsNobodyFromIt() {
        make("runs", "tenant!a");
        worker.step(List.of(), 1);
        make("both", 5, "tenant!a", "db");
        make("db1", "db");
        make("db2", "db");
        assertThat(claim(1)).containsExactly("db1");
        assertThat(claim(5)).containsExactly("db2");
        assertThat(used("db")).isEqualTo(2);
        assertThat(state("tenant!a").waiting()).isOne();
    }

    /** It was given the free permit of one, and others were faster with the other one. */
    @Test
    void aTaskThatComesToLackOneLetsTheOthersHaveWhatItWaitedFor() {
        declare(Map.of("db", Declarations.permits(1), "tenant!*", Declarations.permits(1)));
        make("runs", "db");
        Claim runs = worker.step(List.of(), 1).claims().getFirst();
        make("both", 5, "db", "tenant!a");
        make("next", 4, "db");
        make("last");
        assertThat(claim(1)).containsExactly("last");
        assertThat(pass(runs, 0)).isEmpty();
        make("fast", 9, "tenant!a");
        make("plain");
        assertThat(claim(2)).containsExactly("fast", "next");
    }

    @Test
    void fewerPermitsStopNobodyAndGiveNoneUntilTasksEnd() {
        IntStream.range(0, 5).forEach(i -> make("t-" + i, "db"));
        List<Claim> claims = worker.step(List.of(), 5).claims();
        declare(Map.of("db", Declarations.permits(1)));
        assertThat(state("db").permits()).contains(new Permits(1, 2, Optional.empty(), List.of("t-0", "t-1")));
        assertThat(pass(claims.getFirst(), 5)).isEmpty();
        assertThat(pass(claims.getLast(), 5)).containsExactly("t-2");
        declare(Map.of("db", PoolOrder.Declared.uncounted(true)));
        assertThat(claim(1)).as("made plain").containsExactly("t-3");
        assertThat(holders()).isOne();
        declare(Map.of("db", Declarations.permits(2)));
        assertThat(used("db")).as("who ran without one holds none").isOne();
        assertThat(claim(5)).containsExactly("t-4");
        world.work(worker, _ -> Optional.of("1"));
        checkThatNothingStays();
    }

    /** Pods follow what can run. */
    @Test
    void openTasksBeyondFreePermitsWantNoWorker() {
        IntStream.range(0, 500).forEach(i -> make("t-" + i, "db"));
        assertThat(load()).returns(2L, SourceLoad::claimable).returns(500L, SourceLoad::left);
        IntStream.range(0, 3).forEach(i -> make("plain" + i));
        assertThat(load().claimable()).isEqualTo(5);
        Claim first = worker.step(List.of(), 1).claims().getFirst();
        assertThat(load().claimable()).isEqualTo(4);
        assertThat(claim(9)).containsExactly("t-1", "plain0", "plain1", "plain2");
        assertThat(load()).returns(0L, SourceLoad::claimable).returns(498L, SourceLoad::delayed);
        pass(first, 0);
        assertThat(load().claimable()).isOne();
        declare(Map.of("db", Declarations.permits(12)));
        assertThat(load().claimable()).isEqualTo(11);
        assertThat(claim(64)).hasSize(11);
        assertThat(load().claimable()).isZero();
    }

    /** A call has its bounds, and leaves the rest to commands. */
    @Test
    void permitsOfManyNamesAtOnce() {
        declare(Map.of("key!*", Declarations.permits(1)));
        List<Claim> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            make("a" + i, "key!" + i);
            make("b" + i, "key!" + i);
        }
        while (all.size() < 200) {
            all.addAll(worker.step(List.of(), 64).claims());
        }
        assertThat(claim(64)).isEmpty();
        List<Settlement> settled =
                all.stream().<Settlement>map(claim -> World.passed(claim, "1")).toList();
        worker.step(settled, 0);
        Set<String> claimed = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            claimed.addAll(claim(64));
            world.tick();
        }
        assertThat(claimed).hasSize(200);
    }

    @Test
    void aTaskSaysWhoHoldsWhatItWaitsFor() {
        make("runs", "tenant!a");
        worker.step(List.of(), 1);
        TreeNode root = leaf("waits", "h", 0, "tenant!a", "printer");
        world.begin("waits", root);
        claim(1);
        Blockage blockage = world.trees.blockage(TaskTree.of("waits", root));
        assertThat(blockage.missing()).extracting(Blockage.Missing::name).containsExactly("tenant!a", "printer");
        assertThat(blockage.missing().getFirst().permits())
                .contains(new Permits(1, 1, Optional.empty(), List.of("runs")));
        assertThat(blockage.missing().getLast().permits()).isEmpty();
        resources.close("p", ME, "tenant!a", Optional.empty());
        assertThat(world.trees.blockage(TaskTree.of("waits", root)).missing().getFirst())
                .as("it is missing, too")
                .returns(Optional.empty(), Blockage.Missing::permits)
                .returns(Optional.of(ME), Blockage.Missing::closedBy);
    }

    /** A tenant may have written them. */
    @Test
    void numbersThatNoPoolHasAreBounded() {
        make("runs", "db");
        String classes = world.keys.queue("p").get(7);
        world.store.ask(redis -> redis.hset(classes, "=db", "o 5 o999999999999999/999999999999999"));
        assertThat(state("db").permits().orElseThrow())
                .returns(Permits.MOST, Permits::most)
                .returns(Optional.of(Duration.ofSeconds(Permits.LONGEST_SECONDS)), Permits::window);
        world.store.ask(redis -> redis.hset(classes, "=db", "o 5 o0"));
        assertThat(state("db").permits()).isEmpty();
        world.store.ask(redis -> redis.hset(classes, "=db", "o 5 o2"));
        String ranks = world.keys.queue("p").get(6);
        world.store.ask(redis -> redis.zadd(ranks, 0, "pdb\u0000" + "x y".repeat(1000)));
        assertThat(state("db").permits().orElseThrow().holders())
                .singleElement()
                .satisfies(id -> assertThat(id).startsWith("x_yx_y").hasSize(100));
        assertThat(claim(1)).containsExactly("runs");
    }

    /** A tenant may have written it; an offer would come upon it for ever. */
    @Test
    void aPlaceBehindAPermitThatNoClassHasIsForgotten() {
        make("runs", "tenant!a");
        Claim runs = worker.step(List.of(), 1).claims().getFirst();
        make("next", "tenant!a");
        assertThat(claim(1)).isEmpty();
        String ranks = world.keys.queue("p").get(6);
        String place = "gtenant!a\u0000000000\u0000" + "0".repeat(30) + "\u0000aaaaaaaaaaaaaaaa";
        world.store.ask(redis -> redis.zadd(ranks, 0, place));
        assertThat(pass(runs, 1)).containsExactly("next");
        Double score = world.store.ask(redis -> redis.zscore(ranks, place));
        assertThat(score).isNull();
    }

    /** Tasks that take turns, age, and hold permits. */
    @Test
    void permitsGoWithTheOtherOrders() {
        Map<String, PoolOrder.Declared> names = new HashMap<>(Map.of("db", Declarations.permits(1)));
        new Lifecycle(world.store)
                .order(world.keyspace, 1)
                .arrange("p", new PoolOrder.Wishes(Map.of(), 5, Optional.of(Map.of()), names, Map.of()));
        make("a", "db");
        make("b", "db");
        Claim first = worker.step(List.of(), 2).claims().getFirst();
        assertThat(worker.held).hasSize(1);
        assertThat(pass(first, 2)).containsExactly("b");
    }
}
