package dev.quiver.supervisor;

import static dev.quiver.supervisor.Trees.call;
import static dev.quiver.supervisor.Trees.chain;
import static dev.quiver.supervisor.Trees.forEach;
import static dev.quiver.supervisor.Trees.group;
import static dev.quiver.supervisor.Trees.iterator;
import static dev.quiver.supervisor.Trees.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** Trees of Tasks in pods of real parts: supervisor, agent, handler processes, Redis. */
@Execution(ExecutionMode.CONCURRENT)
class TasksIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String TREE = "tree-1";
    private static final int OUTPUT_BYTES = 1 << 20;
    private static final long MOST = 64 << 20;
    private static final String READ = "cat $QUIVER_INPUT";

    private PoolFixture pool;
    private WorkerPod pod;

    @BeforeEach
    void startPod() throws IOException {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
        pod = WorkerPod.of("a", pool, REDIS.endpoint(), 4, Patience.LIMIT)
                .writing(OUTPUT_BYTES)
                .handling();
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
        assertThat(trees().create(TaskTree.of(TREE, root))).isEqualTo(Trees.Created.BEGUN);
    }

    private TreeState state() {
        return trees().find(TREE).orElseThrow();
    }

    private TreeState ended(TreeState.State how) {
        await().until(() -> state().over());
        assertThat(state()).as("%s", trees().report(TREE, 32)).returns(how, TreeState::state);
        return state();
    }

    private String result() {
        ended(TreeState.State.FINISHED);
        return trees().result(TREE, MOST);
    }

    private Path scratch() throws IOException {
        return pod.scratch();
    }

    private String metrics() throws InterruptedException {
        return pod.get("/metrics");
    }

    /** A program leaves JSON or text in its output; an empty one is no value. Each next one finds it as last argument. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "printf '{\"n\": 1.50}' > $QUIVER_OUTPUT | {\"n\": 1.50}",
                "printf 0 > $QUIVER_OUTPUT | 0",
                "echo false > $QUIVER_OUTPUT | false",
                "echo hello, world > $QUIVER_OUTPUT | \"hello, world\"",
                "printf '\"\"' > $QUIVER_OUTPUT | \"\"",
                "true | null",
                "printf 'a\\0\\377' > $QUIVER_OUTPUT | {\"base64\":\"YQD/\",\"format\":\"Bytes\"}"
            })
    void resultOfAProgramIsTheLastArgumentOfTheNext(String program, String value) {
        pod.start();
        begin(chain(shell(program), shell(READ + " > $QUIVER_OUTPUT")));
        assertThat(result()).isEqualTo("[" + value + "]");
    }

    @Test
    void longAndJoinedInputsAreReadBeforeTheTaskRuns() {
        pod.start();
        String word = "\"" + "x".repeat(100) + "\"";
        List<TreeNode> many = Collections.nCopies(200, call("upper", word));
        begin(chain(group(many), shell(READ + " | tr X x > $QUIVER_OUTPUT")));
        String each = "[" + word + "]";
        assertThat(result()).isEqualTo("[[" + String.join(",", Collections.nCopies(200, each)) + "]]");
    }

    @Test
    void groupOfLargeResultsIsRefusedWithBothSizesAndTheNodeAtTheEndRuns() {
        pod.withHeap("96m").start();
        String large = "head -c 262142 /dev/zero | tr '\\0' y > $QUIVER_OUTPUT";
        TreeNode root = chain(group(Collections.nCopies(300, shell(large))), shell("true"));
        TreeNode last = shell(READ + " > $QUIVER_OUTPUT");
        assertThat(trees().create(new TaskTree(
                        TREE, root, Optional.of(last), true, Optional.empty(), Duration.ZERO, Optional.empty())))
                .isEqualTo(Trees.Created.BEGUN);
        NodeError error = ended(TreeState.State.FAILED).error().orElseThrow();
        assertThat(error.reason()).isEqualTo("InputTooLarge");
        assertThat(error.message()).isEqualTo("the input has 78643200 bytes, at most 65536 are allowed");
        assertThat(trees().result(TREE + ".303", MOST)).contains("\"state\":\"failed\"", "InputTooLarge");
        assertThat(pod.supervisor().isAlive()).isTrue();
    }

    @Test
    void nodeAtTheEndRunsWhereTheResultIsTooLargeForIt() {
        pod.start();
        String large = "head -c 262142 /dev/zero | tr '\\0' y > $QUIVER_OUTPUT";
        TreeNode root = group(Collections.nCopies(20, shell(large)));
        TreeNode last = shell(READ + " > $QUIVER_OUTPUT");
        assertThat(trees().create(new TaskTree(
                        TREE, root, Optional.of(last), true, Optional.empty(), Duration.ZERO, Optional.empty())))
                .isEqualTo(Trees.Created.BEGUN);
        ended(TreeState.State.FINISHED);
        assertThat(trees().result(TREE + ".21", MOST)).isEqualTo("[{\"state\":\"finished\",\"result\":null}]");
    }

    @Test
    void inputThatNoSlotTakesEndsItsTask() {
        pod.start();
        begin(chain(shell("seq -s, 1 20000 | sed 's/.*/[&]/' > $QUIVER_OUTPUT"), call("upper")));
        TreeState now = ended(TreeState.State.FAILED);
        assertThat(now.error().orElseThrow().reason()).isEqualTo("InputTooLarge");
        assertThat(now.error().orElseThrow().message()).contains("65536");
    }

    @Test
    void resultAboveTheBoundEndsItsTaskAtTheFirstTrial() {
        pod.start();
        begin(shell("head -c 262145 /dev/zero | tr '\\0' 1 > $QUIVER_OUTPUT"));
        TreeState now = ended(TreeState.State.FAILED);
        assertThat(now.error().orElseThrow())
                .returns("ResultTooLarge", error -> error.reason())
                .returns("the result has 262145 bytes, at most 262144 are kept", error -> error.message());
    }

    @Test
    void resultThatIsNoJsonUsesEachTrialAndEndsItsTaskWithThatReason() {
        pod.serving(List.of(AgentProcess.TEST_HANDLER), Map.of()).start();
        begin(call("half"));
        assertThat(ended(TreeState.State.FAILED).error().orElseThrow())
                .returns("ResultInvalid", NodeError::reason)
                .returns(3, NodeError::trial)
                .satisfies(error -> assertThat(error.message()).contains("JSON"));
    }

    @Test
    void callOfAnIteratorThatTakesTooLongIsAFailedTrial() {
        pod.start();
        begin(new TreeNode.IteratorNode(
                PoolFixture.POOL,
                Optional.empty(),
                2,
                2,
                TreeNode.OnChildError.FAIL,
                Optional.empty(),
                dev.quiver.supervisor.Trees.shellBody("sleep 1000", Duration.ofSeconds(1))));
        assertThat(ended(TreeState.State.FAILED).error().orElseThrow())
                .returns("TimedOut", NodeError::reason)
                .returns(2, NodeError::trial);
    }

    @Test
    void largeResultsSettleOneAfterTheOther() {
        pod.start();
        String large = "head -c 262142 /dev/zero | tr '\\0' y > $QUIVER_OUTPUT";
        begin(group(Collections.nCopies(12, shell(large))));
        assertThat(result()).hasSize(12 * 262_144 + 13);
    }

    @Test
    void eachElementOfAResultIsATask() {
        pod.start();
        begin(chain(shell("seq -s, 1 100 | sed 's/.*/[&]/' > $QUIVER_OUTPUT"), forEach(call("upper", "\"a\""))));
        assertThat(result()).startsWith("[[\"A\",1],[\"A\",2],").endsWith(",[\"A\",100]]");
    }

    @Test
    void programIteratesUntilItHasNoMore() throws IOException {
        pod.start();
        String state = "sed 's/.*\"state\":\\([0-9nul]*\\).*/\\1/; s/null/0/'";
        String program = "n=$(" + READ + " | " + state
                + "); if [ $n -lt 20 ]; then echo \"{\\\"state\\\": $((n + 1)), \\\"tasks\\\": "
                + "[{\\\"command\\\": [\\\"/bin/sh\\\", \\\"-c\\\", \\\"echo $n >> " + scratch() + "/seen\\\"]}]}\"; "
                + "else echo '{\"result\": \"all\"}'; fi > $QUIVER_OUTPUT";
        begin(iterator(program));
        assertThat(result()).isEqualTo("\"all\"");
        assertThat(Files.readAllLines(scratch().resolve("seen"))).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void runningLeavesBelowACancelledNodeAreStopped() throws Exception {
        pod.start();
        begin(group(List.of(shell("sleep 1000"), shell("sleep 1000"), shell("sleep 1000"))));
        await().until(() -> state().counts().locked() == 3);
        await().until(() -> metrics().contains("quiver_supervisor_slots_busy 3.0"));
        trees().change(TREE, Trees.Change.CANCEL);
        await().until(() -> metrics().contains("quiver_supervisor_slots_busy 0.0"));
        assertThat(ended(TreeState.State.FAILED).error().orElseThrow().reason()).isEqualTo("Cancelled");
        await().until(() -> metrics().contains("quiver_supervisor_tasks_cancelled_total 3.0"));
    }

    @Test
    void suspendedLeafIsStoppedAndRunsAgainWithoutUsingATrial() throws Exception {
        pod.start();
        Path go = scratch().resolve("go");
        begin(chain(shell("test -e " + go + " || sleep 1000; echo 7 > $QUIVER_OUTPUT"), call("upper")));
        await().until(() -> metrics().contains("quiver_supervisor_slots_busy 1.0"));
        trees().change(TREE, Trees.Change.SUSPEND);
        await().until(() -> metrics().contains("quiver_supervisor_slots_busy 0.0"));
        Files.createFile(go);
        trees().change(TREE, Trees.Change.RESUME);
        assertThat(result()).isEqualTo("[7]");
        assertThat(trees().report(TREE, 32).orElseThrow().nodes().getLast().trial())
                .isEqualTo(1);
    }

    @Test
    void resultIsKeptOfATaskThatOutlivesItsSupervisor() throws Exception {
        pod.start();
        Path go = scratch().resolve("go");
        begin(chain(
                shell("until test -e " + go + "; do sleep 0.1; done; echo '\"late\"' > $QUIVER_OUTPUT"),
                shell(READ + " > $QUIVER_OUTPUT")));
        await().until(() -> metrics().contains("quiver_supervisor_slots_busy 1.0"));
        pod.supervisor().signal("KILL");
        pod.supervisor().awaitEnd();
        Files.createFile(go);
        pod.startSupervisor();
        assertThat(result()).isEqualTo("[\"late\"]");
    }

    /** The pod without the handler hears of the call as well, and lets the other one know. */
    @Test
    void podsOfOnePoolThatServeDifferentHandlersShareItsQueue() throws Exception {
        pod.start();
        try (WorkerPod commands =
                WorkerPod.of("b", pool, REDIS.endpoint(), 4, Patience.LIMIT).start()) {
            await().until(() -> pool.workers().size() == 2);
            for (int i = 0; i < 10; i++) {
                String tree = "mixed-" + i;
                List<TreeNode> calls = Collections.nCopies(4, call("upper", "\"a\""));
                List<TreeNode> programs = Collections.nCopies(8, shell("sleep 0.2"));
                trees().create(TaskTree.of(tree, chain(group(calls), group(programs), call("upper"))));
                await().until(() -> trees().find(tree).orElseThrow().over());
                assertThat(trees().find(tree).orElseThrow().state()).isEqualTo(TreeState.State.FINISHED);
            }
            assertThat(commands.get("/metrics")).doesNotContain("quiver_supervisor_tasks_passed_total 0.0");
        }
    }

    /** Its leaf runs elsewhere when its lease has ended; the result that it brings then counts nothing. */
    @Test
    void refusesTheLateResultOfASupervisorThatWasStopped() throws Exception {
        pool.reaping();
        pod.start();
        String program = "until test -e go-$QUIVER_POD_NAME; do sleep 0.1; done; "
                + "echo $QUIVER_POD_NAME > $QUIVER_OUTPUT; touch ended-$QUIVER_POD_NAME";
        begin(chain(shell("cd " + scratch() + "; " + program), shell(READ + " > $QUIVER_OUTPUT")));
        await().until(() -> metrics().contains("quiver_supervisor_slots_busy 1.0"));
        pod.supervisor().signal("STOP");
        try (WorkerPod other = WorkerPod.of("b", pool, REDIS.endpoint(), 4, Patience.LIMIT)) {
            other.start();
            await().until(() -> other.get("/metrics").contains("quiver_supervisor_slots_busy 1.0"));
            Files.createFile(scratch().resolve("go-a"));
            await().until(() -> Files.exists(scratch().resolve("ended-a")));
            pod.supervisor().signal("CONT");
            await().until(() -> pod.supervisor().output().contains("was fenced"));
            await().until(() -> metrics().contains("quiver_supervisor_sessions_opened_total 2.0"));
            assertThat(state().over()).isFalse();
            Files.createFile(scratch().resolve("go-b"));
            assertThat(result()).as("by whom the first leaf counts").isEqualTo("[\"b\"]");
        }
    }
}
