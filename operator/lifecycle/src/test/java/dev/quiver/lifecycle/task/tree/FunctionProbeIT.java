package dev.quiver.lifecycle.task.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.node.TextNode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.scheduling.Boosts;
import dev.quiver.lifecycle.worker.Claim;

/** A function of a pool is asked, and answers by how its call ends. */
class FunctionProbeIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private FunctionProbe probe;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        probe = FunctionProbe.in(new Lifecycle(world.store).trees(world.keyspace, 1));
        worker = world.worker("p", "check", "h");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private String ask() {
        return probe.ask("p", "online", "check", List.of(TextNode.valueOf("imap")), Duration.ofSeconds(3));
    }

    private Claim claim() {
        return worker.step(List.of(), 1).claims().getFirst();
    }

    @Test
    void aCallThatReturnsSaysYes() {
        String question = ask();
        assertThat(probe.over(List.of(question))).isEmpty();
        Claim claim = claim();
        assertThat(claim.task().name()).isEqualTo("online");
        worker.step(List.of(World.passed(claim, "1")), 0);
        assertThat(probe.over(List.of(question))).containsExactly(question);
        assertThat(probe.answer(question)).isEqualTo(new FunctionProbe.Answer(true, Optional.empty()));
    }

    @Test
    void aCallThatFailsSaysNoAndWhyAtItsFirstTrial() {
        String question = ask();
        worker.step(List.of(World.failed(claim())), 0);
        assertThat(probe.over(List.of(question))).containsExactly(question);
        assertThat(probe.answer(question)).isEqualTo(new FunctionProbe.Answer(true, Optional.of("Error: no")));
    }

    /** Else a resource that holds nobody up would seem to be missing while the pool is busy. */
    @Test
    void goesBeforeAllTasksBoostedOrNotAndLeavesThePoolsPlace() {
        Rank high = new Rank(Rank.MOST_PRIORITY, List.of("seen"), Optional.empty());
        new Boosts(world.store, world.keyspace).replace("p", "me", Map.of("seen", 1_000_000), Optional.empty());
        ask();
        assertThat(priority()).as("as a task without a priority").isEqualTo("0");
        world.begin("early", new TreeNode.Leaf("p", Optional.of("h"), 1, 1, high, World.body("early", "h")));
        assertThat(claim().task().name()).isEqualTo("online");
        assertThat(claim().task().name()).isEqualTo("early");
    }

    private String priority() {
        return world.store.ask(redis -> redis.hget(world.keys.hash("p"), "priority"));
    }

    /** A pool without a worker says nothing of the resource. */
    @Test
    void oneThatNoWorkerTakesEndsWithoutAnAnswer() {
        FunctionProbe hasty =
                new FunctionTasks(new Lifecycle(world.store).trees(world.keyspace, 1), Duration.ofMillis(200));
        String question = hasty.ask("p", "online", "nobody-serves-it", List.of(), Duration.ofSeconds(3));
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            world.tick();
            return !hasty.over(List.of(question)).isEmpty();
        });
        assertThat(hasty.answer(question)).isEqualTo(FunctionProbe.Answer.NONE);
    }

    @Test
    void oneThatNobodyKnowsSaysNothing() {
        assertThat(probe.over(List.of("no-such"))).containsExactly("no-such");
        assertThat(probe.answer("no-such")).isEqualTo(FunctionProbe.Answer.NONE);
    }

    @Test
    void anArgumentThatStandsForAResultIsRefused() {
        assertThatThrownBy(() -> probe.ask(
                        "p", "online", "check", List.of(TextNode.valueOf("$(results.a)")), Duration.ofSeconds(3)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
