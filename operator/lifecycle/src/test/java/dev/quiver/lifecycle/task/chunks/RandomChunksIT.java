package dev.quiver.lifecycle.task.chunks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.WorkSource;

/**
 * Map-reduces by three workers in any order. Workers die with what they hold, trials fail, suspends come in between, and
 * commands wait for a tick. Each gives reduce the results of all chunks that were not given up, in order, and leaves
 * nothing once it is dropped. {@code -Dquiver.seed=N} replays one.
 */
class RandomChunksIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final JsonMapper JSON = new JsonMapper();
    private static final int SEEDS = 60;

    static LongStream seeds() {
        Long given = Long.getLong("quiver.seed");
        return given != null ? LongStream.of(given) : new Random().longs(SEEDS, 0, Integer.MAX_VALUE);
    }

    private static final class Run {
        final Random random;
        final int chunks;
        final int fanIn;
        final Set<Integer> poison = new HashSet<>();
        final Map<World.Worker, List<Claim>> held = new HashMap<>();
        final World world;
        int deaths;

        Run(World world, Random random) {
            this.world = world;
            this.random = random;
            this.chunks = random.nextInt(70);
            this.fanIn = List.of(0, 2, 3, 5, 16).get(random.nextInt(5));
            for (int i = 0; i < chunks; i++) {
                if (random.nextInt(10) == 0) {
                    poison.add(i);
                }
            }
        }

        World.Worker join() {
            World.Worker worker = world.worker("p", "map", "process", "combine", "reduce");
            held.put(worker, new ArrayList<>());
            return worker;
        }

        Settlement end(World.Worker worker, Claim claim) {
            String name = claim.task().name();
            boolean fails = name.startsWith("chunk-") && poison.contains(Integer.parseInt(claim.id()))
                    || claim.trial() == 1 && random.nextInt(12) == 0;
            if (fails) {
                return World.failed(claim);
            }
            if (random.nextInt(15) == 0) {
                return new Settlement.Returned(claim);
            }
            if (name.equals("map")) {
                String all = IntStream.range(0, chunks)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(",", "[", "]"));
                return new Settlement.Passed(
                        claim,
                        Duration.ofMillis(1),
                        Optional.empty(),
                        Optional.of(new ExecutionInput.Payload(all.getBytes(), ExecutionInput.Format.JSON, false)));
            }
            WorkSource source = worker.at(claim.uid()).orElseThrow();
            return World.passed(claim, result(name, world.arguments(worker.completed(source, claim))));
        }

        String result(String name, String arguments) {
            try {
                var given = JSON.readTree(arguments).path(0);
                if (name.startsWith("chunk-")) {
                    return "[" + given + "]";
                }
                List<String> joined = new ArrayList<>();
                given.forEach(list -> list.forEach(number -> joined.add(number.toString())));
                return "[" + String.join(",", joined) + "]";
            } catch (JsonProcessingException e) {
                throw new AssertionError(e);
            }
        }

        void step(World.Worker worker) {
            List<Claim> mine = held.get(worker);
            List<String> sources = List.of("tasks:p", "chunks:job.2");
            String source = sources.get(random.nextInt(2));
            Optional<WorkSource> entered = worker.at(source);
            if (entered.isEmpty()) {
                return;
            }
            List<Claim> ending = mine.stream()
                    .filter(claim -> claim.uid().equals(source) && random.nextBoolean())
                    .toList();
            List<Settlement> settlements =
                    ending.stream().map(claim -> end(worker, claim)).toList();
            mine.removeAll(ending);
            StepCall.Outcome outcome = entered.get()
                    .prepare(worker.request(settlements, random.nextInt(6)))
                    .run();
            if (outcome instanceof StepCall.Outcome.Done done) {
                mine.addAll(done.claims());
                if (random.nextBoolean()) {
                    done.rest().ifPresent(Runnable::run);
                }
            }
        }

        void act() {
            World.Worker worker = List.copyOf(held.keySet()).get(random.nextInt(held.size()));
            switch (random.nextInt(30)) {
                case 0 -> {
                    if (deaths++ >= 2) { // a third one may end a task
                        return;
                    }
                    held.remove(worker);
                    worker.die();
                    join();
                }
                case 1 -> world.trees.change("job", Trees.Change.SUSPEND);
                case 2, 3, 4 -> world.trees.change("job", Trees.Change.RESUME);
                case 5, 6 -> world.tick();
                default -> step(worker);
            }
        }
    }

    private static TreeNode job(int fanIn) {
        return World.chain(
                new TreeNode.Leaf(
                        "p", Optional.of("map"), 50, 1, World.body("map", "map").bringing()),
                new TreeNode.Chunks(
                        "p",
                        Optional.of("process"),
                        2,
                        new ChunkWork(
                                fanIn == 0 ? Optional.empty() : Optional.of(World.bare("combine", "combine")),
                                50,
                                Math.max(2, fanIn),
                                true,
                                1 << 20,
                                false,
                                Optional.empty()),
                        Optional.empty(),
                        World.bare("chunks", "process")),
                new TreeNode.Leaf("p", Optional.of("reduce"), 50, 1, World.bare("reduce", "reduce")));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void endsWithAllResultsInOrderAndLeavesNothing(long seed) {
        try (World world = new World(REDIS)) {
            Run run = new Run(world, new Random(seed));
            world.begin("job", job(run.fanIn));
            for (int i = 0; i < 3; i++) {
                run.join();
            }
            int acts = 0;
            while (!world.state("job").over()) {
                assertThat(acts++).as("seed %s: acts", seed).isLessThan(100_000);
                run.act();
            }
            assertThat(world.state("job").error()).as("seed %s", seed).isEmpty();
            List<Integer> lost = lost(world);
            assertThat(world.trees.result("job", 1 << 20))
                    .as("seed %s", seed)
                    .isEqualTo(IntStream.range(0, run.chunks)
                            .filter(i -> !lost.contains(i))
                            .mapToObj(Integer::toString)
                            .collect(Collectors.joining(",", "[", "]")));
            assertThat(lost).as("seed %s", seed).containsAll(run.poison);
            while (!world.trees.drop("job", 3)) {
                world.tick();
            }
            world.tick();
            List<String> keys = world.store.ask(redis -> redis.keys(world.keyspace.prefix() + "*"));
            assertThat(keys).as("seed %s", seed).noneMatch(key -> key.contains("chunks:"));
        }
    }

    /** Chunks that were given up: the poisonous ones, and others that failed twice. */
    private static List<Integer> lost(World world) {
        List<String> skipped =
                world.store.ask(redis -> redis.zrange(world.keyspace.prefix() + "chunks:job.2:skipped", 0, -1));
        return skipped.stream().map(Integer::valueOf).toList();
    }
}
