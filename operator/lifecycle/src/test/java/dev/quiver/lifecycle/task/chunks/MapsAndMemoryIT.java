package dev.quiver.lifecycle.task.chunks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/** Redis has memory for the chunks of one map, and not of all. */
class MapsAndMemoryIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final int JOBS = 3;

    private World world;
    private int mapRuns;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
    }

    @AfterEach
    void close() {
        world.store.ask(redis -> redis.configSet("maxmemory", "0"));
        world.close();
    }

    /** Leaves room for so many bytes more than there are now. */
    private void leave(long bytes) {
        long used = world.store
                .<String>ask(redis -> redis.info("memory"))
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line -> Long.parseLong(line.substring("used_memory:".length())))
                .sum();
        world.store.ask(redis -> redis.configSet("maxmemory", Long.toString(used + bytes)));
    }

    private void begin(String tree) {
        TreeNode map = new TreeNode.Leaf(
                "p", Optional.of("map"), 2, 1, World.body("map", "map").bringing());
        TreeNode chunks = new TreeNode.Chunks(
                "p",
                Optional.of("process"),
                2,
                new ChunkWork(Optional.empty(), 1, 2, false, 1 << 20, false, Optional.empty()),
                Optional.empty(),
                World.bare("chunks", "process"));
        world.begin(tree, World.chain(map, chunks, World.leaf("reduce")));
    }

    private static byte[] output(int chunks) {
        return IntStream.range(0, chunks)
                .mapToObj(i -> "\"" + "x".repeat(2000) + "\"")
                .collect(Collectors.joining(",", "[", "]"))
                .getBytes(StandardCharsets.UTF_8);
    }

    /** A pod that runs what it is given, one task after another. */
    private final class Pod {

        private final World.Worker worker = world.worker("p", "map", "process", "h");
        private final byte[] output;
        private List<Claim> held = List.of();

        Pod(byte[] output) {
            this.output = output;
        }

        void turn() {
            List<Settlement> ends = new ArrayList<>();
            for (Claim claim : held) {
                boolean map = claim.task().name().equals("map");
                mapRuns += map ? 1 : 0;
                ends.add(
                        map
                                ? new Settlement.Passed(
                                        claim,
                                        Duration.ofMillis(1),
                                        Optional.empty(),
                                        Optional.of(
                                                new ExecutionInput.Payload(output, ExecutionInput.Format.JSON, false)))
                                : World.passed(claim, "1"));
            }
            StepCall.Outcome.Done done = worker.step(ends, 1);
            done.rest().ifPresent(Runnable::run);
            held = done.claims();
        }

        void chunks(String tree) {
            worker.at("chunks:" + tree + ".2").ifPresent(source -> {
                for (List<Claim> some = worker.claim(source, 64); !some.isEmpty(); ) {
                    some = worker.step(
                                    source,
                                    some.stream()
                                            .map(claim -> World.passed(claim, "1"))
                                            .toList(),
                                    64)
                            .claims();
                }
            });
        }
    }

    @Test
    void mapsThatFitSinglyComeOneAfterAnother() {
        List<String> trees = IntStream.range(0, JOBS).mapToObj(i -> "job" + i).toList();
        trees.forEach(this::begin);
        byte[] output = output(1800);
        List<Pod> pods = trees.stream().map(tree -> new Pod(output)).toList();
        pods.forEach(pod -> pod.held = pod.worker.step(List.of(), 1).claims());
        leave(8_000_000);
        // All three feed at the same time: two of them are refused in the middle, whoever they are.
        Awaitility.await("all jobs are done").atMost(Duration.ofMinutes(2)).until(() -> {
            List<Thread> turns = pods.stream()
                    .map(pod -> Thread.ofVirtual().start(pod::turn))
                    .toList();
            for (Thread turn : turns) {
                turn.join();
            }
            trees.forEach(tree -> pods.getFirst().chunks(tree));
            world.tick();
            return trees.stream().allMatch(tree -> world.state(tree).over());
        });
        trees.forEach(tree -> assertThat(world.state(tree).error()).isEmpty());
        assertThat(mapRuns).isLessThan(40);
    }

    @Test
    void aMapThatIsRefusedAloneEndsAndSaysWhy() {
        begin("job");
        Pod pod = new Pod(output(1800));
        pod.turn();
        leave(2_000_000);
        List<String> told = new ArrayList<>();
        List<String> toldOfHidden = new ArrayList<>();
        Awaitility.await("the job is over").atMost(Duration.ofMinutes(2)).until(() -> {
            pod.turn();
            world.tick();
            world.trees.report("job", 8).flatMap(TreeReport::memoryRefusal).ifPresent(told::add);
            world.trees.report("job", 2).flatMap(TreeReport::memoryRefusal).ifPresent(toldOfHidden::add);
            return world.state("job").over();
        });
        assertThat(world.state("job").error().orElseThrow().reason()).isEqualTo("OutOfMemory");
        assertThat(world.state("job").error().orElseThrow().message()).contains("1800 chunks", "Redis has no memory");
        assertThat(told).as("while it waits").isNotEmpty().allMatch(words -> words.contains("memory"));
        assertThat(toldOfHidden).as("where the node is not shown").isEqualTo(told);
        assertThat(world.trees.report("job", 8).flatMap(TreeReport::memoryRefusal))
                .isEmpty();
        assertThat(mapRuns).isEqualTo(MemoryRefusal.MOST_ALONE);
        world.begin("next", World.leaf("x")); // what it brought is gone
    }
}
