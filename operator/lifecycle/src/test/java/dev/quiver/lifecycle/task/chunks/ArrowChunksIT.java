package dev.quiver.lifecycle.task.chunks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.LongStream;

import com.fasterxml.jackson.databind.node.TextNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.arrow.ArrowBytes;
import dev.quiver.lifecycle.arrow.SchemaMismatchException;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.ordinals.CombineTree;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.LastArgument;
import dev.quiver.lifecycle.task.model.Scratch;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.results.ChunkResults;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;

/** Chunks and results that are Arrow streams. */
class ArrowChunksIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final SlotFacts SLOT = new SlotFacts(0, "pod", "in", "out", 1 << 20);

    private World world;

    @BeforeEach
    void makeWorld() {
        world = new World(REDIS);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static final Scratch SCRATCH = new Scratch("/data/scratch");

    private static TreeNode job(int fanIn, boolean reduce) {
        return job(fanIn, reduce, Optional.empty());
    }

    private static TreeNode job(int fanIn, boolean reduce, Optional<Scratch> scratch) {
        List<TreeNode> parts = new ArrayList<>();
        parts.add(new TreeNode.Leaf(
                "p", Optional.of("map"), 1, 1, World.bare("map", "map").bringing()));
        parts.add(new TreeNode.Chunks(
                "p",
                Optional.of("process"),
                1,
                new ChunkWork(
                        Optional.of(fanIn).filter(each -> each > 0).map(_ -> World.bare("combine", "combine")),
                        1,
                        Math.max(2, fanIn),
                        false,
                        1 << 20,
                        false,
                        Optional.empty(),
                        scratch),
                Optional.empty(),
                named("chunks", "process", "factor")));
        if (reduce) {
            parts.add(new TreeNode.Leaf("p", Optional.of("reduce"), 1, 1, World.bare("reduce", "reduce")));
        }
        return World.chain(parts.toArray(TreeNode[]::new));
    }

    /** A function with an argument of its own. */
    private static TaskBody named(String name, String handler, String argument) {
        return new TaskBody(
                name,
                Optional.of(new Execution.Handler(handler)),
                List.of(new TextNode(argument)),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
    }

    private World.Worker worker() {
        return world.worker("p", "map", "process", "combine", "reduce");
    }

    /** Map has brought a batch for each chunk: 0, 1, … */
    private static byte[] batches(int chunks) {
        return ArrowBytes.numbers(
                "n", LongStream.range(0, chunks).mapToObj(n -> new long[] {n}).toArray(long[][]::new));
    }

    private static Settlement returned(Claim claim, byte[] stream) {
        return new Settlement.Passed(
                claim,
                Duration.ofMillis(1),
                Optional.empty(),
                Optional.of(new ExecutionInput.Payload(stream, ExecutionInput.Format.ARROW, false)));
    }

    private static TaskInvocation given(Claim claim) {
        return claim.task().render(SLOT);
    }

    private static byte[] stream(Claim claim) {
        ExecutionInput.Payload input = given(claim).input();
        assertThat(input.format()).isEqualTo(ExecutionInput.Format.ARROW);
        assertThat(input.locator()).isFalse();
        return input.bytes();
    }

    /** Runs map, and all chunks and combines in one order; combines join what they get. */
    private void play(World.Worker worker, String tree, int chunks, Function<Claim, Settlement> process) {
        worker.step(List.of(returned(worker.claim().getFirst(), batches(chunks))), 0);
        world.tick();
        var source = worker.at("chunks:" + tree + ".2").orElseThrow();
        List<Claim> held = new ArrayList<>(worker.claim(source, 64));
        while (!held.isEmpty()) {
            Claim claim = worker.completed(source, held.removeLast());
            held.addAll(worker.step(source, List.of(process.apply(claim)), 64).claims());
        }
        world.tick();
    }

    private static Settlement times10(Claim claim) {
        List<long[]> given = ArrowBytes.read(stream(claim));
        long[] all = given.stream().flatMapToLong(Arrays::stream).toArray();
        boolean combine = claim.task().name().startsWith("combine-");
        return returned(claim, ArrowBytes.numbers("n", combine ? all : new long[] {all[0] * 10}));
    }

    private static long[] tens(int chunks) {
        return LongStream.range(0, chunks).map(n -> 10 * n).toArray();
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "9, 0", "1, 2", "9, 2", "64, 16"})
    void giveReduceOneStreamInTheirOrder(int chunks, int fanIn) {
        world.begin("job", job(fanIn, true));
        World.Worker worker = worker();
        play(worker, "job", chunks, ArrowChunksIT::times10);
        Claim reduce = worker.completed(worker.source, worker.claim().getFirst());
        List<long[]> batches = ArrowBytes.read(stream(reduce));
        assertThat(batches).hasSize(fanIn == 0 ? chunks : 1);
        assertThat(batches.stream().flatMapToLong(Arrays::stream)).containsExactly(boxed(tens(chunks)));
        worker.step(List.of(World.passed(reduce, "7")), 0);
        assertThat(world.trees.result("job", 1000)).isEqualTo("7");
    }

    private static Long[] boxed(long[] numbers) {
        return Arrays.stream(numbers).boxed().toArray(Long[]::new);
    }

    @Test
    void areTheirOwnBytesInRedis() {
        world.begin("job", job(0, true));
        World.Worker worker = worker();
        worker.step(List.of(returned(worker.claim().getFirst(), batches(2))), 0);
        world.tick();
        String chunks = world.keyspace.prefix() + "chunks:job.2";
        byte[] second = ArrowBytes.numbers("n", new long[] {1});
        assertThat(raw(chunks + ":payload", "1")).isEqualTo(second);
        var source = worker.at("chunks:job.2").orElseThrow();
        Claim claim = worker.claim(source, 1).getFirst();
        assertThat(given(claim).env()).containsEntry("QUIVER_ARGS", "[\"factor\"]");
        worker.step(source, List.of(returned(claim, second)), 0);
        assertThat(raw(chunks + ":results", "0")).isEqualTo(second);
    }

    /** A script that Redis does not know yet goes by its text. */
    @Test
    void areTheSameWhereAScriptGoesByItsText() {
        world.begin("job", job(0, true));
        World.Worker worker = worker();
        play(worker, "job", 2, ArrowChunksIT::times10);
        ChunkResults results = ChunkResults.of(world.store, world.keyspace, "job.2");
        CombineTree combines = new CombineTree(2, 0);
        world.store.ask(redis -> redis.scriptFlush());
        LastArgument joined = results.joined(combines, combines.last(), 10_000);
        assertThat(((LastArgument.Arrow) joined).stream())
                .isEqualTo(ArrowBytes.numbers("n", new long[] {0}, new long[] {10}));
        assertThatThrownBy(() -> results.joined(combines, combines.last(), 300))
                .isInstanceOf(InputTooLargeException.class)
                .hasMessageContainingAll("at most 300 are allowed", "combine", "scratch", "return less");
    }

    private static Settlement inFile(Claim claim) {
        String path = given(claim).env().get("QUIVER_SCRATCH");
        return located(claim, path);
    }

    private static Settlement located(Claim claim, String path) {
        return new Settlement.Passed(
                claim,
                Duration.ofMillis(1),
                Optional.empty(),
                Optional.of(new ExecutionInput.Payload(
                        path.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.ARROW, true)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void inFilesComeByReferenceInTheirOrderAmongShortOnes(int fanIn) {
        world.begin("job", job(fanIn, true, Optional.of(SCRATCH)));
        World.Worker worker = worker();
        List<String> files = new ArrayList<>();
        play(worker, "job", 2, claim -> {
            boolean inFile = claim.id().equals("1") || claim.task().name().startsWith("combine-");
            if (inFile) {
                files.add(given(claim).env().get("QUIVER_SCRATCH"));
            }
            return inFile ? inFile(claim) : times10(claim);
        });
        assertThat(files.getFirst()).matches("/data/scratch/job/1-" + worker.session.id() + "-[0-9]+\\.arrow");
        byte[] kept = raw(world.keyspace.prefix() + "chunks:job.2:results", fanIn == 0 ? "1" : "2");
        assertThat(new String(kept, StandardCharsets.UTF_8)).isEqualTo("L" + files.getLast());
        Claim reduce = worker.completed(worker.source, worker.claim().getFirst());
        assertThat(given(reduce).env()).containsEntry("QUIVER_REFERENCES", "1");
        assertThat(given(reduce).input().format()).isEqualTo(ExecutionInput.Format.ARGUMENTS);
        String first = TaskResult.base64(new ExecutionInput.Payload(
                ArrowBytes.numbers("n", new long[] {0}), ExecutionInput.Format.ARROW, false));
        String last = "{\"locator\":\"" + files.getLast() + "\",\"format\":\"Arrow\"}";
        assertThat(world.arguments(reduce))
                .isEqualTo(fanIn == 0 ? "[[" + first + "," + last + "]]" : "[[" + last + "]]");
    }

    @Test
    void atAPlaceOfTheUsersOwnAreValues() {
        world.begin("job", job(0, true, Optional.of(SCRATCH)));
        World.Worker worker = worker();
        play(worker, "job", 2, claim -> located(claim, "/data/scratch/job/of-mine/" + claim.id()));
        Claim reduce = worker.completed(worker.source, worker.claim().getFirst());
        assertThat(given(reduce).env()).doesNotContainKey("QUIVER_REFERENCES");
        assertThat(world.arguments(reduce)).startsWith("[[{\"locator\":\"/data/scratch/job/of-mine/0\"");
    }

    @Test
    void inFilesAreRemovedAtTheEndOfTheTreeByATaskThatKnowsWhere() {
        TaskTree tree = new TaskTree(
                "job",
                World.leaf("only", "p", "map"),
                Optional.of(SCRATCH.removal("scratch", "p")),
                true,
                Optional.empty(),
                Duration.ZERO,
                Optional.empty());
        assertThat(world.trees.create(tree)).isEqualTo(Trees.Created.BEGUN);
        World.Worker worker = worker();
        worker.step(List.of(World.failed(worker.claim().getFirst())), 0);
        Claim removal = worker.completed(worker.source, worker.claim().getFirst());
        TaskInvocation.Command command = (TaskInvocation.Command) given(removal);
        assertThat(command.argv()).containsExactly("quiver-agent", "remove-scratch");
        assertThat(command.env()).containsEntry("QUIVER_SCRATCH", "/data/scratch/job");
    }

    @Test
    void theNodeAtTheEndRunsBehindARemovalThatFailed() {
        TreeNode removal = World.group(TreeNode.OnChildError.CONTINUE, List.of(SCRATCH.removal("scratch", "p")));
        TreeNode end = new TreeNode.Group(
                List.of(removal, World.leaf("tidy", "p", "map")),
                1,
                TreeNode.OnChildError.FAIL,
                Optional.empty(),
                TaskBody.named("end"));
        world.trees.create(new TaskTree(
                "job",
                World.leaf("only", "p", "map"),
                Optional.of(end),
                true,
                Optional.empty(),
                Duration.ZERO,
                Optional.empty()));
        World.Worker worker = worker();
        worker.step(List.of(World.passed(worker.claim().getFirst(), "7")), 0);
        for (int trial = 0; trial < 3; trial++) {
            Claim failing = worker.claim().getFirst();
            assertThat(failing.task().name()).isEqualTo("scratch");
            worker.step(List.of(World.failed(failing)), 0);
        }
        world.tick();
        Claim tidy = worker.completed(worker.source, worker.claim().getFirst());
        assertThat(world.arguments(tidy)).isEqualTo("[\"tidy\",{\"state\":\"finished\",\"result\":7}]");
        worker.step(List.of(World.passed(tidy, "null")), 0);
        world.tick();
        assertThat(world.state("job").over()).isTrue();
    }

    @Test
    void inFilesOfATreeThatIsDroppedAreRemovedByATaskOfItsOwn() {
        TreeNode end = World.group(World.leaf("tidy", "p", "map"), World.group(SCRATCH.removal("scratch", "p")));
        world.trees.create(new TaskTree(
                "job",
                World.leaf("only", "p", "map"),
                Optional.of(end),
                true,
                Optional.empty(),
                Duration.ZERO,
                Optional.empty()));
        world.trees.drop("job", 10);
        world.tick();
        World.Worker worker = worker();
        Claim removal = worker.claim().getFirst();
        assertThat(removal.task().name()).isEqualTo("scratch");
        assertThat(given(removal).env()).containsEntry("QUIVER_SCRATCH", "/data/scratch/job");
        worker.step(List.of(World.passed(removal, "null")), 0);
        world.tick();
        assertThat(world.trees.drop("job", 10)).isTrue();
        assertThat(worker.claim()).isEmpty();
        List<String> left = world.store.ask(redis -> redis.keys(world.keyspace.prefix() + "task:nodes"));
        assertThat(left).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"scratch", "/", "/a/", "/a//b", "/a/../b", "/a b", "/a\"b", ""})
    void directoriesOfOddNamesAreRefused(String path) {
        assertThatThrownBy(() -> new Scratch(path))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("scratch.path is \"" + path + "\"");
    }

    private byte[] raw(String hash, String field) {
        return world.store.ask(redis -> redis.dispatch(
                CommandType.HGET,
                new ByteArrayOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).addKey(hash).add(field)));
    }

    @Test
    void ofAnotherSchemaAreRefusedWithBoth() {
        world.begin("job", job(0, true));
        World.Worker worker = worker();
        play(
                worker,
                "job",
                8,
                claim -> claim.id().equals("7")
                        ? returned(claim, ArrowBytes.numbers("m", new long[] {1}))
                        : times10(claim));
        Claim reduce = worker.claim().getFirst();
        assertThatThrownBy(() -> worker.completed(worker.source, reduce))
                .isInstanceOf(SchemaMismatchException.class)
                .hasMessageContaining("chunk 0 has the schema (n: int64), chunk 7 has (m: int64)");
    }

    @Test
    void besideJsonAreRefused() {
        world.begin("job", job(2, true));
        World.Worker worker = worker();
        worker.step(List.of(returned(worker.claim().getFirst(), batches(2))), 0);
        world.tick();
        var source = worker.at("chunks:job.2").orElseThrow();
        List<Claim> held = worker.claim(source, 2);
        List<Claim> combines = worker.step(
                        source, List.of(times10(held.getFirst()), World.passed(held.getLast(), "{}")), 1)
                .claims();
        assertThatThrownBy(() -> worker.completed(source, combines.getFirst()))
                .isInstanceOf(SchemaMismatchException.class)
                .hasMessageContaining("chunk 0 has the schema (n: int64), chunk 1 has (JSON, no Arrow)");
    }

    @Test
    void areSummedUpInTheStatus() {
        world.begin("job", job(0, false));
        World.Worker worker = worker();
        play(worker, "job", 2, ArrowChunksIT::times10);
        byte[] one = ArrowBytes.numbers("n", new long[] {10});
        String summary = "{\"format\":\"Arrow\",\"bytes\":" + one.length + ",\"rows\":1,\"schema\":\"n: int64\"}";
        assertThat(world.trees.measure("job", 1000).json()).contains("[" + summary + "," + summary + "]");
        world.begin("leaf", World.leaf("leaf", "p", "map"));
        Claim leaf = worker.claim().getFirst();
        TaskResult whole = TaskResult.of(new ExecutionInput.Payload(one, ExecutionInput.Format.ARROW, false))
                .orElseThrow();
        worker.step(List.of(new Settlement.Passed(leaf, Duration.ZERO, Optional.of(whole))), 0);
        assertThat(world.trees.measure("leaf", 200).json()).contains(summary);
        assertThat(world.trees.measure("leaf", 200).bytes())
                .contains((long) whole.json().length());
        assertThat(world.trees.result("leaf", 1000)).isEqualTo(whole.json());
    }

    @Test
    void ofNoBatchAreNone() {
        world.begin("job", job(0, true));
        World.Worker worker = worker();
        worker.step(List.of(returned(worker.claim().getFirst(), ArrowBytes.numbers("n"))), 0);
        world.tick();
        Claim reduce = worker.completed(worker.source, worker.claim().getFirst());
        assertThat(given(reduce).input().format()).isEqualTo(ExecutionInput.Format.ARGUMENTS);
        assertThat(new String(given(reduce).input().bytes(), StandardCharsets.UTF_8))
                .isEqualTo("[[]]");
    }
}
