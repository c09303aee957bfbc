package dev.quiver.supervisor;

import static dev.quiver.supervisor.Trees.mapReduce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.FileSplit;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** Map-reduces of programs in pods of real parts: supervisor, agent, Redis. */
@Execution(ExecutionMode.CONCURRENT)
class MapReduceIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String TREE = "job-1";

    /** A chunk is a number; its result stands in brackets. */
    private static final String PROCESS = "head -c $QUIVER_INPUT_LENGTH $QUIVER_INPUT > $QUIVER_OUTPUT";

    /** Joins lists of numbers. */
    private static final String JOIN =
            "printf '[%s]' $(head -c $QUIVER_INPUT_LENGTH $QUIVER_INPUT | tr -d '[]')" + " > $QUIVER_OUTPUT";

    private PoolFixture pool;
    private WorkerPod pod;

    @BeforeEach
    void startPod() throws IOException {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
        pod = WorkerPod.of("a", pool, REDIS.endpoint(), 4, Patience.LIMIT).writing(1 << 20);
    }

    @AfterEach
    void close() throws IOException {
        if (pod != null) {
            pod.close();
        }
        if (pool != null) {
            pool.close();
        }
    }

    private TaskTrees trees() {
        return pool.lifecycle().trees(pool.keyspace());
    }

    private void begin(TreeNode root) {
        trees().create(TaskTree.of(TREE, root));
    }

    private void assertEnds(int chunks) {
        await().until(() -> trees().find(TREE).orElseThrow().over());
        assertThat(trees().find(TREE).orElseThrow().state())
                .as("%s", trees().report(TREE, 32))
                .isEqualTo(TreeState.State.FINISHED);
        assertThat(trees().result(TREE, 1 << 20))
                .isEqualTo(IntStream.rangeClosed(1, chunks)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(",", "[", "]")));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void linesOfAProgramAreChunksAndReduceGetsTheirResultsInOrder(int fanIn) {
        pod.start();
        begin(mapReduce("seq 1 100 > $QUIVER_OUTPUT", PROCESS, JOIN, fanIn));
        assertEnds(100);
    }

    /** A text or a number. The shell names the first word behind its program $0. */
    @Test
    void aChunkIsTheLastArgumentOfItsCommand() {
        pod.start();
        begin(mapReduce(
                "printf 'one\\n\"two  words\"\\n-3.50\\n{\"a\": [1]}\\nnull\\n[2]\\ntrue\\n' > $QUIVER_OUTPUT",
                "test \"[$(cat $QUIVER_INPUT)]\" != '[]' && printf %s \"$0\" > $QUIVER_OUTPUT",
                "cat $QUIVER_INPUT > $QUIVER_OUTPUT",
                0));
        assertThat(ended(TreeState.State.FINISHED).error()).isEmpty();
        assertThat(trees().result(TREE, 1 << 20))
                .isEqualTo("[[\"one\",\"two  words\",-3.50,\"/bin/sh\",\"/bin/sh\",\"/bin/sh\",\"/bin/sh\"]]"); // $0
        // without
        // one
    }

    @Test
    void aLargeChunkIsInTheFileAlone() {
        pod.start();
        begin(mapReduce(
                "for n in 20000 30000; do head -c $n /dev/zero | tr '\\0' x; echo; done > $QUIVER_OUTPUT",
                "printf '[%s, %s]' $(printf %s \"$0\" | tr -dc x | wc -c) $(cat $QUIVER_INPUT | wc -c) > $QUIVER_OUTPUT",
                "cat $QUIVER_INPUT > $QUIVER_OUTPUT",
                0));
        assertThat(ended(TreeState.State.FINISHED).error()).isEmpty();
        assertThat(trees().result(TREE, 1 << 20)).isEqualTo("[[[20000, 20004],[0, 30004]]]");
    }

    @Test
    void aMapThatPrintsItsChunksFailsAndSaysWhereTheyGo() {
        pod.start();
        begin(mapReduce("seq 1 3", PROCESS, JOIN, 0));
        assertThat(ended(TreeState.State.FAILED).error().orElseThrow())
                .returns("ResultInvalid", NodeError::reason)
                .returns(
                        "the file $QUIVER_OUTPUT is empty: chunks are what a command writes there, not what it prints;"
                                + " a blank line stands for no chunks",
                        NodeError::message);
    }

    @Test
    void aMapThatPrintsItsPagesFailsAndSaysWhereTheyGo() {
        pod.start();
        begin(Trees.pages("echo '{\"state\": 1, \"chunks\": [1]}'", PROCESS, JOIN));
        assertThat(ended(TreeState.State.FAILED).error().orElseThrow())
                .returns("ResultInvalid", NodeError::reason)
                .returns(
                        "the file $QUIVER_OUTPUT is empty: a page is what a command writes there, not what it prints;"
                                + " null ends the pages",
                        NodeError::message);
    }

    @Test
    void aMapSaysByABlankLineThatThereAreNoChunks() {
        pod.start();
        begin(mapReduce("echo > $QUIVER_OUTPUT", PROCESS, "cat $QUIVER_INPUT > $QUIVER_OUTPUT", 0));
        assertThat(ended(TreeState.State.FINISHED).error()).isEmpty();
        assertThat(trees().result(TREE, 1 << 20)).isEqualTo("[[]]");
    }

    private TreeState ended(TreeState.State state) {
        await().until(() -> trees().find(TREE).orElseThrow().over());
        assertThat(trees().find(TREE).orElseThrow().state())
                .as("%s", trees().report(TREE, 32))
                .isEqualTo(state);
        return trees().find(TREE).orElseThrow();
    }

    /** The second page waits for the death of the supervisor that gave it out, and is made once more. */
    @Test
    void pagesOfChunksComeOnceAlsoFromASupervisorThatIsKilled() throws Exception {
        pod.start();
        Path go = pod.scratch().resolve("go");
        String state =
                "n=$(head -c $QUIVER_INPUT_LENGTH $QUIVER_INPUT | sed 's/.*\"state\":\\([0-9nul]*\\).*/\\1/; s/null/0/');";
        String wait =
                "touch " + pod.scratch() + "/at-$n; test $n -lt 30 || until test -e " + go + "; do sleep 0.1; done;";
        String page = "chunks=$(seq -s, $((n + 1)) $((n + 30)));"
                + "echo \"{\\\"state\\\": $((n + 30)), \\\"chunks\\\": [$chunks]}\"";
        begin(Trees.pages(
                state + wait + "if [ $n -lt 90 ]; then " + page + "; else echo null; fi > $QUIVER_OUTPUT",
                PROCESS,
                JOIN));
        await().until(() -> Files.exists(pod.scratch().resolve("at-30")));
        assertThat(brought()).isEqualTo(30);
        pod.supervisor().signal("KILL");
        pod.supervisor().awaitEnd();
        Files.createFile(go);
        pod.startSupervisor();
        assertEnds(90);
    }

    private long brought() {
        String key = pool.keyspace().prefix() + "chunks:" + TREE + ".2";
        return Long.parseLong(REDIS.store().ask(redis -> redis.hget(key, "count")));
    }

    @Test
    void moreChunksThanAResultMayHaveComeFromOneProgram() {
        pod.start();
        begin(mapReduce(
                "for i in $(seq 1 20); do head -c 40000 /dev/zero | tr '\\0' x; echo; done > $QUIVER_OUTPUT",
                "printf $(($QUIVER_INDEX + 1)) > $QUIVER_OUTPUT",
                JOIN,
                0));
        assertEnds(20);
    }

    @ParameterizedTest
    @CsvSource({"lines, 7, 16", "bytes, 99, 3", "files, 2, 1"})
    void filesAreCutByTheWorkersOwnProgram(String by, long size, int chunks) throws IOException {
        pod.start();
        Path data = Files.createDirectory(pod.scratch().resolve("data"));
        Files.writeString(data.resolve("a"), "1\n".repeat(50));
        Files.writeString(data.resolve("b"), "2\n".repeat(49) + "3");
        String path = data.toString();
        String process = by.equals("files")
                ? "printf 1 > $QUIVER_OUTPUT"
                : "printf 1 > $QUIVER_OUTPUT; grep -q length $QUIVER_INPUT";
        begin(Trees.splitting(new FileSplit(by, size, path), process, JOIN));
        await().until(() -> trees().find(TREE).orElseThrow().over());
        assertThat(trees().result(TREE, 1 << 20))
                .as("%s", trees().report(TREE, 32))
                .isEqualTo("[" + "1,".repeat(chunks - 1) + "1]");
    }

    /** A chunk has a folder of its own while it runs, and counts those that are there. The others take the free slots. */
    @Test
    void oneWorkerRunsSoManyChunksAtATimeAndTheRestOfItsSlotsWorkOn(@TempDir Path folder) throws IOException {
        String process = "mkdir " + folder + "/$QUIVER_INDEX; ls " + folder + " | grep -v most | wc -l >> " + folder
                + "/most; sleep 0.1; rmdir " + folder + "/$QUIVER_INDEX; printf $QUIVER_INDEX > $QUIVER_OUTPUT";
        List<JsonNode> chunks = IntStream.range(0, 20)
                .<JsonNode>mapToObj(JsonNodeFactory.instance::numberNode)
                .toList();
        begin(Trees.chain(Trees.atOnce(2, chunks, process)));
        trees().create(TaskTree.of("beside", Trees.group(Collections.nCopies(10, Trees.shell("true")))));
        pod.start();
        await().until(() -> trees().find("beside").orElseThrow().over());
        await().until(() -> trees().find(TREE).orElseThrow().over());
        assertThat(trees().find(TREE).orElseThrow().state()).isEqualTo(TreeState.State.FINISHED);
        assertThat(Files.readAllLines(folder.resolve("most")))
                .hasSize(20)
                .allMatch(running -> Integer.parseInt(running.strip()) <= 2)
                .anyMatch(running -> Integer.parseInt(running.strip()) == 2);
    }

    @Test
    void supervisorThatIsKilledInMidRunLosesNoChunk() throws Exception {
        pod.start();
        Path go = pod.scratch().resolve("go");
        begin(mapReduce(
                "seq 1 40 > $QUIVER_OUTPUT",
                "test $QUIVER_INDEX -lt 20 || until test -e " + go + "; do sleep 0.1; done; " + PROCESS,
                JOIN,
                4));
        await().until(() -> chunksEnded() >= 20);
        pod.supervisor().signal("KILL");
        pod.supervisor().awaitEnd();
        Files.createFile(go);
        pod.startSupervisor();
        assertEnds(40);
    }

    private long chunksEnded() {
        return trees().report(TREE, 32).orElseThrow().nodes().stream()
                .filter(node -> node.id().equals(TREE + ".2"))
                .mapToLong(NodeState::progress)
                .sum();
    }
}
