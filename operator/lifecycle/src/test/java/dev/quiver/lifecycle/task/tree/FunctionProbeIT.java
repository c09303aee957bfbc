package dev.quiver.lifecycle.task.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.node.TextNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.TreeNode;
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
        probe = new FunctionProbe(new Lifecycle(world.store).trees(world.keyspace, 1));
        worker = world.worker("p", "check", "h");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void ask(String question) {
        probe.ask(question, "p", "online", "check", List.of(TextNode.valueOf("imap")), Duration.ofSeconds(3));
    }

    private Claim claim() {
        return worker.step(List.of(), 1).claims().getFirst();
    }

    @Test
    void aCallThatReturnsSaysYesOnce() {
        ask("q-1");
        assertThat(probe.answer("q-1")).contains(new FunctionProbe.Answer(false, Optional.empty()));
        worker.step(List.of(World.passed(claim(), "1")), 0);
        assertThat(probe.answer("q-1")).contains(new FunctionProbe.Answer(true, Optional.empty()));
        assertThat(probe.answer("q-1")).as("it is forgotten").isEmpty();
    }

    @Test
    void aCallThatFailsSaysNoAndWhyAtItsFirstTrial() {
        ask("q-1");
        worker.step(List.of(World.failed(claim())), 0);
        FunctionProbe.Answer answer = probe.answer("q-1").orElseThrow();
        assertThat(answer.over()).isTrue();
        assertThat(answer.failure()).isPresent();
    }

    /** Else a resource that holds nobody up would seem to be missing while the pool is busy. */
    @Test
    void isAskedBeforeAllThatWaits() {
        world.begin("early", new TreeNode.Leaf("p", Optional.of("h"), 1, 1, World.body("early", "h")));
        ask("q-1");
        Claim first = claim();
        assertThat(first.task().name()).isEqualTo("online");
        assertThat(claim().task().name()).isEqualTo("early");
    }

    @Test
    void aQuestionThatIsWithdrawnIsNotAskedAndOneThatNobodyAskedIsUnknown() {
        ask("q-1");
        probe.withdraw("q-1");
        assertThat(probe.answer("q-1")).isEmpty();
        assertThat(worker.step(List.of(), 1).claims()).isEmpty();
        assertThat(probe.answer("q-2")).isEmpty();
    }
}
