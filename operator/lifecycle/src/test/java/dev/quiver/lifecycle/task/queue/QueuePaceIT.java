package dev.quiver.lifecycle.task.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceLoad;

/** How long a pool's Tasks take, as whoever sizes the pool reads it. */
class QueuePaceIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static Optional<SourceLoad> load(World world) {
        return new Lifecycle(REDIS.store())
                .waiting(world.keyspace).of(List.of("p")).get("p").stream()
                        .filter(load -> load.source().equals(TaskQueues.source("p")))
                        .findFirst();
    }

    private static Settlement took(Claim claim, long ms) {
        return new Settlement.Passed(claim, Duration.ofMillis(ms), Optional.of(TaskResult.of("1")));
    }

    @Test
    void countsTheTrialsOfTasksAndTheirTime() {
        try (World world = new World(REDIS)) {
            IntStream.range(0, 6).forEach(i -> world.begin("t" + i, World.leaf("a")));
            assertThat(load(world)).hasValueSatisfying(load -> {
                assertThat(load.claimable()).isEqualTo(6);
                assertThat(load.trials()).isZero();
                assertThat(load.sinceFirst()).isEmpty();
                assertThat(load.sinceProgress()).isEmpty();
            });
            World.Worker worker = world.worker("p", "h");
            List<Claim> claims = worker.step(List.of(), 4).claims();
            assertThat(load(world)).hasValueSatisfying(load -> {
                assertThat(load.running()).isEqualTo(4);
                assertThat(load.sessions()).isEqualTo(1);
                assertThat(load.sinceFirst()).isPresent();
                assertThat(load.sinceProgress()).isPresent();
            });
            worker.step(
                    List.of(
                            took(claims.get(0), 100),
                            took(claims.get(1), 200),
                            new Settlement.Returned(claims.get(2), Optional.empty()),
                            World.failed(claims.get(3))),
                    0);
            assertThat(load(world)).hasValueSatisfying(load -> {
                assertThat(load.trials()).as("what was given back is no trial").isEqualTo(3);
                assertThat(load.runTime()).isGreaterThanOrEqualTo(Duration.ofMillis(300));
            });
        }
    }

    /** A queue has no end: after a change of its work the new times count soon. */
    @Test
    void forgetsHowLongTasksOfBeforeTook() {
        try (World world = new World(REDIS)) {
            World.Worker worker = world.worker("p", "h");
            run(world, worker, "slow", 1100, 10_000);
            run(world, worker, "fast", 1100, 10);
            world.begin("last", World.leaf("a"));
            assertThat(load(world)).hasValueSatisfying(load -> {
                assertThat(load.trials()).isBetween(500L, 1300L);
                assertThat(load.runTime().toMillis() / (double) load.trials()).isLessThan(6000);
            });
            run(world, worker, "faster", 4400, 10);
            world.begin("very-last", World.leaf("a"));
            assertThat(load(world))
                    .hasValueSatisfying(load -> assertThat(load.runTime().toMillis() / (double) load.trials())
                            .isLessThan(500));
        }
    }

    private static void run(World world, World.Worker worker, String name, int tasks, long ms) {
        IntStream.range(0, tasks).forEach(i -> world.begin(name + i, World.leaf("a")));
        List<Settlement> settlements = new ArrayList<>();
        do {
            List<Claim> claims = worker.step(settlements, 64).claims();
            settlements.clear();
            claims.forEach(claim -> settlements.add(took(claim, ms)));
        } while (!settlements.isEmpty());
    }
}
