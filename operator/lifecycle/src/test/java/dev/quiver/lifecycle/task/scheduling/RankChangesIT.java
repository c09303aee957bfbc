package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;

/** The ranks of a tree that is there change: what waits moves under its number, what runs goes on. */
class RankChangesIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static Rank rank(int priority, String... tags) {
        return new Rank(priority, List.of(tags), Optional.empty());
    }

    private static TreeNode leaf(String name, Rank rank) {
        return leaf(name, "h", rank);
    }

    private static TreeNode leaf(String name, String handler, Rank rank) {
        return new TreeNode.Leaf("p", Optional.of(handler), 5, 1, rank, World.body(name, handler));
    }

    private void make(String id, Rank rank) {
        world.begin(id, leaf(id, rank));
    }

    private boolean change(String id, Rank rank) {
        return world.trees.rank(TaskTree.of(id, leaf(id, rank)));
    }

    private List<String> claim(int wanted) {
        return worker.step(List.of(), wanted).claims().stream()
                .map(claim -> claim.task().name())
                .toList();
    }

    private String record(String id) {
        return NodeRecord.parse(world.store.ask(redis -> redis.hget(world.keys.nodes(), id)))
                .rank();
    }

    @Test
    void whatWaitsMovesAndKeepsItsNumber() {
        IntStream.range(0, 5).forEach(i -> make("t" + i, Rank.NONE));
        assertThat(change("t3", rank(7))).isTrue();
        assertThat(change("t1", rank(7, "view"))).isTrue();
        assertThat(change("t4", rank(-1))).isTrue();
        assertThat(change("t3", rank(7))).as("the same once more").isFalse();
        assertThat(claim(2)).as("equals by their numbers").containsExactly("t1", "t3");
        make("t5", rank(9));
        assertThat(change("t5", Rank.NONE)).isTrue();
        assertThat(record("t5")).as("plain again").isEmpty();
        assertThat(claim(5)).containsExactly("t0", "t2", "t5", "t4");
    }

    @Test
    void whatRunsGoesOnAndComesBackWithTheNewRank() {
        make("a", Rank.NONE);
        Claim held = worker.step(List.of(), 1).claims().getFirst();
        make("b", rank(1));
        assertThat(change("a", rank(2))).isTrue();
        assertThat(claim(1)).as("a runs, and is not given out").containsExactly("b");
        make("c", rank(1));
        worker.step(List.of(new Settlement.Returned(held, Optional.empty(), Duration.ZERO)), 0);
        assertThat(claim(3)).containsExactly("a", "c");
    }

    @Test
    void whatHasEndedOrIsGoneStaysAsItIs() {
        make("a", Rank.NONE);
        assertThat(world.trees.change("a", Trees.Change.CANCEL)).isTrue();
        assertThat(change("a", rank(2))).isFalse();
        assertThat(change("nobody", rank(2))).isFalse();
        assertThat(record("a")).isEmpty();
    }

    @Test
    void whatWaitsInTheLineOfItsHandlerMovesAsWell() {
        world.begin("o", leaf("o", "other", Rank.NONE));
        make("a", Rank.NONE);
        assertThat(claim(5)).as("o is set aside").containsExactly("a");
        assertThat(world.trees.rank(TaskTree.of("o", leaf("o", "other", rank(3)))))
                .isTrue();
        String waiting = world.keys.queue("p").get(3);
        assertThat((long) world.store.ask(redis -> redis.zcard(waiting))).isZero();
        assertThat(world.worker("p", "other").claimNames()).containsExactly("o");
    }

    @Test
    void whatIsParkedStaysParkedAndComesBackWithTheNewRank() {
        make("a", Rank.NONE);
        assertThat(world.trees.change("a", Trees.Change.SUSPEND)).isTrue();
        assertThat(claim(5)).isEmpty();
        assertThat(change("a", rank(4))).isTrue();
        String left = world.store.ask(redis -> redis.hget(world.keys.hash("p"), "left"));
        assertThat(left).as("in the queue").isEqualTo("0");
        make("b", rank(3));
        assertThat(world.trees.change("a", Trees.Change.RESUME)).isTrue();
        assertThat(claim(5)).containsExactly("a", "b");
    }

    @Test
    void whatRunsAloneStaysInItsLine() {
        make("a", rank(1));
        for (int i = 0; i < 2; i++) {
            assertThat(claim(1)).containsExactly("a");
            worker.die();
            worker = world.worker("p", "h");
        }
        make("b", Rank.NONE);
        assertThat(claim(2)).as("a waits until its worker holds nothing").containsExactly("b");
        assertThat(change("a", rank(2, "view"))).isTrue();
        assertThat(record("a")).isEqualTo("2\u001fview\u001f");
        String left = world.store.ask(redis -> redis.hget(world.keys.hash("p"), "left"));
        assertThat(left).isEqualTo("2");
        worker.step(List.of(World.passed(worker.held.getFirst(), "1")), 0);
        assertThat(claim(2)).containsExactly("a");
    }

    @Test
    void whatTheTaskHasAgedStays() {
        PoolOrder order = new Lifecycle(world.store).order(world.keyspace, 1);
        order.arrange("p", new PoolOrder.Wishes(Map.of(), 10, Optional.empty()));
        make("old", Rank.NONE);
        String aged = record("old");
        assertThat(change("old", rank(3, "view"))).isTrue();
        assertThat(record("old")).isEqualTo("3@0\u001fview\u001f");
        assertThat(change("old", Rank.NONE)).isTrue();
        assertThat(record("old")).isEqualTo(aged).isEqualTo("0@0\u001f\u001f");
        assertThat(change("old", Rank.NONE)).isFalse();
        assertThat(claim(1)).containsExactly("old");
    }

    @Test
    void aChainLendsWhatItsLaterTasksHaveNow() {
        make("other", rank(1));
        world.begin("c", World.chain(leaf("x", Rank.NONE), leaf("y", Rank.NONE)));
        assertThat(world.trees.rank(TaskTree.of("c", World.chain(leaf("x", Rank.NONE), leaf("y", rank(2))))))
                .isTrue();
        assertThat(claim(2)).containsExactly("x", "other");
    }

    /** 256 nodes change in a call, and a call that was cut off is made again from the beginning. */
    @Test
    void aTreeOfManyNodesChangesInPieces() {
        IntFunction<TreeNode> group = priority -> World.group(IntStream.range(0, 700)
                .mapToObj(i -> leaf("t" + i, rank(priority)))
                .toArray(TreeNode[]::new));
        make("plain", Rank.NONE);
        world.begin("g", group.apply(-1));
        assertThat(world.trees.rank(TaskTree.of("g", group.apply(1)))).isTrue();
        assertThat(world.trees.rank(TaskTree.of("g", group.apply(1)))).isFalse();
        List<String> claimed = all();
        assertThat(claimed).hasSize(701).endsWith("plain");
        assertThat(claimed.subList(0, 700))
                .isEqualTo(IntStream.range(0, 700).mapToObj(i -> "t" + i).toList());
    }

    private List<String> all() {
        List<String> claimed = new ArrayList<>();
        for (List<String> some = claim(64); !some.isEmpty(); some = claim(64)) {
            claimed.addAll(some);
            worker.step(
                    worker.held.stream().map(held -> World.passed(held, "1")).toList(), 0);
        }
        return claimed;
    }

    private static TreeNode each(Rank rank) {
        return World.each(World.chain(leaf("inner", rank), leaf("last", rank)), 0);
    }

    private void unfold(int copies, Rank rank) {
        world.begin("e", World.chain(leaf("list", rank(9)), each(rank)));
        Claim list = worker.step(List.of(), 1).claims().getFirst();
        String elements =
                IntStream.range(0, copies).mapToObj(Integer::toString).toList().toString();
        worker.step(List.of(World.passed(list, elements)), 0).rest().ifPresent(Runnable::run);
        for (int i = 0; i < 10; i++) {
            world.tick();
        }
    }

    @Test
    void copiesOfATemplateFollow() {
        unfold(400, Rank.NONE);
        make("other", rank(3));
        assertThat(world.trees.rank(TaskTree.of("e", World.chain(leaf("list", rank(9)), each(rank(4))))))
                .isTrue();
        long commands = world.store.ask(redis -> redis.zcard(world.keys.commands()));
        assertThat(commands).as("commands that are left").isZero();
        List<String> claimed = claim(64);
        assertThat(claimed).hasSize(64).containsOnly("inner");
        worker.step(worker.held.stream().map(held -> World.passed(held, "1")).toList(), 0);
        assertThat(all()).as("the later ones of the chains as well").endsWith("other");
    }

    @Test
    void copiesWithinCopiesFollow() {
        IntFunction<TreeNode> tree = priority ->
                World.chain(leaf("list", rank(9)), World.each(World.each(leaf("inner", rank(priority)), 0), 0));
        world.begin("e", tree.apply(0));
        Claim list = worker.step(List.of(), 1).claims().getFirst();
        worker.step(List.of(World.passed(list, "[[1,2],[3]]")), 0).rest().ifPresent(Runnable::run);
        for (int i = 0; i < 10; i++) {
            world.tick();
        }
        make("other", rank(3));
        assertThat(world.trees.rank(TaskTree.of("e", tree.apply(4)))).isTrue();
        assertThat(claim(5)).containsExactly("inner", "inner", "inner", "other");
    }

    /** The operator dies behind its call: what the call left is done by whoever looks. */
    @Test
    void copiesFollowWithoutTheOneWhoChangedThem() {
        unfold(300, Rank.NONE);
        make("other", rank(3));
        List<String> rows = new ArrayList<>();
        NodeRecord each = NodeRecord.parse(world.store.ask(redis -> redis.hget(world.keys.nodes(), "e.2")));
        long first = Long.parseLong(each.fields().get(23)); // of the template
        for (long ordinal : List.of(first + 1, first + 2)) {
            rows.addAll(List.of("e." + ordinal, rank(4).text(Set.of()), "e.2"));
        }
        List<String> arguments = new ArrayList<>(List.of("", "e"));
        arguments.addAll(rows);
        var reply = world.store.run(
                TaskScripts.RANK,
                TaskScripts.RANK.keys(TaskScriptKeys.of(world.keyspace, "")::key, world.keys.queue("p")),
                arguments.toArray(String[]::new));
        assertThat(reply.number("changed")).isEqualTo(2);
        assertThat(reply.texts("commands")).hasSize(1);
        assertThat(claim(1)).as("the copies have not moved").containsExactly("other");
        worker.step(worker.held.stream().map(held -> World.passed(held, "1")).toList(), 0);
        make("another", rank(3));
        for (int i = 0; i < 10; i++) {
            world.tick();
        }
        assertThat(claim(1)).containsExactly("inner");
        assertThat(record("e." + (first + 1))).isEqualTo("4\u001f\u001f");
    }

    @Test
    void aFormerLeaderChangesNothing() {
        make("a", Rank.NONE);
        TaskTrees former = new Lifecycle(world.store).trees(world.keyspace, 1);
        new Lifecycle(world.store).health(world.keyspace, 2).observe(Optional.empty());
        assertThatThrownBy(() -> former.rank(TaskTree.of("a", leaf("a", rank(1)))))
                .isInstanceOf(StaleLeaderException.class);
        assertThat(record("a")).isEmpty();
    }
}
