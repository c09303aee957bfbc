package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.node.IntNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.TaskNode;
import dev.quiver.lifecycle.task.TaskTree;
import dev.quiver.lifecycle.task.TaskTrees;
import dev.quiver.lifecycle.task.TreeState;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.ChildProcess;
import dev.quiver.slots.rig.Patience;

/** Map-reduces over Arrow by handlers in Python and in Java: supervisors, agents, Redis. */
class ArrowMapReduceIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String TREE = "job-1";

    private static final String ENDS = """
            import pyarrow
            import quiver

            @quiver.handler("map")
            def split():
                for n in range(40):
                    yield pyarrow.record_batch({"n": [n]})

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

    private TreeState end(TaskNode root) {
        trees().create(TaskTree.of(TREE, root));
        await().until(() -> trees().find(TREE).orElseThrow().over());
        return trees().find(TREE).orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void batchesOfPythonAreProcessedInJavaAndReducedInPython(int fanIn) throws IOException {
        python(ENDS);
        java();
        TreeState end = end(Trees.functions(List.of(IntNode.valueOf(10)), fanIn));
        assertThat(end.state()).as("%s", trees().report(TREE, 32)).isEqualTo(TreeState.State.FINISHED);
        String numbers = IntStream.range(0, 40).mapToObj(n -> "" + 10 * n).collect(Collectors.joining(",", "[", "]"));
        assertThat(trees().result(TREE, 1 << 20))
                .isEqualTo("{\"batches\":" + (fanIn == 0 ? 40 : 1) + ",\"numbers\":" + numbers + "}");
    }

    @Test
    void aSchemaThatDiffersInOneChunkEndsTheJobWithBoth() throws IOException {
        python(ENDS, DIFFERENT);
        TreeState end = end(Trees.functions(List.of(IntNode.valueOf(10)), 0));
        assertThat(end.error()).hasValueSatisfying(error -> {
            assertThat(error.reason()).as("%s", error).isEqualTo("SchemaMismatch");
            assertThat(error.message()).contains("chunk 0 has the schema (n: int64), chunk 7 has (other: string)");
        });
    }
}
