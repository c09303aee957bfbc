package dev.quiver.lifecycle.task.tree;

import static dev.quiver.lifecycle.task.World.chain;
import static dev.quiver.lifecycle.task.World.each;
import static dev.quiver.lifecycle.task.World.group;
import static dev.quiver.lifecycle.task.World.leaf;
import static dev.quiver.lifecycle.task.World.passed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.World.Worker;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;

/** Trees in a Redis whose memory is used up: work drains, and none comes in. */
class TreeMemoryIT {
    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final long MEBIBYTE = 1 << 20;

    private World world;
    private Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h");
    }

    @AfterEach
    void end() {
        memory(0);
        world.close();
    }

    private void memory(long bytes) {
        world.store.ask(redis -> redis.configSet("maxmemory", Long.toString(bytes)));
    }

    private void fill() {
        memory(1);
    }

    private long used() {
        String info = world.store.ask(redis -> redis.info("memory"));
        return info.lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }

    private static String array(int elements) {
        return Collections.nCopies(elements, "1").toString();
    }

    private void work() {
        world.work(worker, claim -> Optional.of("1"));
    }

    @Test
    void forEachWaitsWhileOtherWorkDrainsAndGoesOnWhenThereIsMemory() {
        world.begin("t", chain(leaf("list"), each(group(leaf("a"), leaf("b")), 0)));
        world.begin("u", chain(leaf("first"), leaf("second")));
        List<Claim> two = worker.claim();
        long before = world.nodes();
        fill();
        worker.step(List.of(passed(two.getFirst(), array(300)), passed(two.getLast(), "1")), 8);
        work();
        assertThat(world.nodes()).isEqualTo(before);
        assertThat(world.state("u").state()).isEqualTo(TreeState.State.FINISHED);
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.IDLE);
        assertThatThrownBy(() -> world.begin("v", leaf("more")))
                .isInstanceOfSatisfying(
                        StoreRefusedException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(StoreRefusedException.Kind.OUT_OF_MEMORY));
        memory(0);
        work();
        assertThat(world.state("t"))
                .returns(TreeState.State.FINISHED, TreeState::state)
                .returns(601L, TreeState::progress);
    }

    @Test
    void wideForEachStopsWhereMemoryEndsAndGoesOnFromThere() {
        TreeNode nine = group(OnChildError.FAIL, Collections.nCopies(9, leaf("n")));
        world.begin("t", chain(leaf("list"), each(nine, 0)));
        List<Claim> list = worker.claim();
        long most = used() + 4 * MEBIBYTE;
        memory(most);
        worker.step(List.of(passed(list.getFirst(), array(9_000))), 0);
        for (int i = 0; i < 5; i++) {
            world.tick();
        }
        assertThat(used()).isBetween(most - MEBIBYTE, most + MEBIBYTE);
        assertThat(world.nodes()).isBetween(1_000L, 80_000L);
        memory(0);
        world.tick();
        assertThat(world.nodes()).isEqualTo(90_000 + 3 + 10);
    }

    @Test
    void windowAndIteratorBringInNothingWhileMemoryIsUsedUp() {
        world.begin("t", chain(leaf("list"), each(leaf("n"), 2)));
        worker.step(List.of(passed(worker.claim().getFirst(), array(5))), 8);
        world.begin(
                "i",
                new TreeNode.IteratorNode(
                        "p", Optional.of("h"), 3, 2, OnChildError.FAIL, Optional.empty(), World.body("rows", "h")));
        Claim asked = worker.claim().getFirst();
        String two = "{\"tasks\":[{\"handler\":\"h\"},{\"handler\":\"h\"}]}";
        worker.step(List.of(passed(asked, two)), 8);
        assertThat(worker.held).hasSize(4);
        fill();
        long before = world.nodes();
        work();
        assertThat(world.nodes()).as("two children of the iterator have gone").isEqualTo(before - 2);
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.IDLE);
        assertThat(world.state("i").state()).isEqualTo(TreeState.State.IDLE);
        memory(0);
        world.work(worker, claim -> Optional.of(claim.task().name().equals("rows") ? "null" : "1"));
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.FINISHED);
        assertThat(world.state("i")).returns(TreeState.State.FINISHED, TreeState::state);
    }

    @Test
    void cancelOfATreeThatWaitsForMemoryEndsIt() {
        world.begin("t", chain(leaf("list"), each(leaf("n"), 0)));
        List<Claim> list = worker.claim();
        fill();
        worker.step(List.of(passed(list.getFirst(), array(500))), 8);
        assertThat(world.trees.change("t", Trees.Change.CANCEL)).isTrue();
        world.tick();
        assertThat(world.state("t").over()).isTrue();
        world.trees.drop("t", 0);
        world.tick();
        assertThat(world.nodes()).isZero();
        String commands = world.keys.commands();
        long left = world.store.ask(redis -> redis.zcard(commands));
        assertThat(left).isZero();
    }
}
