package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** Map-reduces whose programs freeze, and which share their pool with a set. */
@org.junit.jupiter.api.parallel.Execution(ExecutionMode.CONCURRENT)
class MapReduceWeatherIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String TREE = "job-1";
    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final int TRIALS = 5;

    private static final String JOIN =
            "printf '[%s]' $(head -c $QUIVER_INPUT_LENGTH $QUIVER_INPUT | tr -d '[]')" + " > $QUIVER_OUTPUT";

    private PoolFixture pool;
    private WorkerPod pod;

    @BeforeEach
    void startPod() throws IOException {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
        pod = WorkerPod.of("a", pool, REDIS.endpoint(), 2, Patience.LIMIT)
                .writing(1 << 20)
                .start();
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

    private static TaskBody body(String program) {
        Execution command = new Execution.Command(List.of("/bin/sh", "-ec", program), List.of(), Optional.empty());
        return new TaskBody("part", Optional.of(command), List.of(), Map.of(), Optional.of(SHORT), RetryBackoff.NONE);
    }

    private static TreeNode leaf(TaskBody body) {
        return new TreeNode.Leaf(PoolFixture.POOL, Optional.empty(), TRIALS, 1, body);
    }

    private static TreeNode job(String map, String process, String combine, String reduce) {
        ChunkWork work = new ChunkWork(Optional.of(body(combine)), TRIALS, 2, false, 1 << 20, false, Optional.empty());
        return Trees.chain(
                leaf(body(map).bringing()),
                new TreeNode.Chunks(PoolFixture.POOL, Optional.empty(), TRIALS, work, Optional.empty(), body(process)),
                leaf(body(reduce)));
    }

    private void assertSumsUp(String expected) {
        await().until(() -> trees().find(TREE).orElseThrow().over());
        assertThat(trees().find(TREE).orElseThrow().state())
                .as("%s", trees().report(TREE, 32))
                .isEqualTo(TreeState.State.FINISHED);
        assertThat(trees().result(TREE, 1 << 20)).isEqualTo(expected);
    }

    /** The programs of a job. */
    enum Part {
        MAP,
        PROCESS,
        COMBINE,
        REDUCE
    }

    /** A program that stops for good the first time it is run. */
    private static String freezes(Part part, Part which, Path folder, String program) {
        return part == which ? "mkdir " + folder.resolve("once") + " 2> /dev/null && sleep 600; " + program : program;
    }

    @ParameterizedTest
    @EnumSource
    void programThatFreezesIsEndedAndRunsAgain(Part frozen) throws IOException {
        Path folder = pod.scratch();
        trees().create(TaskTree.of(
                TREE,
                job(
                        freezes(Part.MAP, frozen, folder, "seq 1 4 > $QUIVER_OUTPUT"),
                        freezes(
                                Part.PROCESS,
                                frozen,
                                folder,
                                "head -c $QUIVER_INPUT_LENGTH $QUIVER_INPUT > $QUIVER_OUTPUT"),
                        freezes(Part.COMBINE, frozen, folder, JOIN),
                        freezes(Part.REDUCE, frozen, folder, JOIN))));
        assertSumsUp("[1,2,3,4]");
        assertThat(folder.resolve("once")).exists();
    }

    /** The set would take 20 s by itself: its tasks and the chunks have to be given out in turns. */
    @Test
    void chunksTakeTurnsWithTheTasksOfASet() {
        pool.open("set", 2000, TaskSetLimits.DEFAULT, "/bin/sleep", "0.02");
        await().until(() -> pool.snapshot("set").succeeded() > 20);
        trees().create(TaskTree.of(TREE, job("seq 1 40 > $QUIVER_OUTPUT", "echo 1 > $QUIVER_OUTPUT", JOIN, JOIN)));
        assertSumsUp("[" + "1,".repeat(39) + "1]");
        assertThat(pool.snapshot("set").succeeded()).isLessThan(2000);
    }
}
