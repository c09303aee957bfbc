package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.IntNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.FileSplit;
import dev.quiver.lifecycle.task.model.Scratch;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.ChildProcess;
import dev.quiver.slots.rig.Patience;

/** Map-reduces over Arrow by handlers in Python and in Java: supervisors, agents, Redis. */
class ArrowMapReduceIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String TREE = "job-1";

    private static final String MAP = """
            import pyarrow
            import quiver

            @quiver.handler("map")
            def split():
                for n in range(40):
                    yield pyarrow.record_batch({"n": [n]})

            """;

    private static final String NUMBERS = """

            @quiver.handler("reduce", arrow="reader")
            def reduce(reader):
                batches = [batch["n"].to_pylist() for batch in reader]
                return {"batches": len(batches), "numbers": [n for batch in batches for n in batch]}
            """;

    private static final String DIFFERENT = """

            @quiver.handler("process", arrow="batch")
            def process(factor, batch):
                n = batch["n"][0].as_py()
                return pyarrow.record_batch({"other": ["x"]} if n == 7 else {"n": [n * factor]})
            """;

    private static final String ROW_GROUPS = """

            import os
            from pyarrow import parquet

            @quiver.handler("process")
            def process(factor, part):
                return parquet.ParquetFile(part["path"]).read_row_groups(part["rowGroups"]).combine_chunks()

            def write():
                folder = os.path.dirname(__file__)
                path = os.path.join(folder, f"numbers-{os.getpid()}")
                parquet.write_table(pyarrow.table({"n": range(25)}), path, row_group_size=7)
                os.rename(path, os.path.join(folder, "numbers.parquet"))
                open(os.path.join(folder, "done"), "w").close()

            write()
            """;

    private static final String LARGE = """

            import os, time

            @quiver.handler("process", arrow="batch")
            def process(factor, batch):
                n = batch["n"][0].as_py()
                while n >= 20 and os.path.exists(os.path.join(os.path.dirname(__file__), "hold")):
                    time.sleep(0.01)
                return pyarrow.record_batch({"n": [n] * 40_000})

            @quiver.handler("combine")
            def combine(table):
                return table.combine_chunks()

            @quiver.handler("reduce", arrow="reader")
            def reduce(reader):
                batches = [len(batch) for batch in reader]
                return [sum(batches), len(batches)]
            """;

    private static final String HUGE = """

            import resource

            @quiver.handler("process", arrow="batch")
            def process(factor, batch):
                return pyarrow.record_batch({"n": [batch["n"][0].as_py()] * 220_000})

            @quiver.handler("reduce", arrow="reader")
            def reduce(reader):
                rows = sum(len(batch) for batch in reader)
                return [rows * 8, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]
            """;

    @TempDir
    private Path modules;

    private final List<WorkerPod> pods = new ArrayList<>();
    private PoolFixture pool;

    @BeforeEach
    void announcePool() throws IOException {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
    }

    @AfterEach
    void close() throws IOException {
        pods.forEach(WorkerPod::close);
        pool.close();
    }

    private TaskTrees trees() {
        return pool.lifecycle().trees(pool.keyspace());
    }

    private void python(String... source) throws IOException {
        Files.writeString(modules.resolve("functions.py"), String.join("", source));
        pod("python", PythonEnvironment.serving("functions"), PythonEnvironment.variables(modules));
    }

    private void java() throws IOException {
        List<String> command = new ArrayList<>(ChildProcess.java(ArrowFunctions.class));
        command.add(1, "--sun-misc-unsafe-memory-access=allow");
        pod("java", command, Map.of());
    }

    private void pod(String name, List<String> handler, Map<String, String> variables) throws IOException {
        WorkerPod pod = WorkerPod.of(name, pool, REDIS.endpoint(), 2, Patience.LIMIT)
                .reading(1 << 20)
                .writing(1 << 20)
                .serving(handler, variables);
        pods.add(pod);
        pod.start();
    }

    private TreeState end(TreeNode root) {
        trees().create(TaskTree.of(TREE, root));
        await().until(() -> trees().find(TREE).orElseThrow().over());
        return trees().find(TREE).orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void batchesOfPythonAreProcessedInJavaAndReducedInPython(int fanIn) throws IOException {
        python(MAP, NUMBERS);
        java();
        TreeState end = end(Trees.functions(List.of(IntNode.valueOf(10)), fanIn));
        assertThat(end.state()).as("%s", trees().report(TREE, 32)).isEqualTo(TreeState.State.FINISHED);
        String numbers = IntStream.range(0, 40).mapToObj(n -> "" + 10 * n).collect(Collectors.joining(",", "[", "]"));
        assertThat(trees().result(TREE, 1 << 20))
                .isEqualTo("{\"batches\":" + (fanIn == 0 ? 40 : 1) + ",\"numbers\":" + numbers + "}");
    }

    private static TaskTree withScratch(Path directory, int fanIn) {
        Scratch scratch = new Scratch(directory.toString());
        return new TaskTree(
                TREE,
                Trees.functions(List.of(IntNode.valueOf(10)), fanIn, Optional.of(scratch)),
                Optional.of(scratch.removal("scratch", PoolFixture.POOL)),
                true,
                Optional.empty(),
                Duration.ZERO,
                Optional.empty());
    }

    /** A file that is renamed or removed while the folder is walked is looked at again: chunks are still running. */
    private static List<String> names(Path directory) throws IOException {
        while (true) {
            try {
                return namesNow(directory);
            } catch (UncheckedIOException moving) {
                if (!(moving.getCause() instanceof NoSuchFileException)) {
                    throw moving;
                }
            }
        }
    }

    private static List<String> namesNow(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(each -> !each.equals(directory))
                    .map(each -> directory.relativize(each).toString())
                    .sorted()
                    .toList();
        }
    }

    /** The results take 12 MiB, the slot's input 1 MiB. */
    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void largeResultsGoThroughFilesThatAreGoneAtTheEnd(int fanIn, @TempDir Path scratch) throws IOException {
        python(MAP, LARGE);
        trees().create(withScratch(scratch, fanIn));
        await().until(() -> trees().find(TREE).orElseThrow().over());
        assertThat(trees().find(TREE).orElseThrow().state())
                .as("%s", trees().report(TREE, 32))
                .isEqualTo(TreeState.State.FINISHED);
        assertThat(trees().result(TREE, 1000)).isEqualTo("[" + 40 * 40_000 + "," + (fanIn == 0 ? 40 : 1) + "]");
        assertThat(names(scratch)).containsExactly(".over", ".over/" + TREE);
    }

    /** More than the slot and the process may have at a time: one file after the other is mapped. */
    @Test
    void reduceTakes64MebibytesThroughASlotOfOneWithin256(@TempDir Path scratch) throws Exception {
        python(MAP, HUGE);
        trees().create(withScratch(scratch, 0));
        await().until(() -> trees().find(TREE).orElseThrow().over());
        assertThat(trees().find(TREE).orElseThrow().state())
                .as("%s", trees().report(TREE, 32))
                .isEqualTo(TreeState.State.FINISHED);
        long[] bytes = new JsonMapper().readValue(trees().result(TREE, 1000), long[].class);
        assertThat(bytes[0]).as("of the results").isGreaterThan(64L << 20);
        assertThat(bytes[1]).as("most memory of the process").isLessThan(256L << 20);
        assertThat(names(scratch)).containsExactly(".over", ".over/" + TREE);
    }

    /** Row groups of a real Parquet file, cut without a library that knows it. */
    @Test
    void rowGroupsOfParquetAreChunks() throws IOException {
        python(MAP, NUMBERS, ROW_GROUPS);
        TreeNode.Chain job = (TreeNode.Chain) Trees.functions(List.of(IntNode.valueOf(10)), 0);
        FileSplit split = new FileSplit("rowGroups", 2, modules + "/*.parquet");
        await().until(() -> Files.exists(modules.resolve("done")));
        TreeState end = end(Trees.chain(
                split.task("split", PoolFixture.POOL, 100),
                job.children().get(1),
                job.children().get(2)));
        assertThat(end.state()).as("%s", trees().report(TREE, 32)).isEqualTo(TreeState.State.FINISHED);
        String numbers = IntStream.range(0, 25).mapToObj(n -> "" + n).collect(Collectors.joining(",", "[", "]"));
        assertThat(trees().result(TREE, 1 << 20)).isEqualTo("{\"batches\":2,\"numbers\":" + numbers + "}");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJobThatIsCancelledOrDroppedLeavesNoFiles(boolean dropped, @TempDir Path scratch) throws IOException {
        python(MAP, LARGE);
        Files.createFile(modules.resolve("hold"));
        trees().create(withScratch(scratch, 0));
        await().until(() -> names(scratch).size() > 4);
        if (dropped) {
            trees().drop(TREE, 10);
        } else {
            trees().change(TREE, dev.quiver.lifecycle.task.model.Trees.Change.CANCEL);
            await().until(() -> trees().find(TREE).orElseThrow().over());
        }
        await().untilAsserted(() -> assertThat(names(scratch)).containsExactly(".over", ".over/" + TREE));
    }

    @Test
    void aSchemaThatDiffersInOneChunkEndsTheJobWithBoth() throws IOException {
        python(MAP, NUMBERS, DIFFERENT);
        TreeState end = end(Trees.functions(List.of(IntNode.valueOf(10)), 0));
        assertThat(end.error()).hasValueSatisfying(error -> {
            assertThat(error.reason()).as("%s", error).isEqualTo("SchemaMismatch");
            assertThat(error.message()).contains("chunk 0 has the schema (n: int64), chunk 7 has (other: string)");
        });
    }
}
