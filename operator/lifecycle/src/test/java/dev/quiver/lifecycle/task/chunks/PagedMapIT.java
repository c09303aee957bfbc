package dev.quiver.lifecycle.task.chunks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
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
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkSource;

/** Chunks that a task brings in pages, each of them with the state from which the next page goes on. */
class PagedMapIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final JsonMapper JSON = new JsonMapper();
    private static final String MAP = "map";

    /** As many as a job may have. */
    private static final int MOST = 100_000;

    private World world;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = worker();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private World.Worker worker() {
        return world.worker("p", MAP, "process", "reduce");
    }

    private void beginJob(int most) {
        TreeNode map = new TreeNode.IteratorNode(
                "p",
                Optional.of(MAP),
                2,
                ChunkPage.MOST,
                TreeNode.OnChildError.FAIL,
                Optional.empty(),
                World.bare(MAP, MAP).bringing(most).about(new TextNode("input")));
        TreeNode chunks = new TreeNode.Chunks(
                "p",
                Optional.of("process"),
                1,
                new ChunkWork(Optional.empty(), 1, 2, false, 64 << 20, false, Optional.empty()),
                Optional.empty(),
                World.bare("chunks", "process"));
        TreeNode reduce = new TreeNode.Leaf("p", Optional.of("reduce"), 1, 1, World.bare("reduce", "reduce"));
        world.begin("job", World.chain(map, chunks, reduce));
    }

    private static Settlement answered(Claim claim, String answer) {
        return new Settlement.Passed(
                claim,
                Duration.ofMillis(1),
                Optional.empty(),
                Optional.of(new ExecutionInput.Payload(
                        answer.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.JSON, false)));
    }

    private Claim claimMap() {
        List<Claim> claims = worker.claim();
        assertThat(claims).extracting(claim -> claim.task().name()).containsExactly(MAP);
        return claims.getFirst();
    }

    /** The value that the function is given, beside its arguments. */
    private JsonNode call(Claim claim) {
        try {
            return JSON.readTree(world.arguments(claim)).path(0);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String page(int from, int to) {
        return "{\"state\":{\"next\":" + to + "},\"chunks\":"
                + IntStream.range(from, to).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"))
                + "}";
    }

    /** Runs all chunks and reduce; returns the arguments of reduce. Each chunk is its own number. */
    private String reduced() {
        world.tick();
        Optional<WorkSource> source = worker.at("chunks:job.2");
        List<Settlement> settlements = List.of();
        while (source.isPresent()) {
            List<Claim> claims = worker.step(source.get(), settlements, 64).claims();
            if (claims.isEmpty()) {
                break;
            }
            settlements = claims.stream().map(this::processed).toList();
        }
        world.tick();
        Claim reduce = worker.claim().getFirst();
        assertThat(reduce.task().name()).isEqualTo("reduce");
        String arguments = world.arguments(reduce);
        worker.step(List.of(World.passed(reduce, "7")), 0);
        assertThat(world.state("job").state()).isEqualTo(TreeState.State.FINISHED);
        return arguments;
    }

    private Settlement processed(Claim claim) {
        assertThat(world.arguments(claim)).isEqualTo("[" + claim.id() + "]");
        return World.passed(claim, claim.id());
    }

    private static String numbers(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).collect(Collectors.joining(",", "[[", "]]"));
    }

    private long chunks() {
        String count = world.store.ask(redis -> redis.hget(world.keyspace.prefix() + "chunks:job.2", "count"));
        return count == null ? 0 : Long.parseLong(count);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "7, 3", "900, 450", "1000, 999"})
    void eachCallGoesOnFromThePageBeforeIt(int count, int size) {
        beginJob(MOST);
        for (int from = 0; from < count; from += size) {
            Claim claim = claimMap();
            JsonNode call = call(claim);
            assertThat(call.path("makes").asText()).isEqualTo("chunks");
            assertThat(call.path("args").toString()).isEqualTo("[\"input\"]");
            assertThat(call.path("created").asInt()).isEqualTo(from);
            assertThat(call.path("room").asInt()).isEqualTo(ChunkPage.MOST);
            assertThat(call.path("state").toString()).isEqualTo(from == 0 ? "null" : "{\"next\":" + from + "}");
            assertThat(worker.step(List.of(answered(claim, page(from, Math.min(count, from + size)))), 0)
                            .verdicts())
                    .containsExactly(StepCall.Verdict.COUNTED);
            assertThat(worker.at("chunks:job.2")
                            .map(source -> worker.claim(source, 1))
                            .orElse(List.of()))
                    .as("no chunk runs before the last page")
                    .isEmpty();
        }
        worker.step(List.of(answered(claimMap(), "null")), 0);
        assertThat(world.trees.result("job.1", 100)).isEqualTo("" + count);
        assertThat(reduced()).isEqualTo(numbers(count));
    }

    /** No answer has more than a page of them, so no slot needs room for all. */
    @Test
    void asManyChunksAsAJobMayHaveComeWithoutALargeOutput() {
        beginJob(MOST);
        int longest = 0;
        for (int from = 0; from < MOST; from += 5000) {
            String page = page(from, from + 5000);
            longest = Math.max(longest, page.length());
            worker.step(List.of(answered(claimMap(), page)), 0);
        }
        worker.step(List.of(answered(claimMap(), "null")), 0);
        assertThat(longest).isLessThan(40_000);
        assertThat(chunks()).isEqualTo(MOST);
        assertThat(reduced().equals(numbers(MOST))).as("all in order").isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "", "{\"result\":[1,2]}"})
    void reduceGetsNothingWhereNoPageHasChunks(String last) {
        beginJob(MOST);
        worker.step(List.of(answered(claimMap(), last)), 0);
        assertThat(reduced()).isEqualTo("[[]]");
    }

    @Test
    void notNowIsAskedAgainAndKeepsItsState() {
        beginJob(MOST);
        worker.step(List.of(answered(claimMap(), "{\"state\":5}")), 0);
        assertThat(worker.claim()).isEmpty();
        world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, later()));
        world.tick();
        Claim again = claimMap();
        assertThat(call(again).path("state").asInt()).isEqualTo(5);
        worker.step(List.of(answered(again, "null")), 0);
        assertThat(reduced()).isEqualTo("[[]]");
    }

    private String later() {
        List<String> commands = world.store.ask(redis -> redis.zrange(world.keys.commands(), 0, -1));
        return commands.stream()
                .filter(command -> command.startsWith("iterate"))
                .findFirst()
                .orElseThrow();
    }

    /** The step that settles the page is lost with its worker, after the chunks were brought. */
    @Test
    void pageOfAWorkerThatDiedIsBroughtByTheNextTrialAlone() {
        beginJob(MOST);
        worker.step(List.of(answered(claimMap(), page(0, 3))), 0);
        Claim early = claimMap();
        World.Worker first = worker;
        SessionCalls calls = new SessionCalls(world.store, first.keys());
        ChunkFeed feed = new ChunkFeed(world.store, world.keyspace, "job.2");
        var feeder = Optional.of(new ChunkFeed.Feeder(calls, early));
        ChunkPage lost = new ChunkPage(3, List.of("90", "91", "92", "93"), false, Optional.of("9"));
        assertThat(feed.bring(lost, feeder)).isTrue();
        assertThat(feed.bring(lost, feeder)).as("a repeat").isTrue();
        assertThat(chunks()).isEqualTo(7);
        first.die();
        assertThat(feed.bring(lost, feeder)).as("behind its lease").isFalse();
        calls.waiting().close();
        worker = worker();
        Claim again = claimMap();
        assertThat(call(again).path("created").asInt()).isEqualTo(3);
        assertThat(call(again).path("state").toString()).isEqualTo("{\"next\":3}");
        worker.step(List.of(answered(again, page(3, 5))), 0);
        worker.step(List.of(answered(claimMap(), "null")), 0);
        assertThat(chunks()).isEqualTo(5);
        assertThat(reduced()).isEqualTo(numbers(5));
    }

    /** The session itself goes on: what it brings for a call that it has given up is not the present call's. */
    @Test
    void pageOfAnEarlierTrialOfTheSameSessionIsRefused() {
        beginJob(MOST);
        worker.step(List.of(answered(claimMap(), page(0, 3))), 0);
        Claim early = claimMap();
        TrialFailure frozen = TrialFailure.of(MAP, 1, Optional.empty(), Optional.empty(), "WorkerLost", "frozen");
        worker.step(List.of(new Settlement.Lost(early, frozen)), 0);
        Claim again = claimMap();
        assertThat(again.id()).isEqualTo(early.id());
        SessionCalls calls = new SessionCalls(world.store, worker.keys());
        ChunkFeed feed = new ChunkFeed(world.store, world.keyspace, "job.2");
        ChunkPage late = new ChunkPage(3, List.of("90", "91"), false, Optional.of("9"));
        var earlier = Optional.of(new ChunkFeed.Feeder(calls, early));
        assertThat(feed.bring(late, earlier)).as("while the next trial runs").isFalse();
        assertThat(chunks()).isEqualTo(3);
        worker.step(List.of(answered(again, page(3, 5))), 0);
        assertThat(feed.bring(late, earlier)).as("after the next trial").isFalse();
        calls.waiting().close();
        assertThat(chunks()).isEqualTo(5);
        worker.step(List.of(answered(claimMap(), "null")), 0);
        assertThat(reduced()).isEqualTo(numbers(5));
    }

    @Test
    void pageOfACallThatWasSettledIsRefused() {
        beginJob(MOST);
        Claim first = claimMap();
        worker.step(List.of(answered(first, page(0, 3))), 0);
        assertThat(worker.step(List.of(answered(first, page(0, 3))), 0).verdicts())
                .containsExactly(StepCall.Verdict.ALREADY);
        Claim second = claimMap();
        assertThat(worker.step(List.of(answered(first, page(0, 3))), 0).verdicts())
                .containsExactly(StepCall.Verdict.ALREADY);
        assertThat(chunks()).isEqualTo(3);
        worker.step(List.of(answered(second, "null")), 0);
        assertThat(reduced()).isEqualTo(numbers(3));
    }

    @Test
    void callThatFailsIsMadeAgainAndEachPageHasAllTrials() {
        beginJob(MOST);
        for (int from = 0; from < 6; from += 2) {
            worker.step(List.of(World.failed(claimMap())), 0);
            worker.step(List.of(answered(claimMap(), page(from, from + 2))), 0);
        }
        worker.step(List.of(answered(claimMap(), "null")), 0);
        assertThat(reduced()).isEqualTo(numbers(6));
    }

    @Test
    void jobFailsWithACallThatFailedInAllTrials() {
        beginJob(MOST);
        worker.step(List.of(answered(claimMap(), page(0, 2))), 0);
        worker.step(List.of(World.failed(claimMap())), 0);
        worker.step(List.of(World.failed(claimMap())), 0);
        assertThat(world.state("job").error())
                .hasValueSatisfying(error -> assertThat(error.reason()).isEqualTo("Error"));
        assertThat(worker.claim()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[1, 2] | the page is [1, 2]: null or an object with state and chunks is needed",
                "{\"state\": 1, \"tasks\": []} | the page has tasks: null or an object with state and chunks is needed",
                "{\"chunks\": 7} | chunks are no JSON array: 7",
                "{\"chunks\": [1, 2, 3]} | there are 12 chunks, at most 11 are allowed"
            })
    void pageThatMakesNoSenseFailsTheJobWithoutAnotherTrial(String answer, String message) {
        beginJob(11);
        worker.step(List.of(answered(claimMap(), page(0, 9))), 0);
        worker.step(List.of(answered(claimMap(), answer)), 0);
        assertThat(world.state("job").error()).hasValueSatisfying(error -> {
            assertThat(error.reason()).isEqualTo("ResultInvalid");
            assertThat(error.message()).isEqualTo(message);
        });
    }

    @Test
    void stateIsBounded() {
        beginJob(MOST);
        String large = "{\"state\":\"" + "x".repeat(65_535) + "\",\"chunks\":[1]}";
        worker.step(List.of(answered(claimMap(), large)), 0);
        assertThat(world.state("job").error())
                .hasValueSatisfying(error ->
                        assertThat(error.message()).isEqualTo("the state has 65537 bytes, at most 65536 are allowed"));
    }

    @Test
    void suspendedJobIsNotAskedAndGoesOnWhereItWas() {
        beginJob(MOST);
        worker.step(List.of(answered(claimMap(), page(0, 2))), 0);
        world.trees.change("job", Trees.Change.SUSPEND);
        assertThat(worker.claim()).isEmpty();
        world.trees.change("job", Trees.Change.RESUME);
        world.tick();
        worker.step(List.of(answered(claimMap(), page(2, 4))), 0);
        worker.step(List.of(answered(claimMap(), "null")), 0);
        assertThat(reduced()).isEqualTo(numbers(4));
    }

    @Test
    void nothingIsLeftOfAJobThatIsCancelledBetweenItsPagesAndDropped() {
        beginJob(MOST);
        worker.step(List.of(answered(claimMap(), page(0, 2))), 0);
        Claim late = claimMap();
        world.trees.change("job", Trees.Change.CANCEL);
        world.tick();
        assertThat(worker.step(List.of(answered(late, page(2, 4))), 0).verdicts())
                .containsExactly(StepCall.Verdict.VOID);
        world.trees.drop("job", 3);
        world.tick();
        List<String> left = world.store.ask(redis -> redis.keys(world.keyspace.prefix() + "*"));
        assertThat(left).noneMatch(key -> key.contains("chunks:")).noneMatch(key -> key.endsWith("task:nodes"));
    }
}
