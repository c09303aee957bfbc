package dev.quiver.lifecycle.task.chunks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepCall.Outcome.Done;
import dev.quiver.lifecycle.worker.StepCall.Verdict;
import dev.quiver.lifecycle.worker.WorkSource;

/** A map-reduce while replies are lost, pods die or meet, it is cancelled or dropped, and Redis is emptied. */
class ChunkWeatherIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final int CHUNKS = 4;

    private World world;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private World.Worker worker() {
        return world.worker("p", "map", "process", "combine", "reduce");
    }

    /** Map of so many trials, chunks and combines of two, reduce. */
    private void beginJob(int fanIn, boolean skips, long resultsSize) {
        TreeNode map = new TreeNode.Leaf(
                "p", Optional.of("map"), 2, 1, World.body("map", "map").bringing());
        ChunkWork work = new ChunkWork(
                fanIn == 0 ? Optional.empty() : Optional.of(World.bare("combine", "combine")),
                2,
                Math.max(2, fanIn),
                skips,
                resultsSize,
                false,
                Optional.empty());
        TreeNode chunks = new TreeNode.Chunks(
                "p", Optional.of("process"), 2, work, Optional.empty(), World.bare("chunks", "process"));
        TreeNode reduce = new TreeNode.Leaf("p", Optional.of("reduce"), 2, 1, World.bare("reduce", "reduce"));
        world.begin("job", World.chain(map, chunks, reduce));
    }

    private void beginJob(int fanIn) {
        beginJob(fanIn, false, 1 << 20);
    }

    private static Settlement mapped(Claim map) {
        String numbers =
                IntStream.range(0, CHUNKS).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
        return new Settlement.Passed(
                map,
                Duration.ofMillis(1),
                Optional.empty(),
                Optional.of(new ExecutionInput.Payload(
                        numbers.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.JSON, false)));
    }

    /** Map has ended, the chunks can be claimed. */
    private WorkSource chunksOf(World.Worker worker) {
        worker.step(List.of(mapped(worker.claim().getFirst())), 0);
        world.tick();
        return worker.at("chunks:job.2").orElseThrow();
    }

    private static List<Settlement> passed(List<Claim> claims) {
        return claims.stream().map(claim -> World.passed(claim, "[1]")).toList();
    }

    private Set<String> keys() {
        return new TreeSet<>(world.store.<List<String>>ask(redis -> redis.keys(world.keyspace.prefix() + "*")));
    }

    private Map<String, String> chunks() {
        return world.store.ask(redis -> redis.hgetall(world.keyspace.prefix() + "chunks:job.2"));
    }

    @Test
    void mapWhoseReplyWasLostBringsItsChunksOnce() {
        beginJob(0);
        World.Worker worker = worker();
        Settlement mapped = mapped(worker.claim().getFirst());
        StepCall call = worker.source.prepare(worker.request(List.of(mapped), 0));
        assertThat(((Done) call.run()).verdicts()).containsExactly(Verdict.COUNTED);
        assertThat(((Done) call.run()).verdicts()).containsExactly(Verdict.COUNTED);
        world.tick();
        assertThat(chunks()).containsEntry("count", "" + CHUNKS).containsEntry("left", "" + CHUNKS);
        WorkSource source = worker.at("chunks:job.2").orElseThrow();
        assertThat(worker.step(source, passed(worker.claim(source, 8)), 8).claims())
                .isEmpty();
        assertThat(worker.claimNames()).containsExactly("reduce");
    }

    @Test
    void lastChunksOfTwoPodsGiveOneResult() throws Exception {
        beginJob(0);
        World.Worker first = worker();
        World.Worker second = worker();
        WorkSource ofFirst = chunksOf(first);
        WorkSource ofSecond = second.at("chunks:job.2").orElseThrow();
        List<Claim> most = first.claim(ofFirst, CHUNKS - 2);
        first.step(ofFirst, passed(most), 0);
        StepCall one = ofFirst.prepare(first.request(passed(first.claim(ofFirst, 1)), 0));
        StepCall other = ofSecond.prepare(second.request(passed(second.claim(ofSecond, 1)), 0));
        for (StepCall.Outcome outcome : atOnce(one::run, other::run)) {
            ((Done) outcome).rest().ifPresent(Runnable::run);
        }
        assertThat(first.claimNames()).containsExactly("reduce");
        assertThat(second.claimNames()).isEmpty();
        assertThat(world.arguments(first.held.getFirst())).isEqualTo("[[[1],[1],[1],[1]]]");
    }

    @Test
    void resultsOfTwoPodsThatPassTheBoundTogetherFailTheJob() throws Exception {
        beginJob(0, true, 100);
        World.Worker first = worker();
        World.Worker second = worker();
        WorkSource ofFirst = chunksOf(first);
        WorkSource ofSecond = second.at("chunks:job.2").orElseThrow();
        String result = "\"" + "x".repeat(30) + "\"";
        StepCall one = ofFirst.prepare(first.request(
                first.claim(ofFirst, 2).stream()
                        .map(claim -> World.passed(claim, result))
                        .toList(),
                0));
        StepCall other = ofSecond.prepare(second.request(
                second.claim(ofSecond, 2).stream()
                        .map(claim -> World.passed(claim, result))
                        .toList(),
                0));
        for (StepCall.Outcome outcome : atOnce(one::run, other::run)) {
            ((Done) outcome).rest().ifPresent(Runnable::run);
        }
        world.tick();
        assertThat(world.state("job").error())
                .hasValueSatisfying(error -> assertThat(error.reason()).isEqualTo("ResultsTooLarge"));
        assertThat(first.claimNames()).isEmpty();
    }

    private static List<StepCall.Outcome> atOnce(Callable<StepCall.Outcome> one, Callable<StepCall.Outcome> other)
            throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<StepCall.Outcome>> both = List.of(one, other).stream()
                    .map(call -> threads.submit(() -> {
                        together.await();
                        return call.call();
                    }))
                    .toList();
            return List.of(both.get(0).get(), both.get(1).get());
        }
    }

    @Test
    void combineThatRipensWhileTheJobIsSuspendedWaitsAndIsCountedOnce() {
        beginJob(2);
        World.Worker doomed = worker();
        WorkSource source = chunksOf(doomed);
        List<Claim> chunks = doomed.claim(source, CHUNKS);
        world.trees.change("job", Trees.Change.SUSPEND);
        assertThat(doomed.step(source, passed(chunks), 8).claims()).isEmpty();
        world.trees.change("job", Trees.Change.RESUME);
        List<Claim> combines = doomed.claim(source, 8);
        assertThat(combines).extracting(claim -> claim.task().name()).containsExactly("combine-0", "combine-1");
        doomed.die();
        World.Worker heir = worker();
        WorkSource again = heir.at("chunks:job.2").orElseThrow();
        List<Claim> second = heir.claim(again, 8);
        assertThat(second).hasSize(2);
        List<Claim> last = heir.step(again, passed(second), 8).claims();
        assertThat(last).extracting(claim -> claim.task().name()).containsExactly("combine-2");
        heir.step(again, passed(last), 8);
        assertThat(heir.claimNames()).containsExactly("reduce");
        assertThat(world.arguments(heir.held.getFirst())).isEqualTo("[[[1]]]");
    }

    @Test
    void combineThatIsSettledTwiceCountsOnce() {
        beginJob(2);
        World.Worker worker = worker();
        WorkSource source = chunksOf(worker);
        List<Claim> combines =
                worker.step(source, passed(worker.claim(source, CHUNKS)), 8).claims();
        assertThat(combines).extracting(claim -> claim.task().name()).containsExactly("combine-0", "combine-1");
        StepCall call = source.prepare(worker.request(passed(combines.subList(0, 1)), 0));
        assertThat(((Done) call.run()).verdicts()).containsExactly(Verdict.COUNTED);
        assertThat(((Done) call.run()).verdicts()).as("its reply was lost").containsExactly(Verdict.COUNTED);
        assertThat(worker.step(source, passed(combines.subList(0, 1)), 0).verdicts())
                .containsExactly(Verdict.ALREADY);
        assertThat(chunks()).containsEntry("combines_done", "1");
        List<Claim> last =
                worker.step(source, passed(combines.subList(1, 2)), 8).claims();
        assertThat(last).extracting(claim -> claim.task().name()).containsExactly("combine-2");
        worker.step(source, passed(last), 0);
        assertThat(worker.claimNames()).containsExactly("reduce");
        assertThat(world.arguments(worker.held.getFirst())).isEqualTo("[[[1]]]");
    }

    @Test
    void chunkThatTakesItsWorkersAlongIsGivenUp() {
        beginJob(0);
        chunksOf(worker());
        for (int deaths = 0; deaths < 3; deaths++) {
            World.Worker doomed = worker();
            assertThat(doomed.claim(doomed.at("chunks:job.2").orElseThrow(), 1))
                    .extracting(Claim::id)
                    .containsExactly("0");
            doomed.die();
        }
        world.tick();
        assertThat(world.state("job").error()).hasValueSatisfying(error -> {
            assertThat(error.reason()).isEqualTo("ChunksFailed");
            assertThat(error.message()).startsWith("chunk 0 ").contains("WorkerLost");
        });
    }

    /** How far a job has come. */
    enum Phase {
        MAP_WAITS,
        MAP_RUNS,
        CHUNKS_WAIT,
        CHUNKS_RUN,
        COMBINES_RUN,
        REDUCE_WAITS,
        REDUCE_RUNS
    }

    private World.Worker reach(Phase phase) {
        World.Worker worker = worker();
        beginJob(2);
        if (phase == Phase.MAP_RUNS) {
            worker.claim();
        }
        if (phase.compareTo(Phase.CHUNKS_WAIT) >= 0) {
            WorkSource source = chunksOf(worker);
            List<Claim> claims = List.of();
            if (phase.compareTo(Phase.CHUNKS_RUN) >= 0) {
                claims = worker.claim(source, CHUNKS);
            }
            if (phase.compareTo(Phase.COMBINES_RUN) >= 0) {
                claims = worker.step(source, passed(claims), 2).claims();
            }
            while (phase.compareTo(Phase.REDUCE_WAITS) >= 0 && !claims.isEmpty()) {
                claims = worker.step(source, passed(claims), 2).claims();
            }
        }
        if (phase == Phase.REDUCE_RUNS) {
            assertThat(worker.claimNames()).containsExactly("reduce");
        }
        return worker;
    }

    @ParameterizedTest
    @EnumSource
    void cancelAndDropInAnyPhaseLeaveNothing(Phase phase) {
        World.Worker worker = reach(phase);
        world.trees.change("job", Trees.Change.CANCEL);
        world.tick();
        assertThat(world.state("job").error())
                .hasValueSatisfying(error -> assertThat(error.reason()).isEqualTo("Cancelled"));
        letGo(worker);
        while (!world.trees.drop("job", 3)) {
            world.tick();
        }
        world.tick();
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @EnumSource
    void deadlineInAnyPhaseEndsTheJobAndWhatRunsIsVoid(Phase phase) {
        World.Worker worker = reach(phase);
        assertThat(world.trees.limit("job", Optional.of(Duration.ofMillis(1)))).isTrue();
        await().until(() -> {
            world.tick();
            return world.state("job").over();
        });
        assertThat(world.state("job").error())
                .hasValueSatisfying(error -> assertThat(error.reason()).isEqualTo("DeadlineExceeded"));
        letGo(worker);
        while (!world.trees.drop("job", 3)) {
            world.tick();
        }
        world.tick();
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @EnumSource
    void dropInAnyPhaseLeavesNothing(Phase phase) {
        World.Worker worker = reach(phase);
        while (!world.trees.drop("job", 3)) {
            world.tick();
        }
        letGo(worker);
        world.tick();
        assertNothingIsLeft();
    }

    /** All that it holds is of a job that has ended: nothing of it counts. */
    private void letGo(World.Worker worker) {
        worker.at("chunks:job.2").ifPresent(source -> worker.step(source, List.of(), 0));
        assertThat(worker.step(passed(List.copyOf(worker.held)), 0).verdicts()).doesNotContain(Verdict.COUNTED);
        worker.die();
    }

    /** The queue's numbers stay, and for a while the mark that keeps a late producer from making the tree again. */
    private void assertNothingIsLeft() {
        assertThat(keys())
                .filteredOn(key -> key.contains("job") || key.contains("chunks:") || key.contains(":task:"))
                .containsExactly(world.keyspace.prefix() + "task:tombstone:job");
        String left = world.store.ask(redis -> redis.hget(world.keyspace.prefix() + "pool:p:tasks", "left"));
        assertThat(left).isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource
    void storeThatIsEmptiedInAnyPhaseForgetsTheJobAndNothingComesBack(Phase phase) {
        World.Worker worker = reach(phase);
        List<Claim> held = List.copyOf(worker.held);
        world.store.ask(redis -> redis.unlink(keys().toArray(String[]::new)));
        assertThat(worker.source.prepare(worker.request(passed(held), 8)).run()).isNotInstanceOf(Done.class);
        world.tick();
        assertThat(world.trees.find("job")).isEmpty();
        assertThat(keys()).noneMatch(key -> key.contains("chunks:") || key.contains("task:"));
    }
}
