package dev.quiver.lifecycle.task.chunks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.ordinals.CombineTree;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.WorkSource;

/** As many chunks as a job may have: they come in bounded calls, each counts once, and reduce has them in order. */
class ManyChunksIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    /** The most that the resource allows are 100,000. */
    private static final int CHUNKS = Integer.getInteger("quiver.chunks", 20_000);

    private static final int BATCH = 64;
    private static final String MAP = "map";

    /** Calls that a step and a feed make beside those that bring chunks. */
    private static final int MORE = 8;

    private World world;
    private World.Worker worker;
    private int combines;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", MAP, "process", "combine", "reduce");
    }

    @AfterEach
    void close() {
        world.close();
    }

    /** A job whose map brings these chunks; returns the calls that it takes. */
    private long bring(List<String> chunks, int fanIn) {
        TreeNode map = new TreeNode.Leaf(
                "p", Optional.of(MAP), 1, 1, World.body(MAP, MAP).bringing());
        ChunkWork work = new ChunkWork(
                Optional.of(fanIn).filter(each -> each > 0).map(_ -> World.bare("combine", "combine")),
                1,
                Math.max(2, fanIn),
                false,
                64 << 20,
                false,
                Optional.empty());
        TreeNode all = new TreeNode.Chunks(
                "p", Optional.of("process"), 1, work, Optional.empty(), World.bare("chunks", "process"));
        TreeNode reduce = new TreeNode.Leaf("p", Optional.of("reduce"), 1, 1, World.bare("reduce", "reduce"));
        world.begin("job", World.chain(map, all, reduce));
        byte[] json = ("[" + String.join(",", chunks) + "]").getBytes(StandardCharsets.UTF_8);
        Settlement mapped = new Settlement.Passed(
                worker.claim().getFirst(),
                Duration.ofMillis(1),
                Optional.empty(),
                Optional.of(new ExecutionInput.Payload(json, ExecutionInput.Format.JSON, false)));
        long before = calls();
        worker.step(List.of(mapped), 0);
        return calls() - before;
    }

    /** The calls of functions, so far. */
    private long calls() {
        return world.store
                .ask(redis -> redis.info("commandstats"))
                .lines()
                .filter(line -> line.startsWith("cmdstat_fcall:"))
                .map(line -> line.replaceFirst("cmdstat_fcall:calls=(\\d+),.*", "$1"))
                .mapToLong(Long::parseLong)
                .sum();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16})
    void allAreReducedInOrder(int fanIn) {
        long calls =
                bring(IntStream.range(0, CHUNKS).mapToObj(Integer::toString).toList(), fanIn);
        assertThat(calls).as("200 chunks a call").isBetween((long) CHUNKS / 200, (long) CHUNKS / 200 + MORE);
        world.tick();
        runAll(worker.at("chunks:job.2").orElseThrow(), fanIn > 0);
        assertThat(combines).isEqualTo(fanIn == 0 ? 0 : (int) new CombineTree(CHUNKS, fanIn).combines());
        Claim reduce = worker.claim().getFirst();
        assertThat(reduce.task().name()).isEqualTo("reduce");
        String expected = fanIn == 0
                ? IntStream.range(0, CHUNKS).mapToObj(Integer::toString).collect(Collectors.joining(",", "[[", "]]"))
                : "[[[0," + (CHUNKS - 1) + "]]]";
        assertThat(world.arguments(reduce).equals(expected)).as("all in order").isTrue();
        worker.step(List.of(World.passed(reduce, "" + CHUNKS)), 0);
        assertThat(world.trees.result("job", 100)).isEqualTo("" + CHUNKS);
    }

    /** Works at the source until nothing is left. */
    private void runAll(WorkSource source, boolean ranges) {
        List<Settlement> settlements = List.of();
        do {
            List<Claim> claims = worker.step(source, settlements, BATCH).claims();
            settlements = claims.stream()
                    .map(claim -> World.passed(claim, result(worker.completed(source, claim), ranges)))
                    .toList();
        } while (!settlements.isEmpty());
    }

    /**
     * The number of a chunk, or the range of it alone; for a combine the range of its neighbours, which follow each
     * other.
     */
    private String result(Claim claim, boolean ranges) {
        String arguments = world.arguments(claim);
        if (claim.task().name().startsWith("chunk-")) {
            assertThat(arguments).isEqualTo("[" + claim.id() + "]");
            return ranges ? "[" + claim.id() + "," + claim.id() + "]" : claim.id();
        }
        combines++;
        long[] numbers = Pattern.compile("\\D+")
                .splitAsStream(arguments)
                .filter(word -> !word.isEmpty())
                .mapToLong(Long::parseLong)
                .toArray();
        for (int i = 1; i + 1 < numbers.length; i += 2) {
            assertThat(numbers[i + 1]).as(arguments).isEqualTo(numbers[i] + 1);
        }
        return "[" + numbers[0] + "," + numbers[numbers.length - 1] + "]";
    }

    @Test
    void largeChunksComeInCallsOf64KibibytesAtMost() {
        String chunk = "\"" + "x".repeat(4094) + "\"";
        long calls = bring(Collections.nCopies(1000, chunk), 0);
        assertThat(calls).isBetween(1000L * 4096 / 65536, 1000L * 4096 / 65536 + MORE);
    }
}
