package dev.quiver.lifecycle.task.chunks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;

/** Chunks when processes meet at one command, when data is odd, and when Redis forgets or has no room. */
class ChunkAccidentsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

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

    private static TreeNode reduce() {
        return new TreeNode.Leaf("p", Optional.of("reduce"), 1, 1, World.bare("reduce", "reduce"));
    }

    private static TreeNode chunks(Optional<Integer> given) {
        Optional<List<JsonNode>> elements = given.map(count -> IntStream.range(0, count)
                .<JsonNode>mapToObj(JsonNodeFactory.instance::numberNode)
                .toList());
        return new TreeNode.Chunks(
                "p",
                Optional.of("process"),
                2,
                new ChunkWork(Optional.empty(), 1, 2, false, 1 << 20, false, elements),
                Optional.empty(),
                World.bare("chunks", "process"));
    }

    private World.Worker worker() {
        return world.worker("p", "map", "process", "reduce", "h");
    }

    private static Settlement brought(Claim claim, String output) {
        return new Settlement.Passed(
                claim,
                Duration.ofMillis(1),
                Optional.empty(),
                Optional.of(new ExecutionInput.Payload(
                        output.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.JSON, false)));
    }

    private List<String> keysOfChunks() {
        return world.store.<List<String>>ask(redis -> redis.keys(world.keyspace.prefix() + "chunks:*")).stream()
                .sorted()
                .toList();
    }

    private void runChunks(World.Worker worker, String node) {
        var source = worker.at("chunks:" + node).orElseThrow();
        List<Claim> held = worker.claim(source, 8);
        while (!held.isEmpty()) {
            held = worker.step(
                            source,
                            held.stream()
                                    .map(claim -> World.passed(claim, "[1]"))
                                    .toList(),
                            8)
                    .claims();
        }
    }

    @Test
    void documentWithoutOneChunkGivesReduceAnEmptyArray() {
        world.begin("job", World.chain(World.leaf("first"), chunks(Optional.of(0)), reduce()));
        World.Worker worker = worker();
        worker.step(
                worker.claim().stream().map(claim -> World.passed(claim, "1")).toList(), 0);
        world.tick();
        assertThat(world.state("job").error()).isEmpty();
        Claim reduce = worker.claim().getFirst();
        RunnableTask task = reduce.task().isReady() ? reduce.task() : worker.source.complete(reduce.task(), 1 << 20);
        assertThat(new String(
                        task.render(new SlotFacts(0, "pod", "in", "out", 1 << 20))
                                .input()
                                .bytes(),
                        StandardCharsets.UTF_8))
                .isEqualTo("[[]]");
    }

    @Test
    void moreBadMapsThanAStepHoldsFailuresEndInSeveralSteps() {
        for (int i = 0; i < 130; i++) {
            TreeNode map = new TreeNode.Leaf(
                    "p", Optional.of("map"), 1, 1, World.body("map", "map").bringing());
            world.begin("job" + i, World.chain(map, chunks(Optional.empty()), reduce()));
        }
        World.Worker worker = worker();
        List<Claim> maps = new ArrayList<>(worker.step(List.of(), 128).claims());
        List<Claim> good = maps.subList(100, 102);
        List<Settlement> ends = maps.stream()
                .map(claim -> brought(claim, good.contains(claim) ? "[1]" : "{\"not\":\"an array\"}"))
                .toList();
        StepCall step = worker.source.prepare(
                new StepRequest(ends, List.of(Place.slot(0, 1)), List.of("map", "process", "reduce", "h")));
        StepCall.Outcome.Done done = (StepCall.Outcome.Done) step.run();
        assertThat(done.verdicts()).hasSize(128).containsOnly(StepCall.Verdict.COUNTED);
        assertThat(done.claims()).as("the last one claims").hasSize(1);
        worker.step(List.of(new Settlement.Returned(done.claims().getFirst())), 0);
        for (Claim claim : maps) {
            var error = world.state(claim.id().substring(0, claim.id().indexOf('.')))
                    .error();
            assertThat(error.isPresent()).isEqualTo(!good.contains(claim));
        }
    }

    /** Every supervisor and the operator tick, and all of them read the same command. */
    @Test
    void processesThatBeginTheSameChunksBringThemOnce() throws InterruptedException {
        World.Worker worker = worker();
        for (int i = 0; i < 15; i++) {
            String tree = "job" + i;
            world.begin(tree, World.chain(World.leaf("first"), chunks(Optional.of(1000)), reduce()));
            List<Settlement> first = worker.claim().stream()
                    .filter(claim -> claim.task().name().equals("first"))
                    .map(claim -> World.passed(claim, "1"))
                    .toList();
            worker.step(first, 0);
            List<Thread> ticks = IntStream.range(0, 3)
                    .mapToObj(_ -> Thread.startVirtualThread(world::tick))
                    .toList();
            for (Thread tick : ticks) {
                tick.join();
            }
            world.tick();
            assertThat(world.state(tree).error()).isEmpty();
            Map<String, String> source =
                    world.store.ask(redis -> redis.hgetall(world.keyspace.prefix() + "chunks:" + tree + ".2"));
            assertThat(source).containsEntry("count", "1000").containsEntry("status", "running");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"name\":\"chunks\",\"handler\":\"process\"}", "{", ""})
    void nodeThatCannotBeReadEndsItsTreeAndKeepsNoOtherBack(String document) {
        world.begin("job", World.chain(World.leaf("first"), chunks(Optional.of(3)), reduce()));
        world.begin("other", World.chain(World.leaf("first"), World.leaf("second")));
        world.store.ask(redis -> redis.hset(world.keys.body(), "job.2", document));
        World.Worker worker = worker();
        worker.step(
                worker.claim().stream().map(claim -> World.passed(claim, "1")).toList(), 0);
        world.tick();
        world.reaper.tick();
        assertThat(world.state("job").error())
                .hasValueSatisfying(error -> assertThat(error.reason()).isEqualTo("InputInvalid"));
        assertThat(worker.claimNames()).containsExactly("second");
    }

    @Test
    void commandThatMakesNoSenseKeepsNoOtherBack() {
        world.begin("job", World.chain(map(), chunks(Optional.empty()), reduce()));
        for (String odd : List.of("begin\tjob.2\tx\tp\t1", "begin\tjob.2\t9 9/\tp\t2", "follow\tjob.99\t\tp\t3")) {
            world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, odd));
        }
        world.tick();
        world.reaper.tick();
        World.Worker worker = worker();
        worker.step(List.of(brought(worker.claim().getFirst(), "[1, 2]")), 0);
        world.tick();
        assertThat(worker.claim(worker.at("chunks:job.2").orElseThrow(), 8)).hasSize(2);
    }

    @Test
    void chunksOfATaskThatWasCancelledAreNotKept() {
        world.begin("job", World.chain(map(), chunks(Optional.empty()), reduce()));
        World.Worker worker = worker();
        Claim claim = worker.claim().getFirst();
        world.trees.change("job", Trees.Change.CANCEL);
        world.tick();
        assertThat(worker.step(List.of(brought(claim, "[1,2,3]")), 0).verdicts())
                .containsExactly(StepCall.Verdict.VOID);
        assertThat(keysOfChunks()).isEmpty();
    }

    @Test
    void resultsGoWhenReduceHasThem() {
        world.begin("job", World.chain(map(), chunks(Optional.empty()), reduce()));
        World.Worker worker = worker();
        worker.step(List.of(brought(worker.claim().getFirst(), "[1,2,3]")), 0);
        world.tick();
        runChunks(worker, "job.2");
        world.tick();
        assertThat(keysOfChunks()).anyMatch(key -> key.endsWith(":results"));
        worker.step(List.of(World.passed(worker.claim().getFirst(), "7")), 0);
        world.tick();
        assertThat(world.state("job").over()).isTrue();
        assertThat(keysOfChunks()).noneMatch(key -> key.endsWith(":results"));
    }

    private World.Worker beforeReduce() {
        world.begin("job", World.chain(map(), chunks(Optional.empty()), reduce()));
        World.Worker worker = worker();
        worker.step(List.of(brought(worker.claim().getFirst(), "[1,2,3]")), 0);
        world.tick();
        runChunks(worker, "job.2");
        world.tick();
        return worker;
    }

    @Test
    void claimOfReduceBringsTheNumbersOfItsResults() {
        World.Worker worker = beforeReduce();
        world.store.ask(redis -> redis.hdel(world.keyspace.prefix() + "chunks:job.2", "count", "fan_in"));
        assertThat(worker.claim()).extracting(world::arguments).containsExactly("[[[1],[1],[1]]]");
    }

    @Test
    void reduceReadsResultsThatAWorkerOfAnEarlierReleaseSettled() {
        World.Worker worker = beforeReduce();
        world.store.ask(redis -> redis.hset(world.keys.results(), "job.2", "#3"));
        assertThat(worker.claim()).extracting(world::arguments).containsExactly("[[[1],[1],[1]]]");
    }

    @Test
    void forEachRunsThroughTheResultsOfChunks() {
        world.begin(
                "job", World.chain(World.chain(map(), chunks(Optional.empty())), World.each(World.leaf("each"), 0)));
        World.Worker worker = worker();
        worker.step(List.of(brought(worker.claim().getFirst(), "[1,2,3]")), 0);
        world.tick();
        String node = keysOfChunks().getFirst().replaceFirst(".*chunks:", "");
        runChunks(worker, node);
        world.tick();
        List<Claim> each = worker.claim();
        assertThat(each)
                .extracting(world::arguments)
                .containsExactly("[\"each\",[1]]", "[\"each\",[1]]", "[\"each\",[1]]");
    }

    @Test
    void chunksWithoutATreeAboveThemRestToo() {
        world.begin("job", chunks(Optional.of(5)));
        world.tick();
        World.Worker worker = worker();
        var source = worker.at("chunks:job").orElseThrow();
        world.trees.change("job", Trees.Change.SUSPEND);
        assertThat(worker.claim(source, 3)).isEmpty();
        world.trees.change("job", Trees.Change.RESUME);
        assertThat(worker.claim(source, 3)).hasSize(3);
    }

    @Test
    void taskThatBringsChunksGoesBackWhileRedisHasNoMemoryAndKeepsNoOtherBack() {
        world.begin("job", World.chain(map(), chunks(Optional.empty()), reduce()));
        world.begin("other", World.leaf("other"));
        World.Worker worker = worker();
        List<Settlement> all = new ArrayList<>();
        for (Claim claim : worker.claim()) {
            all.add(claim.task().brings() ? brought(claim, "[1]") : World.passed(claim, "1"));
        }
        world.store.ask(redis -> redis.configSet("maxmemory", "1"));
        try {
            worker.step(all, 0);
            assertThat(world.state("other").over()).isTrue();
        } finally {
            world.store.ask(redis -> redis.configSet("maxmemory", "0"));
        }
        worker.step(List.of(brought(worker.claim().getFirst(), "[1]")), 0);
        world.tick();
        runChunks(worker, "job.2");
        world.tick();
        worker.step(List.of(World.passed(worker.claim().getFirst(), "7")), 0);
        assertThat(world.state("job").error()).isEmpty();
    }

    /** So a store that comes back without it has fewer calls than the session knows, and refuses its next step. */
    @Test
    void bringingChunksCountsAsACallOfTheSession() {
        world.begin("job", World.chain(map(), chunks(Optional.empty()), reduce()));
        World.Worker worker = worker();
        Claim claim = worker.claim().getFirst();
        String session = world.keyspace.session(worker.session.id());
        String before = world.store.ask(redis -> redis.hget(session, "calls"));
        worker.step(List.of(brought(claim, "[1,2]")), 0);
        String after = world.store.ask(redis -> redis.hget(session, "calls"));
        assertThat(Long.parseLong(after)).isEqualTo(Long.parseLong(before) + 2);
    }
}
