package dev.quiver.lifecycle.task.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;

/** The text that a tenant wrote about the Tasks of a dead worker is not read beyond bounds by the worker that follows. */
class HeldTasksIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer("--appendonly", "no");

    private static String held(World world, World.Worker worker) {
        return world.keys.held("p", worker.session.id());
    }

    @Test
    void oneHashOfManyEntriesKeepsNoWorkerFromGoingOn() {
        try (World world = new World(REDIS)) {
            world.begin("t", World.leaf("a"));
            World.Worker worker = world.worker("p", "h");
            assertThat(worker.step(List.of(), 1).claims()).hasSize(1);
            Map<String, String> many = new HashMap<>();
            IntStream.range(0, 70_000).forEach(i -> many.put("x" + i, "1@0"));
            world.store.ask(redis -> redis.hset(held(world, worker), many));
            World.Worker next = worker.successor();
            assertThat(next.session.orphans()).isEmpty();
            assertThat(next.session.adopt(List.of())).isEmpty();
            world.begin("u", World.leaf("b"));
            assertThat(next.step(List.of(), 1).claims())
                    .singleElement()
                    .satisfies(claim -> assertThat(claim.id()).isEqualTo("u"));
        }
    }

    @Test
    void aRecordThatIsTooLargeKeepsNoWorkerFromGoingOn() {
        try (World world = new World(REDIS)) {
            world.begin("t", World.leaf("a"));
            World.Worker worker = world.worker("p", "h");
            assertThat(worker.step(List.of(), 1).claims()).hasSize(1);
            world.store.ask(redis -> redis.hset(world.keys.nodes(), "t", "x".repeat(1 << 20)));
            World.Worker next = worker.successor();
            assertThat(next.session.orphans()).isEmpty();
        }
    }
}
