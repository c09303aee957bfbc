package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.Settlement;

/** Tasks wait for the resources that they name, whoever closes these, and hold no pod meanwhile. */
class ResourcesIT {

    private static final Optional<Duration> FOR_GOOD = Optional.empty();
    private static final String ME = "me";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private Resources resources;
    private PoolOrder order;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        resources = new Resources(world.store, world.keyspace);
        order = new Lifecycle(world.store).order(world.keyspace, 1);
        worker = world.worker("p", "h");
        declare(Map.of("online", true, "tenant!*", true), Map.of());
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void declare(Map<String, Boolean> names, Map<String, List<String>> aliases) {
        order.arrange("p", new PoolOrder.Wishes(Map.of(), 0, Optional.empty(), Declarations.of(names), aliases));
    }

    private static TreeNode leaf(String name, String... names) {
        Rank rank = new Rank(0, List.of(), Optional.empty(), List.of(names));
        return new TreeNode.Leaf("p", Optional.of("h"), 2, 1, rank, World.body(name, "h"));
    }

    private void make(String id, String... names) {
        world.begin(id, leaf(id, names));
    }

    private List<String> claim(int wanted) {
        return names(worker.step(List.of(), wanted).claims());
    }

    private static List<String> names(List<Claim> claims) {
        return claims.stream().map(claim -> claim.task().name()).toList();
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

    private boolean isReady() {
        return world.store.ask(redis -> redis.zscore(world.keyspace.poolReady("p"), TaskQueues.source("p"))) != null;
    }

    @Test
    void aTaskWaitsForWhatItsPoolDoesNotDeclare() {
        make("plain");
        make("gated", "printer");
        assertThat(claim(5)).containsExactly("plain");
        assertThat(state("printer")).returns(false, Resources.State::declared).returns(1L, Resources.State::waiting);
        assertThat(blocked()).isOne();
        assertThat(isReady()).as("a worker is wanted").isFalse();
        declare(Map.of("printer", true), Map.of());
        assertThat(claim(5)).containsExactly("gated");
        assertThat(blocked()).isZero();
    }

    @Test
    void eachOwnerOpensWhatItClosedAlone() {
        make("gated", "online");
        assertThat(resources.close("p", ME, "online", FOR_GOOD)).isTrue();
        assertThat(resources.close("p", "other", "online", FOR_GOOD)).isTrue();
        assertThat(claim(1)).isEmpty();
        assertThat(state("online"))
                .returns(true, Resources.State::missing)
                .returns(Optional.of(ME), Resources.State::closedBy)
                .returns(true, state -> state.since().isPresent());
        assertThat(resources.open("p", ME, "online")).isTrue();
        assertThat(resources.open("p", "third", "online")).isFalse();
        assertThat(claim(1)).as("the other one has it closed").isEmpty();
        assertThat(resources.openAll("p", "third", "online")).isTrue();
        assertThat(claim(1)).containsExactly("gated");
    }

    @Test
    void aClosingWithAnEndEndsWithoutItsOwner() {
        make("gated", "tenant!acme");
        make("other", "tenant!other");
        resources.close("p", ME, "tenant!acme", Optional.of(Duration.ofMillis(50)));
        resources.close("p", ME, "tenant!acme", Optional.of(Duration.ofMillis(400)));
        assertThat(claim(5)).containsExactly("other");
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
            world.tick();
            return blocked() == 0;
        });
        assertThat(claim(5)).containsExactly("gated");
    }

    @Test
    void aPatternConcernsAllItsNames() {
        make("a", "tenant!acme");
        make("b", "tenant!other", "online");
        resources.close("p", ME, "tenant!*", FOR_GOOD);
        assertThat(claim(5)).isEmpty();
        resources.close("p", ME, "online", FOR_GOOD);
        resources.open("p", ME, "tenant!*");
        assertThat(claim(5)).as("the next one of its own that is missing").containsExactly("a");
        assertThat(state("online").waiting()).isOne();
    }

    @Test
    void aTaskThatComesUponWhatIsMissingClosesItForAllAndUsesNoTrial() {
        make("first", "tenant!acme");
        make("second", "tenant!acme");
        make("stranger");
        List<Claim> claims = worker.step(List.of(), 1).claims();
        Settlement stopped = new Settlement.Returned(
                claims.getFirst(), Optional.empty(), Duration.ofMillis(400), Optional.of("tenant!acme"));
        assertThat(names(worker.step(List.of(stopped), 5).claims())).containsExactly("stranger");
        assertThat(state("tenant!acme"))
                .returns(2L, Resources.State::waiting)
                .returns(Optional.of("tasks"), Resources.State::closedBy);
        assertThat(resources.open("p", ME, "tenant!acme")).isFalse();
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
            world.tick();
            return blocked() == 0;
        });
        List<Claim> again = worker.step(List.of(), 5).claims();
        assertThat(names(again)).as("it keeps its place").containsExactly("first", "second");
        assertThat(again.getFirst().task().trial()).isOne();
    }

    @Test
    void whatRunsGoesOnWhenAResourceGoesUnlessThatCancels() {
        order.arrange(
                "p",
                new PoolOrder.Wishes(
                        Map.of(),
                        0,
                        Optional.empty(),
                        Map.of(
                                "online",
                                PoolOrder.Declared.uncounted(true),
                                "credentials!*",
                                new PoolOrder.Declared(true, Optional.of(5), Optional.empty(), true, false)),
                        Map.of()));
        make("first", "online");
        make("second", "credentials!7");
        List<Claim> claims = worker.step(List.of(), 2).claims();
        assertThat(attend(claims)).isEmpty();
        resources.close("p", ME, "online", FOR_GOOD);
        assertThat(attend(claims)).isEmpty();
        resources.close("p", ME, "credentials!*", FOR_GOOD);
        assertThat(attend(claims)).containsExactly(claims.getLast().id());
        worker.step(List.of(new Settlement.Returned(claims.getLast())), 2);
        assertThat(state("credentials!7").waiting()).isOne();
        resources.open("p", ME, "credentials!*");
        Claim again = worker.step(List.of(), 2).claims().getFirst();
        assertThat(again.task().name()).isEqualTo("second");
        assertThat(again.task().trial()).isOne();
    }

    /** A probe that is gone opens nothing itself. */
    @Test
    void whatAProbeClosedIsOpenWhereNoneLooksAnyMore() {
        PoolOrder.Declared probed = new PoolOrder.Declared(true, Optional.empty(), Optional.empty(), false, true);
        declare(Map.of("online", probed, "api!*", PoolOrder.Declared.uncounted(true), "api!7", probed));
        assertThat(order.probed("p", Map.of("online", false, "api!7", false, "x", false)))
                .as("not declared yet")
                .containsExactly("x");
        assertThatThrownBy(() -> resources.open("p", PoolOrder.PROBE, "online")).hasMessageContaining("no program has");
        resources.close("p", ME, "online", FOR_GOOD);
        make("first", "api!7");
        declare(Map.of("online", probed, "api!*", PoolOrder.Declared.uncounted(true), "api!7", probed, "x", probed));
        assertThat(state("api!7").closedBy()).contains(PoolOrder.PROBE);
        assertThat(worker.step(List.of(), 1).claims()).isEmpty();
        declare(Map.of("online", PoolOrder.Declared.uncounted(true), "api!*", PoolOrder.Declared.uncounted(true)));
        assertThat(names(worker.step(List.of(), 1).claims())).containsExactly("first");
        assertThat(state("online").closedBy()).as("its other owner").contains(ME);
    }

    private void declare(Map<String, PoolOrder.Declared> all) {
        order.arrange("p", new PoolOrder.Wishes(Map.of(), 0, Optional.empty(), all, Map.of()));
    }

    private Set<String> attend(List<Claim> claims) {
        return worker.source.attend(claims.stream()
                .map(claim -> new RunningTask(claim.id(), 0, 0, 1))
                .toList());
    }

    /** A task that lost its worker twice stands in a line of its own, until a worker holds nothing. */
    @Test
    void aTaskThatIsToRunAloneWaitsAsOthersDo() {
        make("poison", "online");
        for (int i = 0; i < 2; i++) {
            World.Worker dead = world.worker("p", "h");
            assertThat(names(dead.step(List.of(), 1).claims())).containsExactly("poison");
            dead.die();
        }
        make("busy");
        Claim busy = worker.step(List.of(), 2).claims().getFirst();
        assertThat(busy.task().name()).isEqualTo("busy");
        resources.close("p", ME, "online", FOR_GOOD);
        assertThat(names(worker.step(List.of(World.passed(busy, "1")), 2).claims()))
                .isEmpty();
        assertThat(state("online").waiting()).isOne();
        resources.open("p", ME, "online");
        assertThat(claim(2)).containsExactly("poison");
    }

    /** It would run again at once, and come upon the same. */
    @Test
    void aTaskThatDoesNotNameWhatItCameUponWaitsByItself() {
        make("careless");
        Claim claim = worker.step(List.of(), 1).claims().getFirst();
        worker.step(
                List.of(new Settlement.Returned(
                        claim, Optional.empty(), Duration.ofMillis(300), Optional.of("tenant!acme"))),
                0);
        assertThat(claim(1)).isEmpty();
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
            world.tick();
            return !claim(1).isEmpty();
        });
    }

    @Test
    void anAliasStandsForItsResourcesWhenATaskComes() {
        declare(
                Map.of("online", true, "credentials!*", true, "happy!*", true),
                Map.of("account!*", List.of("online", "credentials!*", "happy!*"), "net", List.of("online")));
        make("mail", "account!7");
        make("all", "net", "happy!8");
        resources.close("p", ME, "happy!7", FOR_GOOD);
        assertThat(claim(5)).containsExactly("all");
        assertThat(state("happy!7").waiting()).isOne();
        resources.close("p", ME, "credentials!7", FOR_GOOD);
        resources.open("p", ME, "happy!7");
        assertThat(state("credentials!7").waiting()).as("the most severe one").isOne();
        resources.open("p", ME, "credentials!7");
        assertThat(claim(5)).containsExactly("mail");
    }

    /** The name that the seed gives an account. */
    @Test
    void theLongestPatternOfAnAliasCounts() {
        declare(
                Map.of("online", true, "credentials!*", true, "rest!*", true),
                Map.of("online!account!*", List.of("online", "credentials!*"), "online!*", List.of("rest!*")));
        resources.close("p", ME, "credentials!0", FOR_GOOD);
        resources.close("p", ME, "rest!other!0", FOR_GOOD);
        make("mail", "online!account!0");
        make("other", "online!other!0");
        assertThat(claim(5)).isEmpty();
        resources.open("p", ME, "credentials!0");
        assertThat(claim(5)).containsExactly("mail");
        resources.open("p", ME, "rest!other!0");
        assertThat(claim(5)).containsExactly("other");
        make("deep", "online!a:b:c:d:e:f:g:h:i:j");
        assertThat(claim(5)).as("the shortest pattern of a long name").containsExactly("deep");
    }

    /** Where a pool says the same as before, it takes nothing back. */
    @Test
    void aProgramOpensWhatWasMissingAtFirst() {
        declare(Map.of("online", false), Map.of());
        make("gated", "online");
        assertThat(claim(1)).isEmpty();
        assertThat(resources.open("p", ME, "online")).isFalse();
        assertThat(resources.openAll("p", ME, "online")).isTrue();
        assertThat(resources.openAll("p", ME, "online")).isFalse();
        declare(Map.of("online", false), Map.of());
        assertThat(claim(1)).containsExactly("gated");
        declare(Map.of("online", true), Map.of());
        declare(Map.of("online", false), Map.of());
        make("later", "online");
        assertThat(claim(1)).isEmpty();
    }

    /** Behind so many classes of others a claim looks for those of its own by their names. */
    @Test
    void aClaimFindsNoBlockedTaskBehindManyOfOthers() {
        for (int i = 0; i < 1100; i++) {
            Rank rank = new Rank(9, List.of("own" + i), Optional.empty());
            world.begin("x" + i, new TreeNode.Leaf("p", Optional.of("other"), 1, 1, rank, World.body("x", "other")));
        }
        resources.close("p", ME, "online", FOR_GOOD);
        make("gated", "online");
        make("open", "tenant!acme");
        assertThat(claim(5)).containsExactly("open");
        resources.open("p", ME, "online");
        assertThat(claim(5)).containsExactly("gated");
    }

    /** 32 classes follow in the call, the others by commands, a page at a time. */
    @Test
    void manyClassesFollowByCommands() {
        IntStream.range(0, 150).forEach(i -> make("t" + i, "online", "tenant!" + i));
        resources.close("p", ME, "online", FOR_GOOD);
        assertThat(blocked()).isEqualTo(150);
        assertThat(claim(5)).isEmpty();
        resources.open("p", ME, "online");
        assertThat(blocked()).isZero();
        resources.close("p", ME, "tenant!*", FOR_GOOD);
        assertThat(state("tenant!7").waiting()).isOne();
        assertThat(blocked()).isEqualTo(150);
        order.forget("p");
        assertThat(blocked()).as("nothing is declared").isEqualTo(150);
        IntStream.range(0, 150).forEach(i -> world.trees.drop("t" + i, 0));
        world.tick();
        long left = world.store.ask(redis ->
                redis.exists(world.keys.queue("p").get(6), world.keys.queue("p").get(7)));
        assertThat(left).as("keys").isZero();
    }

    @Test
    void aTreeTellsWhatItsCopiesWaitFor() {
        TreeNode tree = World.chain(leaf("list"), World.each(World.group(leaf("a", "printer"), leaf("b")), 2));
        world.begin("tree", tree);
        worker.claim();
        worker.step(List.of(World.passed(worker.held.getFirst(), "[1,2,3]")), 0);
        assertThat(blockage(tree).waiting()).as("as many copies as may live").isEqualTo(2);
        assertThat(blockage(tree).missing()).extracting(Blockage.Missing::name).containsExactly("printer");
        declare(Map.of("printer", true), Map.of());
        assertThat(blockage(tree)).isEqualTo(Blockage.NONE);
    }

    /** A template of more nodes than one call names is made by one node, which is asked about once. */
    @Test
    void ofManyCopiesSomeAreLookedAtAndNoneTwice() {
        TreeNode many = World.group(TreeNode.OnChildError.FAIL, Collections.nCopies(300, leaf("a", "printer")));
        TreeNode tree = World.chain(leaf("list"), World.each(many, 0));
        world.begin("tree", tree);
        worker.claim();
        worker.step(List.of(World.passed(worker.held.getFirst(), "[1]")), 0);
        world.tick(); // so many begin by commands
        assertThat(blockage(tree).waiting()).isEqualTo(32);
    }

    @Test
    void aTreeTellsWhatTheChildrenOfItsIteratorsWaitFor() {
        TreeNode tree = new TreeNode.IteratorNode(
                "p", Optional.of("h"), 1, 8, TreeNode.OnChildError.FAIL, Optional.empty(), World.body("iterate", "h"));
        world.begin("tree", tree);
        worker.claim();
        String named = "{\"handler\":\"h\",\"resources\":[\"printer\"]}";
        worker.step(
                List.of(World.passed(
                        worker.held.getFirst(),
                        "{\"tasks\":[" + named + ",{\"handler\":\"h\"},{\"chain\":[" + named + "," + named + "]}]}")),
                0);
        assertThat(blockage(tree).waiting()).as("the chain has one at a time").isEqualTo(2);
        assertThat(blockage(tree).missing()).extracting(Blockage.Missing::name).containsExactly("printer");
    }

    @Test
    void aTreeTellsWhatItsNodesWaitFor() {
        TreeNode tree = World.chain(leaf("one", "tenant!acme", "online", "printer"), leaf("two", "online"));
        world.begin("tree", tree);
        assertThat(blockage(tree).missing()).extracting(Blockage.Missing::name).containsExactly("printer");
        resources.close("p", ME, "tenant!*", FOR_GOOD);
        Blockage both = blockage(tree);
        assertThat(both.waiting()).isOne();
        assertThat(both.missing())
                .as("by severity")
                .extracting(Blockage.Missing::name)
                .containsExactly("tenant!acme", "printer");
        assertThat(both.missing().getFirst().closedBy()).contains(ME);
        assertThat(both.missing().getLast().declared()).isFalse();
        resources.open("p", ME, "tenant!*");
        declare(Map.of("online", true, "tenant!*", true, "printer", true), Map.of());
        assertThat(blockage(tree)).isEqualTo(Blockage.NONE);
    }

    private Blockage blockage(TreeNode root) {
        return world.trees.blockage(TaskTree.of("tree", root));
    }

    /** A login opens one account; the others wait on. */
    @Test
    void aProgramOpensOneNameOfAPatternThatIsMissing() {
        declare(Map.of("credentials!*", false), Map.of());
        make("mine", "credentials!7");
        make("other", "credentials!8");
        assertThat(resources.openAll("p", ME, "credentials!7")).isTrue();
        assertThat(resources.openAll("p", ME, "credentials!7")).isFalse();
        assertThat(claim(5)).containsExactly("mine");
        resources.close("p", ME, "credentials!7", FOR_GOOD);
        make("again", "credentials!7");
        assertThat(claim(5)).isEmpty();
        assertThat(resources.openAll("p", ME, "credentials!7")).isTrue();
        assertThat(claim(5)).containsExactly("again");
        declare(Map.of("credentials!*", true), Map.of());
        assertThat(claim(5)).containsExactly("other");
        declare(Map.of("credentials!*", false), Map.of());
        make("later", "credentials!7");
        assertThat(claim(5)).as("the pool said it again").isEmpty();
    }

    @Test
    void whatAProgramMayNotDoIsRefused() {
        assertThatThrownBy(() -> resources.close("p", "spec", "online", FOR_GOOD))
                .hasMessageContaining("no program has");
        assertThatThrownBy(() -> resources.close("p", ME, "a b", FOR_GOOD)).hasMessageContaining("\"a b\"");
        IntStream.range(0, 16).forEach(i -> resources.close("p", "o" + i, "online", FOR_GOOD));
        assertThatThrownBy(() -> resources.close("p", ME, "online", FOR_GOOD))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("closed by 16 owners");
        assertThat(resources.close("p", "o3", "online", FOR_GOOD)).isFalse();
    }
}
