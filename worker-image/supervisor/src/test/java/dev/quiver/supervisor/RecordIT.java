package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.StepRowsReader;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeRecord;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** The record of commands that ran in real slots, as history finds it in Redis. */
class RecordIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private PoolFixture pool;
    private WorkerPod pod;

    @BeforeEach
    void openPool() throws IOException {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
        pool.lifecycle().health(pool.keyspace(), 1).recording(1 << 26).beat();
        pod = WorkerPod.of("a", pool, REDIS.endpoint(), 2, Patience.LIMIT.multipliedBy(2));
    }

    @AfterEach
    void close() throws IOException {
        pod.close();
        pool.close();
    }

    private RecordedEntries record(Recording how, Optional<Duration> limit, String script) {
        ExecutionSpec spec = new ExecutionSpec(
                        "set",
                        List.of("/bin/sh", "-c", script),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        new ExecutionSpec.TaskSource.Count(1))
                .recorded(Optional.of(how));
        RunOpening run = RunOpening.of(RunKind.TASK_SET, "set", 1, 1);
        pool.control()
                .open(TaskSetOpening.of(
                                "set", PoolFixture.POOL, limit.map(spec::within).orElse(spec), PoolFixture.trials(1))
                        .recorded(Optional.of(new RunRecord(run, false))));
        pod.start();
        await().until(() -> pool.snapshot("set").status().isFinal());
        return RecordedEntries.of(pool.store(), pool.keyspace());
    }

    private static String text(byte[] tail) throws Exception {
        return new String(Tails.unpack(tail, 1 << 16), StandardCharsets.UTF_8);
    }

    @Test
    void aFailureHasItsExitItsUseAndTheEndOfItsOutput() throws Exception {
        RecordedEntries entries = record(Recording.DEFAULT, Optional.empty(), "seq 1 5000; echo it broke >&2; exit 9");
        TrialRow trial = entries.rows().getFirst().trial();
        assertThat(trial.status()).isEqualTo(TrialStatus.FAILED);
        assertThat(trial.exitCode()).contains(9);
        assertThat(trial.reason()).contains("NonZeroExit");
        assertThat(trial.outputBytes()).isEqualTo(23_893 + 9);
        assertThat(text(trial.stdout())).hasSize(4096).endsWith("4999\n5000\n");
        assertThat(text(trial.stderr())).isEqualTo("it broke\n");
        assertThat(trial.resources().orElseThrow().maxRssKib()).isPositive();
    }

    @Test
    void theWorkerHasItsTimesAndTheEndOfItsLog() throws Exception {
        long before = System.currentTimeMillis();
        record(Recording.DEFAULT, Optional.empty(), "sleep 2");
        HistoryEntry.WorkerEvent first = await().until(() -> prepared("set"), events -> !events.isEmpty())
                .getFirst();
        assertThat(first.startedAt().orElseThrow()).isBetween(before, System.currentTimeMillis());
        assertThat(first.setupFinishedAt().orElseThrow())
                .isGreaterThanOrEqualTo(first.startedAt().orElseThrow());
        assertThat(first.rsyncFinishedAt()).isEmpty();
        assertThat(first.pod()).isEqualTo("a");
        assertThat(text(first.log())).contains("pod a of pool specs").contains("is open\n");
        HistoryEntry.WorkerEvent last = await().until(
                        () -> prepared("set").getLast(),
                        event -> event.finishedAt().isPresent());
        assertThat(last.startedAt()).isEqualTo(first.startedAt());
        assertThat(last.finishedAt().orElseThrow())
                .isGreaterThanOrEqualTo(first.setupFinishedAt().orElseThrow());
    }

    @Test
    void theWorkerOfATreeHasThemToo() throws Exception {
        TreeRecord recorded = new TreeRecord(Recording.DEFAULT, RunOpening.of(RunKind.TASK, "report", 1, 1));
        pool.lifecycle()
                .trees(pool.keyspace(), 1)
                .create(TaskTree.of("tree", Trees.chain(Trees.shell("sleep 2"), Trees.shell("true")))
                        .recorded(Optional.of(recorded)));
        pod.start();
        HistoryEntry.WorkerEvent first = await().until(() -> prepared("tree"), events -> !events.isEmpty())
                .getFirst();
        assertThat(first.finishedAt()).as("it is at work").isEmpty();
        assertThat(text(first.log())).contains("pod a of pool specs");
        HistoryEntry.WorkerEvent last = await().until(
                        () -> prepared("tree").getLast(),
                        event -> event.finishedAt().isPresent());
        assertThat(last.finishedAt().orElseThrow() - first.startedAt().orElseThrow())
                .as("from its first task to its last one")
                .isGreaterThanOrEqualTo(2_000);
    }

    private List<HistoryEntry.WorkerEvent> prepared(String run) {
        return RecordedEntries.of(pool.store(), pool.keyspace()).of(HistoryEntry.Worker.class).stream()
                .filter(entry -> entry.uid().equals(run))
                .map(HistoryEntry.Worker::event)
                .toList();
    }

    @Test
    void aPassHasNothingButItsTime() {
        RecordedEntries.Row row = record(Recording.DEFAULT, Optional.empty(), "sleep 0.2; echo unseen")
                .rows()
                .getFirst();
        assertThat(row.kind()).isEqualTo(StepRowsReader.Kind.PASS);
        assertThat(row.runMillis()).isBetween(200L, 60_000L);
    }

    @Test
    void aPassHasItsOutputAndItsResultWhereTheyAreAskedFor() throws Exception {
        Recording all = new Recording(Recording.Keep.ALL, Recording.Output.ALL, Recording.Results.ALL, true);
        TrialRow trial = record(all, Optional.empty(), "echo seen; printf '[1, 2]' > $QUIVER_OUTPUT")
                .rows()
                .getFirst()
                .trial();
        assertThat(trial.status()).isEqualTo(TrialStatus.PASSED);
        assertThat(text(trial.stdout())).isEqualTo("seen\n");
        assertThat(new String(trial.result().orElseThrow().bytes(), StandardCharsets.UTF_8))
                .isEqualTo("[1, 2]");
        assertThat(trial.result().orElseThrow().format()).isEqualTo(ResultFormat.JSON);
        assertThat(trial.resources()).isPresent();
    }

    private Optional<TrialRow> passed(Recording how, String script) {
        RecordedEntries.Row row = record(how, Optional.empty(), script).rows().getFirst();
        return row.kind() == StepRowsReader.Kind.TRIAL ? Optional.of(row.trial()) : Optional.empty();
    }

    private static Recording results(Recording.Results which) {
        return new Recording(Recording.Keep.ALL, Recording.Output.NONE, which, false);
    }

    @Test
    void aCommandsJsonIsARecordedResult() {
        TrialRow.Result result = passed(results(Recording.Results.JSON), "printf '{\"n\": 1.50}\\n' > $QUIVER_OUTPUT")
                .flatMap(TrialRow::result)
                .orElseThrow();
        assertThat(result.format()).isEqualTo(ResultFormat.JSON);
        assertThat(new String(result.bytes(), StandardCharsets.UTF_8)).isEqualTo("{\"n\": 1.50}\n");
    }

    @Test
    void whatIsNoJsonIsNotRecordedAsJson() {
        assertThat(passed(results(Recording.Results.JSON), "printf '{\"n\": ' > $QUIVER_OUTPUT")
                        .flatMap(TrialRow::result))
                .isEmpty();
    }

    @Test
    void aNamedFormatIsCheckedBeforeItIsRecorded() {
        Recording arrow = results(Recording.Results.ALL).as(Optional.of(Recording.Format.ARROW));
        assertThat(passed(arrow, "printf '[1]' > $QUIVER_OUTPUT")
                        .flatMap(TrialRow::result)
                        .orElseThrow()
                        .format())
                .isEqualTo(ResultFormat.BYTES);
    }

    @Test
    void aResultThatIsTooLargeLeavesItsSize() {
        TrialRow trial = passed(results(Recording.Results.JSON), "head -c 5000 /dev/zero > $QUIVER_OUTPUT")
                .orElseThrow();
        assertThat(trial.result()).isEmpty();
        assertThat(trial.resultBytes()).isEqualTo(5000);
    }

    @Test
    void aProgramThatIsKilledHasItsSignal() {
        TrialRow trial = record(Recording.DEFAULT, Optional.empty(), "sh -c 'kill -9 $PPID'; true")
                .rows()
                .getFirst()
                .trial();
        assertThat(trial.status()).isEqualTo(TrialStatus.FAILED);
        assertThat(trial.signal()).contains(9);
        assertThat(trial.exitCode()).isEmpty();
        assertThat(trial.reason()).contains("Signalled");
    }

    private void open(String script) {
        ExecutionSpec spec = new ExecutionSpec(
                        "set",
                        List.of("/bin/sh", "-c", script),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        new ExecutionSpec.TaskSource.Count(1))
                .recorded(Optional.of(Recording.DEFAULT));
        RunOpening run = RunOpening.of(RunKind.TASK_SET, "set", 1, 1);
        pool.control()
                .open(TaskSetOpening.of("set", PoolFixture.POOL, spec, PoolFixture.trials(1))
                        .recorded(Optional.of(new RunRecord(run, false))));
        pod.start();
        await().until(() -> pool.snapshot("set").running() == 1);
    }

    /** The row of a trial that was stopped, with the letter of its settlement. */
    private TrialRow stopped(char letter) throws Exception {
        HistoryEntry.Step step = await().until(
                        () -> RecordedEntries.of(pool.store(), pool.keyspace()).of(HistoryEntry.Step.class).stream()
                                .filter(entry -> entry.verdicts().indexOf(letter) >= 0)
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
        StepRowsReader rows = StepRows.read(step.rows(), 256);
        assertThat(rows.next()).isTrue();
        return rows.trial().orElseThrow();
    }

    @Test
    void aProgramThatRunsWhenItsRunIsCancelledHasARow() throws Exception {
        open("sleep 60");
        pool.end("set", new StatusChange.Cancel());
        TrialRow trial = stopped('k');
        assertThat(trial.status()).isEqualTo(TrialStatus.CANCELLED);
        assertThat(trial.reason()).contains("RunEnded");
        assertThat(trial.runMillis()).isBetween(1L, 60_000L);
    }

    @Test
    void aProgramThatIsStoppedBySuspensionHasARow() throws Exception {
        open("sleep 60");
        pool.end("set", new StatusChange.Suspend());
        TrialRow trial = stopped('c');
        assertThat(trial.status()).isEqualTo(TrialStatus.CANCELLED);
        assertThat(trial.reason()).contains("Suspended");
    }

    @Test
    void aTrialThatExceedsItsLimitTimedOut() {
        assertThat(record(Recording.DEFAULT, Optional.of(Duration.ofMillis(300)), "sleep 60")
                        .rows()
                        .getFirst()
                        .trial()
                        .status())
                .isEqualTo(TrialStatus.TIMEOUT);
    }
}
