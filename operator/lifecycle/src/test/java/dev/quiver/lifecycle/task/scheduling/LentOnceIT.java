package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;

/** Tasks that wait for another one, at the edges of what they lend it and of their own trees. */
class LentOnceIT {

    private static final String NAMED = "{\"before\":[{\"handler\":\"first\",\"once\":{\"name\":\"folder\"}}]}";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h", "h#plan", "first");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static TreeNode planned(String name) {
        return new TreeNode.Leaf(
                "p",
                Optional.of("h"),
                1,
                1,
                new Rank(7, List.of(), Optional.empty()),
                World.body(name, "h").planned(TaskBody.PLAN_SECONDS));
    }

    private void settle(List<Settlement> settlements) {
        worker.step(settlements, 0).rest().ifPresent(Runnable::run);
        world.tick();
        worker.claim();
    }

    /** All plans put the same task before theirs. Returns its id. */
    private String plan() {
        worker.claim();
        settle(worker.held.stream().map(claim -> World.brought(claim, NAMED)).toList());
        return worker.held.getFirst().id();
    }

    private String record(String id) {
        return world.store.ask(redis -> redis.hget(world.keys.nodes(), id));
    }

    @Test
    void twoThatWaitLendTheSamePriorityOnce() {
        world.begin("a", planned("a"));
        world.begin("b", planned("b"));
        assertThat(record(plan())).contains("\u001f7\t").doesNotContain("7\u001d7");
    }

    /** Its own end is still to come, behind that of the composite. */
    @Test
    void oneOfACompositeThatHasEndedIsNotCalled() {
        world.begin("t", World.chain(planned("a")));
        plan();
        String chain = record("t");
        assertThat(chain).startsWith("C\ti\t");
        world.store.ask(redis -> redis.hset(world.keys.nodes(), "t", chain.replaceFirst("\ti\t", "\tx\t")));
        settle(List.of(World.passed(worker.held.getFirst(), "1")));
        assertThat(worker.held).extracting(Claim::id).isEmpty();
    }
}
