package dev.quiver.lifecycle.task.chunks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/** A node with chunks between the task that brings them and the one that gets their results. */
class ChunksIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final JsonMapper JSON = new JsonMapper();

    private World world;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static TreeNode map() {
        return new TreeNode.Leaf(
                "p", Optional.of("map"), 2, 1, World.body("map", "map").bringing());
    }

    private static TreeNode chunks(Optional<Integer> fanIn, boolean skips, long size, Optional<List<JsonNode>> given) {
        return new TreeNode.Chunks(
                "p",
                Optional.of("process"),
                2,
                new ChunkWork(
                        fanIn.map(_ -> World.bare("combine", "combine")),
                        2,
                        fanIn.orElse(2),
                        skips,
                        size,
                        false,
                        given),
                Optional.empty(),
                World.bare("chunks", "process"));
    }

    private static TreeNode chunks(int fanIn) {
        return chunks(fanIn == 0 ? Optional.empty() : Optional.of(fanIn), false, 1 << 20, Optional.empty());
    }

    private static TreeNode reduce() {
        return new TreeNode.Leaf("p", Optional.of("reduce"), 1, 1, World.bare("reduce", "reduce"));
    }

    private World.Worker worker() {
        return world.worker("p", "map", "process", "combine", "reduce");
    }

    /** Map counts, process wraps a number in a list, combine and reduce join lists in order. */
    private static String run(String name, String arguments, int chunks) throws JsonProcessingException {
        JsonNode given = JSON.readTree(arguments);
        if (name.equals("map")) {
            return IntStream.range(0, chunks).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
        }
        if (name.startsWith("chunk-")) {
            return "[" + given.path(0) + "]";
        }
        List<String> joined = new ArrayList<>();
        given.path(0).forEach(list -> list.forEach(number -> joined.add(number.toString())));
        return "[" + String.join(",", joined) + "]";
    }

    private Settlement passed(Claim claim, int chunks) {
        try {
            String result = run(claim.task().name(), world.arguments(claim), chunks);
            return claim.task().brings()
                    ? new Settlement.Passed(
                            claim,
                            Duration.ofMillis(1),
                            Optional.empty(),
                            Optional.of(new ExecutionInput.Payload(
                                    result.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.JSON, false)))
                    : World.passed(claim, result);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static String numbers(int chunks) {
        return IntStream.range(0, chunks).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
    }

    /** Steps at a source until it gives nothing more; a source that is not there yet gives nothing. */
    private boolean work(World.Worker worker, String source, Random order, int chunks) {
        var entered = worker.at(source);
        if (entered.isEmpty()) {
            return false;
        }
        List<Claim> held = new ArrayList<>(worker.claim(entered.get(), 7));
        boolean worked = !held.isEmpty();
        while (!held.isEmpty()) {
            Collections.shuffle(held, order);
            int settled = 1 + order.nextInt(held.size());
            List<Settlement> settlements = new ArrayList<>();
            for (int i = 0; i < settled; i++) {
                settlements.add(passed(worker.completed(entered.get(), held.removeFirst()), chunks));
            }
            held.addAll(worker.step(entered.get(), settlements, 7).claims());
        }
        return worked;
    }

    private void finish(World.Worker worker, String tree, int chunks) {
        Random order = new Random(chunks);
        for (int round = 0; round < 100 && !world.state(tree).over(); round++) {
            boolean worked =
                    work(worker, "tasks:p", order, chunks) | work(worker, "chunks:" + tree + ".2", order, chunks);
            if (!worked) {
                world.tick();
            }
        }
        assertThat(world.state(tree).over()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 0",
        "2, 0",
        "300, 0",
        "0, 2",
        "1, 2",
        "2, 2",
        "3, 2",
        "9, 2",
        "300, 2",
        "16, 16",
        "17, 16",
        "1000, 16"
    })
    void givesReduceAllResultsInOrder(int chunks, int fanIn) {
        world.begin("job", World.chain(map(), chunks(fanIn), reduce()));
        finish(worker(), "job", chunks);
        assertThat(world.trees.result("job", 1 << 20)).isEqualTo(numbers(chunks));
        assertThat(world.state("job").error()).isEmpty();
    }

    @Test
    void hasTheResultOfTheChunksWithoutReduce() {
        world.begin("job", World.chain(map(), chunks(4)));
        finish(worker(), "job", 10);
        assertThat(world.trees.result("job", 1 << 20)).isEqualTo("[" + numbers(10) + "]");
        assertThat(world.trees.measure("job", 100).json()).contains("[" + numbers(10) + "]");
    }

    /** The node's words about each worker are those that its supervisor is told. */
    @ParameterizedTest
    @CsvSource({"0, ''", "1, 1", "3, 3"})
    void aWorkerIsToldHowManyItMayRunAtATime(int perWorker, String told) {
        ChunkWork work = new ChunkWork(
                Optional.empty(),
                1,
                2,
                false,
                1 << 20,
                false,
                Optional.of(List.of(JSON.getNodeFactory().numberNode(1))),
                Optional.empty(),
                perWorker);
        TreeNode node = new TreeNode.Chunks(
                "p", Optional.of("process"), 2, work, Optional.empty(), World.bare("chunks", "process"));
        world.begin("job", World.chain(World.leaf("first"), node, reduce()));
        World.Worker worker = world.worker("p", "h", "process", "reduce");
        worker.step(List.of(World.passed(worker.claim().getFirst(), "1")), 0);
        world.tick();
        assertThat(worker.at("chunks:job.2").orElseThrow().mostHeld().map(String::valueOf))
                .isEqualTo(Optional.of(told).filter(some -> !some.isEmpty()));
    }

    @Test
    void takesTheChunksOfItsDocumentWithoutMap() {
        List<JsonNode> given = IntStream.range(0, 5)
                .<JsonNode>mapToObj(JSON.getNodeFactory()::numberNode)
                .toList();
        world.begin(
                "job",
                World.chain(
                        World.leaf("first"), chunks(Optional.empty(), false, 1 << 20, Optional.of(given)), reduce()));
        World.Worker worker = world.worker("p", "h", "process", "reduce");
        worker.step(List.of(World.passed(worker.claim().getFirst(), "1")), 0);
        finish(worker, "job", 0);
        assertThat(world.trees.result("job", 1 << 20)).isEqualTo(numbers(5));
    }

    @Test
    void leavesNothingWhenItsTreeIsDropped() {
        world.begin("job", World.chain(map(), chunks(2), reduce()));
        World.Worker worker = worker();
        worker.step(List.of(passed(worker.claim().getFirst(), 20)), 0);
        world.tick();
        var source = worker.at("chunks:job.2").orElseThrow();
        List<Claim> held = worker.step(source, List.of(), 5).claims();
        assertThat(held).hasSize(5);
        world.trees.drop("job", 3);
        world.tick();
        assertThat(source.prepare(worker.request(List.of(passed(held.getFirst(), 20)), 1))
                        .run())
                .isInstanceOf(StepCall.Outcome.Gone.class);
        List<String> left = world.store.ask(redis -> redis.keys(world.keyspace.prefix() + "*"));
        assertThat(left).noneMatch(key -> key.contains("chunks:")).noneMatch(key -> key.endsWith("task:nodes"));
    }

    @Test
    void endsWithTheFirstChunkThatIsGivenUp() {
        world.begin("job", World.chain(map(), chunks(0), reduce()));
        World.Worker worker = worker();
        worker.step(List.of(passed(worker.claim().getFirst(), 20)), 0);
        world.tick();
        var source = worker.at("chunks:job.2").orElseThrow();
        List<Claim> held = worker.step(source, List.of(), 3).claims();
        List<Claim> again =
                worker.step(source, List.of(World.failed(held.getFirst())), 1).claims();
        assertThat(again).extracting(Claim::id).containsExactly("0");
        var done = worker.step(source, List.of(World.failed(again.getFirst()), passed(held.get(1), 20)), 5);
        assertThat(done.claims()).isEmpty();
        done.rest().orElseThrow().run();
        assertThat(world.state("job").error()).hasValueSatisfying(error -> {
            assertThat(error.reason()).isEqualTo("ChunksFailed");
            assertThat(error.message()).isEqualTo("chunk 0 failed: Error: no");
        });
        assertThat(worker.step(source, List.of(passed(held.get(2), 20)), 0).verdicts())
                .containsExactly(StepCall.Verdict.VOID);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 4, 0",
        "0, 4, 3",
        "1, 4, 2",
        "5, 4, 2",
        "4, 4, 4",
        "6, 4, 0",
        "6, 4, 3",
        "0, 1, 2",
        "5, 1, 3",
        "9, 1, 3",
        "9, 1, 4",
        "7, 1, 16",
        "2, 1, 0"
    })
    void goesOnWithoutChunksThatAreSkipped(int from, int skips, int fanIn) {
        world.begin(
                "job",
                World.chain(
                        map(),
                        chunks(fanIn == 0 ? Optional.empty() : Optional.of(fanIn), true, 1 << 20, Optional.empty()),
                        reduce()));
        World.Worker worker = worker();
        worker.step(List.of(passed(worker.claim().getFirst(), 10)), 0);
        world.tick();
        var source = worker.at("chunks:job.2").orElseThrow();
        List<Claim> held = new ArrayList<>(worker.step(source, List.of(), 64).claims());
        while (!held.isEmpty()) {
            Claim claim = worker.completed(source, held.removeFirst());
            boolean fails = claim.task().name().startsWith("chunk-")
                    && Integer.parseInt(claim.id()) >= from
                    && Integer.parseInt(claim.id()) < from + skips;
            held.addAll(worker.step(source, List.of(fails ? World.failed(claim) : passed(claim, 10)), 64)
                    .claims());
        }
        finish(worker, "job", 10);
        assertThat(world.trees.result("job", 1 << 20))
                .isEqualTo(IntStream.range(0, 10)
                        .filter(i -> i < from || i >= from + skips)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(",", "[", "]")));
        List<String> skipped =
                world.store.ask(redis -> redis.zrange(world.keyspace.prefix() + "chunks:job.2:skipped", 0, -1));
        assertThat(skipped)
                .containsExactly(IntStream.range(from, from + skips)
                        .mapToObj(Integer::toString)
                        .toArray(String[]::new));
    }

    @Test
    void resultWithoutNeighbourMovesUpWithoutACombine() {
        world.begin("job", World.chain(map(), chunks(Optional.of(2), true, 1 << 20, Optional.empty()), reduce()));
        World.Worker worker = worker();
        worker.step(List.of(passed(worker.claim().getFirst(), 4)), 0);
        world.tick();
        var source = worker.at("chunks:job.2").orElseThrow();
        List<Claim> held = new ArrayList<>(worker.claim(source, 64));
        List<String> ran = new ArrayList<>();
        while (!held.isEmpty()) {
            Claim claim = worker.completed(source, held.removeFirst());
            ran.add(claim.task().name());
            boolean fails = claim.task().name().equals("chunk-3");
            held.addAll(worker.step(source, List.of(fails ? World.failed(claim) : passed(claim, 4)), 64)
                    .claims());
        }
        assertThat(ran).filteredOn(name -> name.startsWith("combine-")).containsExactly("combine-0", "combine-2");
        finish(worker, "job", 4);
        assertThat(world.trees.result("job", 1 << 20)).isEqualTo("[0,1,2]");
    }

    @Test
    void reducesNothingWhenAllAreSkipped() {
        world.begin("job", World.chain(map(), chunks(Optional.of(2), true, 1 << 20, Optional.empty()), reduce()));
        World.Worker worker = worker();
        worker.step(List.of(passed(worker.claim().getFirst(), 5)), 0);
        world.tick();
        var source = worker.at("chunks:job.2").orElseThrow();
        List<Claim> held = new ArrayList<>(worker.step(source, List.of(), 64).claims());
        while (!held.isEmpty()) {
            held.addAll(worker.step(source, List.of(World.failed(held.removeFirst())), 64)
                    .claims());
        }
        finish(worker, "job", 5);
        assertThat(world.trees.result("job", 1 << 20)).isEqualTo("[]");
    }

    @Test
    void keepsNoMoreResultsThanAllowed() {
        world.begin("job", World.chain(map(), chunks(Optional.empty(), true, 30, Optional.empty()), reduce()));
        World.Worker worker = worker();
        worker.step(List.of(passed(worker.claim().getFirst(), 10)), 0);
        world.tick();
        var source = worker.at("chunks:job.2").orElseThrow();
        List<Claim> held = worker.step(source, List.of(), 10).claims();
        List<Settlement> all =
                held.stream().map(claim -> World.passed(claim, "[1234]")).toList();
        worker.step(source, all, 0).rest().orElseThrow().run();
        assertThat(world.state("job").error()).hasValueSatisfying(error -> {
            assertThat(error.reason()).isEqualTo("ResultsTooLarge");
            assertThat(error.message()).contains("36 bytes, at most 30").contains("combine", "scratch", "return less");
        });
        long left = world.store.ask(redis -> redis.exists(world.keyspace.prefix() + "chunks:job.2:results"));
        assertThat(left).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "7", "[1", "\"text\""})
    void failsWithoutAnotherTrialWhenMapReturnsNoArray(String output) {
        world.begin("job", World.chain(map(), chunks(0), reduce()));
        World.Worker worker = worker();
        Claim claim = worker.claim().getFirst();
        ExecutionInput.Payload bytes =
                new ExecutionInput.Payload(output.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.JSON, false);
        worker.step(
                List.of(new Settlement.Passed(claim, Duration.ofMillis(1), Optional.empty(), Optional.of(bytes))), 0);
        assertThat(world.state("job").error())
                .hasValueSatisfying(error -> assertThat(error.reason()).isEqualTo("ResultInvalid"));
    }

    @Test
    void takesTheChunksOfTheTrialThatCounts() {
        world.begin("job", World.chain(map(), chunks(0), reduce()));
        World.Worker first = worker();
        Claim early = first.claim().getFirst();
        ChunkFeed feed = new ChunkFeed(world.store, world.keyspace, "job.2");
        SessionCalls calls = new SessionCalls(world.store, first.keys());
        var feeder = Optional.of(new ChunkFeed.Feeder(calls, early));
        assertThat(feed.bring(ChunkPage.all(List.of("7", "8", "9")), feeder)).isTrue();
        first.die();
        assertThat(feed.bring(ChunkPage.all(List.of("7", "8", "9")), feeder)).isFalse();
        calls.waiting().close();
        World.Worker second = worker();
        second.step(List.of(passed(second.claim().getFirst(), 2)), 0);
        finish(second, "job", 2);
        assertThat(world.trees.result("job", 1 << 20)).isEqualTo("[0,1]");
    }

    @Test
    void runsACombineAgainWhoseWorkerDied() {
        world.begin("job", World.chain(map(), chunks(2), reduce()));
        World.Worker first = worker();
        first.step(List.of(passed(first.claim().getFirst(), 4)), 0);
        world.tick();
        var source = first.at("chunks:job.2").orElseThrow();
        List<Claim> held = first.step(source, List.of(), 4).claims();
        List<Claim> combines = first.step(
                        source, held.stream().map(claim -> passed(claim, 4)).toList(), 2)
                .claims();
        assertThat(combines).extracting(claim -> claim.task().name()).containsExactly("combine-0", "combine-1");
        first.die();
        finish(worker(), "job", 4);
        assertThat(world.trees.result("job", 1 << 20)).isEqualTo(numbers(4));
    }

    @Test
    void givesNothingOutWhileItIsSuspendedAndNothingCountsAfterACancel() {
        world.begin("job", World.chain(map(), chunks(0), reduce()));
        World.Worker worker = worker();
        worker.step(List.of(passed(worker.claim().getFirst(), 4)), 0);
        world.tick();
        var source = worker.at("chunks:job.2").orElseThrow();
        List<Claim> held = worker.step(source, List.of(), 1).claims();
        world.trees.change("job", Trees.Change.SUSPEND);
        assertThat(worker.step(source, List.of(), 4).claims()).isEmpty();
        world.trees.change("job", Trees.Change.RESUME);
        List<Claim> more = worker.step(source, List.of(), 1).claims();
        assertThat(more).hasSize(1);
        world.trees.change("job", Trees.Change.CANCEL);
        assertThat(worker.step(source, List.of(passed(held.getFirst(), 4), passed(more.getFirst(), 4)), 4)
                        .verdicts())
                .containsOnly(StepCall.Verdict.VOID);
        assertThat(world.state("job").error())
                .hasValueSatisfying(error -> assertThat(error.reason()).isEqualTo("Cancelled"));
    }

    @Test
    void takesTheElementsOfTheResultBeforeIt() {
        TreeNode each = new TreeNode.Chunks(
                "p",
                Optional.of("process"),
                1,
                new ChunkWork(Optional.empty(), 1, 2, false, 1 << 20, true, Optional.empty()),
                Optional.empty(),
                World.bare("chunks", "process"));
        World.Worker worker = world.worker("p", "h", "process", "reduce");
        world.begin("job", World.chain(World.leaf("list"), each, reduce()));
        worker.step(List.of(World.passed(worker.claim().getFirst(), "[0, 1, 2]")), 0);
        finish(worker, "job", 0);
        assertThat(world.trees.result("job", 1 << 20)).isEqualTo("[0,1,2]");
        world.begin("none", World.chain(World.leaf("list"), each, reduce()));
        worker.step(List.of(World.passed(worker.claim().getFirst(), "{}")), 0);
        finish(worker, "none", 0);
        assertThat(world.state("none").error()).hasValueSatisfying(error -> {
            assertThat(error.reason()).isEqualTo("InputInvalid");
            assertThat(error.message()).isEqualTo("the elements of the result before it are no JSON array: {}");
        });
    }
}
