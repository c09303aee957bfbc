package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.store.Rows;
import dev.quiver.history.store.RunRemoval;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeRecord;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/**
 * All that tasks print, from a real agent through the supervisor's process and the intake of history to the answer of
 * its API.
 */
class PrintedPacksIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final RunOpening RUN = RunOpening.of(RunKind.TASK_SET, "set", 1, 1);
    private static final Recording FAILED =
            new Recording(Recording.Keep.ALL, Recording.Output.FAILED, Recording.Results.NONE, false);
    private static final Recording ALL =
            new Recording(Recording.Keep.ALL, Recording.Output.ALL, Recording.Results.NONE, false);

    /** The output of {@code seq 1000000}: 6,888,896 bytes. */
    private static final byte[] MILLION_LINES = LongStream.rangeClosed(1, 1_000_000)
            .mapToObj(line -> line + "\n")
            .collect(Collectors.joining())
            .getBytes(StandardCharsets.US_ASCII);

    @TempDir
    private Path folder;

    private PoolFixture pool;
    private PackHistory history;
    private WorkerPod pod;

    @BeforeEach
    void open() throws Exception {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
        pool.lifecycle().health(pool.keyspace(), 1).recording(1 << 26).beat();
        history = new PackHistory(folder, pool.keyspace());
        pod = history.knownTo(WorkerPod.of("a", pool, REDIS.endpoint(), 2, Patience.LIMIT.multipliedBy(2)));
    }

    @AfterEach
    void close() {
        if (pod != null) {
            pod.close();
            history.close();
            pool.close();
        }
    }

    /** Runs so many tasks to their ends, and writes their rows into the record. */
    private void run(Recording how, long tasks, String script) throws Exception {
        run(
                how,
                new ExecutionSpec(
                        "set",
                        List.of("/bin/sh", "-c", script),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        new ExecutionSpec.TaskSource.Count(tasks)));
    }

    /** The same with calls of a function of the agent's test handler, several in a dispatch where that is allowed. */
    private void call(Recording how, long tasks, String function, String input) throws Exception {
        run(how, calls(tasks, function, input));
    }

    private ExecutionSpec calls(long tasks, String function, String input) {
        pod.serving(List.of(AgentProcess.TEST_HANDLER, "watched"), Map.of());
        return new ExecutionSpec(
                        "set",
                        new Execution.Handler(function),
                        List.of(),
                        Optional.of(new ExecutionInput.Json(input)),
                        new ExecutionSpec.TaskSource.Count(tasks))
                .batched(Optional.of(8));
    }

    private void run(Recording how, ExecutionSpec spec) throws Exception {
        begin(how, spec);
        end();
    }

    private void begin(Recording how, ExecutionSpec unrecorded) {
        ExecutionSpec spec = unrecorded.recorded(Optional.of(how));
        pool.control()
                .open(TaskSetOpening.of("set", PoolFixture.POOL, spec, PoolFixture.trials(1))
                        .recorded(Optional.of(new RunRecord(RUN, false))));
        pod.start();
    }

    private void end() throws Exception {
        await().atMost(Patience.LIMIT.multipliedBy(2))
                .until(() -> pool.snapshot("set").status().isFinal());
        history.persist(pool.store());
    }

    private JsonNode trial(long task) throws Exception {
        HttpResponse<byte[]> answer = history.get("set/tasks/" + task + "/trials/1");
        assertThat(answer.statusCode()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    private HttpResponse<byte[]> stream(String name, String... headers) throws Exception {
        return stream(0, name, headers);
    }

    private HttpResponse<byte[]> stream(long task, String name, String... headers) throws Exception {
        return history.get("set/tasks/" + task + "/trials/1/" + name + "?full=true", headers);
    }

    private void awaitOutput(long task) {
        await().atMost(Patience.LIMIT.multipliedBy(2)).until(() -> {
            JsonNode trial = trial(task);
            return !trial.has("outputPending") && !trial.has("outputLost");
        });
    }

    private String metric(String name) throws Exception {
        return pod.get("/metrics")
                .lines()
                .filter(line -> line.startsWith("quiver_supervisor_" + name))
                .findFirst()
                .orElse("");
    }

    private long packs() throws Exception {
        return history.database()
                .ask(connection -> Rows.first(connection, "SELECT COUNT(*) FROM packs", row -> row.getLong(1))
                        .orElseThrow());
    }

    @Test
    void bothStreamsComeByteByByteWhateverTheyHold() throws Exception {
        run(FAILED.keepingStreams(64), 1, "printf 'a\\000\\377\\303\\nend'; printf 'no newline' >&2; exit 3");
        awaitOutput(0);
        assertThat(trial(0).get("stdoutFullBytes").asLong()).isEqualTo(8);
        assertThat(stream("stdout").body())
                .isEqualTo(new byte[] {'a', 0, (byte) 0xff, (byte) 0xc3, '\n', 'e', 'n', 'd'});
        assertThat(stream("stderr").body()).asString().isEqualTo("no newline");
        assertThat(packs()).as("streams of a run share a pack").isEqualTo(1);
    }

    @Test
    void aMillionLinesComeWholeAndByARange() throws Exception {
        run(FAILED.keepingStreams(8192), 1, "seq 1000000; exit 1");
        awaitOutput(0);
        HttpResponse<byte[]> whole = stream("stdout");
        assertThat(whole.headers().firstValue("Content-Type")).contains("text/plain; charset=utf-8");
        assertThat(whole.body()).isEqualTo(MILLION_LINES);
        HttpResponse<byte[]> part = stream("stdout", "Range", "bytes=2097100-2097199");
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.body()).isEqualTo(Arrays.copyOfRange(MILLION_LINES, 2097100, 2097200));
        assertThat(stream("stderr").statusCode())
                .as("nothing was printed there")
                .isEqualTo(404);
        assertThat(packs()).isEqualTo(4);
        try (Stream<Path> left = Files.list(pod.whole())) {
            assertThat(left.toList()).as("a slot that is clean has no file").isEmpty();
        }
    }

    @Test
    void eachCallOfAFunctionHasItsOwnOutput() throws Exception {
        call(ALL.keepingStreams(64), 40, "shout", "3");
        for (long task = 0; task < 40; task++) {
            awaitOutput(task);
            assertThat(stream(task, "stdout").body()).asString().isEqualTo("1\n2\n3\n");
            assertThat(stream(task, "stderr").body()).asString().isEqualTo("shouted 3\n");
        }
        assertThat(history.get("set/tasks/0/trials/1/stdout").body()).asString().isEqualTo("1\n2\n3\n");
    }

    @Test
    void aMillionLinesOfAFunctionComeWhole() throws Exception {
        call(ALL.keepingStreams(8192), 1, "shout", "1000000");
        awaitOutput(0);
        assertThat(stream("stdout").body()).isEqualTo(MILLION_LINES);
        awaitNoFile();
    }

    private void awaitNoFile() {
        await().atMost(Patience.LIMIT.multipliedBy(2)).until(() -> {
            try (Stream<Path> left = Files.list(pod.whole())) {
                return left.findAny().isEmpty();
            }
        });
    }

    @Test
    void aFunctionThatFailsHasItsTracebackBehindWhatItPrinted() throws Exception {
        call(FAILED.keepingStreams(64), 1, "complain", "0");
        awaitOutput(0);
        assertThat(stream("stdout").body()).asString().isEqualTo("so far");
        assertThat(stream("stderr").body()).asString().isEqualTo("warned\nTraceback\nValueError: no\n");
    }

    @Test
    void whatAFunctionPrintedIsThereThoughItsProcessDied() throws Exception {
        call(FAILED.keepingStreams(64), 1, "die", "3");
        awaitOutput(0);
        assertThat(trial(0).get("reason").asText()).isEqualTo("HandlerDied");
        assertThat(stream("stderr").body()).asString().isEqualTo("my last words\n");
        awaitNoFile();
    }

    @Test
    void whatAFunctionPrintedIsThereThoughItsSupervisorDied() throws Exception {
        Path gate = pod.scratch().resolve("go");
        begin(ALL.keepingStreams(64), calls(1, "tell", "\"" + gate + "\""));
        await().atMost(Patience.LIMIT).until(() -> {
            try (Stream<Path> files = Files.list(pod.whole())) {
                return files.findAny().isPresent();
            }
        });
        pod.supervisor().signal("KILL");
        pod.supervisor().awaitEnd();
        Files.createFile(gate);
        pod.startSupervisor();
        end();
        awaitOutput(0);
        assertThat(trial(0).get("status").asText()).isEqualTo("passed");
        assertThat(stream("stdout").body()).asString().isEqualTo("telling\ntold");
    }

    @Test
    void functionsAndCommandsOfOneTreeHaveTheirOutput() throws Exception {
        pod.serving(List.of(AgentProcess.TEST_HANDLER, "watched"), Map.of());
        RunOpening opening = RunOpening.of(RunKind.TASK, "set", 1, 1);
        TaskTrees trees = pool.lifecycle().trees(pool.keyspace());
        trees.create(TaskTree.of(
                        "tree",
                        Trees.group(List.of(Trees.call("shout"), Trees.shell("echo a command"), Trees.call("shout"))))
                .recorded(Optional.of(new TreeRecord(ALL.keepingStreams(64), opening))));
        pod.start();
        await().atMost(Patience.LIMIT.multipliedBy(2))
                .until(() -> trees.find("tree").orElseThrow().state() == TreeState.State.FINISHED);
        history.persist(pool.store());
        for (long task = 1; task <= 3; task++) {
            awaitOutput(task);
        }
        assertThat(stream(1, "stderr").body()).asString().isEqualTo("shouted 0\n");
        assertThat(stream(2, "stdout").body()).asString().isEqualTo("a command\n");
        assertThat(stream(3, "stderr").body()).asString().isEqualTo("shouted 0\n");
    }

    @Test
    void callsOfAFunctionOfWhichNobodyAsksForAllHaveNoFile() throws Exception {
        call(ALL, 40, "shout", "3");
        assertThat(trial(0).has("stdoutFullBytes")).isFalse();
        assertThat(stream("stdout").statusCode()).isEqualTo(404);
        awaitNoFile();
    }

    @Test
    void beyondTheLimitTheMiddleIsLeftOutAndALineTellsBothSizes() throws Exception {
        run(FAILED.keepingStreams(4096), 1, "seq 1000000; exit 1");
        awaitOutput(0);
        int limit = 4096 << 10;
        ByteArrayOutputStream wanted = new ByteArrayOutputStream();
        wanted.write(MILLION_LINES, 0, 1 << 20);
        wanted.writeBytes("\n[quiver: 2694592 of 6888896 bytes are left out here, 4194304 are kept]\n"
                .getBytes(StandardCharsets.US_ASCII));
        int end = limit - (1 << 20);
        wanted.write(MILLION_LINES, MILLION_LINES.length - end, end);
        assertThat(stream("stdout").body()).isEqualTo(wanted.toByteArray());
        assertThat(trial(0).get("stdoutFullBytes").asLong()).isEqualTo(wanted.size());
        assertThat(trial(0).get("outputBytes").asLong()).isEqualTo(MILLION_LINES.length);
    }

    @Test
    void nothingIsKeptUnlessItIsAskedFor() throws Exception {
        run(ALL, 1, "seq 100000; test ! -e $QUIVER_WHOLE/task-0.stdout && test ! -e $QUIVER_WHOLE/task-1.stdout");
        assertThat(trial(0).get("status").asText()).isEqualTo("passed");
        assertThat(trial(0).has("stdoutFullBytes")).isFalse();
        assertThat(stream("stdout").statusCode()).isEqualTo(404);
        assertThat(history.get("set/tasks/0/trials/1/stdout").body()).asString().endsWith("\n100000\n");
    }

    @Test
    void aPassHasItsStreamsWhereTheOutputOfPassesIsRecorded() throws Exception {
        run(ALL.keepingStreams(64), 1, "echo passed");
        awaitOutput(0);
        assertThat(stream("stdout").body()).asString().isEqualTo("passed\n");
        assertThat(trial(0).get("status").asText()).isEqualTo("passed");
    }

    @Test
    void aPassHasNoneWhereOnlyThatOfFailuresIs() throws Exception {
        run(FAILED.keepingStreams(64), 1, "echo passed");
        assertThat(history.get("set/tasks/0/trials/1/stdout?full=true").statusCode())
                .isEqualTo(404);
        assertThat(metric("packs_stored_total")).endsWith(" 0.0");
    }

    @Test
    void historyThatWasAwayGetsItAllInTheEnd() throws Exception {
        history.away();
        run(FAILED.keepingStreams(8192), 1, "seq 1000000; exit 1");
        history.back();
        assertThat(trial(0).get("outputPending").asBoolean()).isTrue();
        assertThat(stream("stdout").statusCode()).isEqualTo(404);
        awaitOutput(0);
        assertThat(stream("stdout").body()).isEqualTo(MILLION_LINES);
    }

    @Test
    void whereHistoryIsAwayForLongOutputIsLostWithinABoundAndTasksGoOn() throws Exception {
        history.away();
        run(FAILED.keepingStreams(1024), 60, "head -c 200000 /dev/zero; exit 1");
        history.back();
        List<JsonNode> trials = new java.util.ArrayList<>();
        for (int task = 0; task < 60; task++) {
            trials.add(trial(task));
        }
        // Eight megabytes of memory hold 41 of them; which, the order of the ends decides.
        assertThat(trials.stream().filter(trial -> trial.has("outputLost"))).hasSize(60 - 41);
        assertThat(trials.stream().filter(trial -> trial.has("outputPending"))).hasSize(41);
        int lost = IntStream.range(0, 60)
                .filter(task -> trials.get(task).has("outputLost"))
                .findFirst()
                .orElseThrow();
        assertThat(history.get("set/tasks/" + lost + "/trials/1/stdout?full=true")
                        .body())
                .asString()
                .contains("found no room");
        await().atMost(Patience.LIMIT.multipliedBy(2))
                .until(() -> metric("results_dropped_total").endsWith(" 19.0")
                        && IntStream.range(0, 60).filter(task -> task != lost).noneMatch(this::isPending));
    }

    private boolean isPending(int task) {
        try {
            return trial(task).has("outputPending");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theOutputOfAWorkerThatIsKilledIsLost() throws Exception {
        history.away();
        run(FAILED.keepingStreams(8192), 1, "seq 1000000; exit 1");
        pod.supervisor().signal("KILL");
        pod.agent().kill();
        history.back();
        assertThat(trial(0).get("outputPending").asBoolean()).isTrue();
        history.database()
                .change(connection -> Rows.change(
                        connection,
                        "UPDATE trials SET finished_at = finished_at - 1000000")); // a quarter of an hour is long
        assertThat(trial(0).get("outputLost").asBoolean()).isTrue();
        assertThat(stream("stdout").statusCode()).isEqualTo(404);
    }

    @Test
    void nothingComesOfARunWhoseOutputWasRemoved() throws Exception {
        history.away();
        run(FAILED.keepingStreams(8192), 1, "seq 1000000; echo small >&2; exit 1");
        new RunRemoval(history.database()).removeOutput(1);
        history.back();
        await().atMost(Patience.LIMIT.multipliedBy(2))
                .until(() -> metric("results_dropped_total").endsWith(" 2.0"));
        assertThat(packs()).isZero();
        assertThat(trial(0).has("stdoutFullBytes")).isFalse();
    }
}
