package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRowsReader;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** Commands in real slots that write reports of test cases. */
class ReportsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    /** A report that takes a while to read. */
    private static final String LONG_REPORT = """
            (echo '<testsuite>'
             yes '<testcase name="a" classname="b"><system-out>text</system-out></testcase>' | head -n 9000
             echo '</testsuite>') > $QUIVER_OUTPUT""";

    private PoolFixture pool;
    private WorkerPod pod;

    @BeforeEach
    void openPool() throws IOException {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
        pool.lifecycle().health(pool.keyspace(), 1).recording(1 << 26).beat();
        pod = WorkerPod.of("a", pool, REDIS.endpoint(), 2, Patience.LIMIT.multipliedBy(2))
                .writing(2 << 20);
    }

    @AfterEach
    void close() throws IOException {
        pod.close();
        pool.close();
    }

    private TaskSetSnapshot run(long tasks, Recording how, String... command) {
        open("set", tasks, how, command);
        pod.start();
        await().until(() -> pool.snapshot("set").status().isFinal());
        return pool.snapshot("set");
    }

    private void open(String uid, long tasks, Recording how, String... command) {
        open(uid, tasks, how, PoolFixture.trials(1), command);
    }

    private void open(String uid, long tasks, Recording how, TaskSetLimits limits, String... command) {
        ExecutionSpec spec = new ExecutionSpec(
                        uid,
                        List.of(command),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        new ExecutionSpec.TaskSource.Count(tasks))
                .reporting(true)
                .recorded(Optional.of(how));
        RunOpening run = RunOpening.of(RunKind.TASK_SET, uid, 1, tasks);
        pool.control()
                .open(TaskSetOpening.of(uid, PoolFixture.POOL, spec, limits)
                        .recorded(Optional.of(new RunRecord(run, false))));
    }

    private TaskSetSnapshot report(String script) {
        return run(1, Recording.DEFAULT, "/bin/sh", "-c", script);
    }

    private TrialRow row() {
        RecordedEntries.Row row =
                RecordedEntries.of(pool.store(), pool.keyspace()).rows().getFirst();
        assertThat(row.kind()).isEqualTo(StepRowsReader.Kind.TRIAL);
        return row.trial();
    }

    @Test
    void aReportOfPytestIsReadWithEachCaseThatDidNotPass(@TempDir Path tests) throws Exception {
        Assumptions.assumeTrue(
                new ProcessBuilder("python3", "-c", "import pytest").start().waitFor() == 0, "pytest is not here");
        Files.writeString(tests.resolve("test_sums.py"), """
                import pytest

                def test_good():
                    print("seen")

                @pytest.mark.parametrize("n", [1, 2])
                def test_bad(n):
                    assert n == 3, "<&> \\x1b[31m"

                @pytest.mark.skip(reason="not here")
                def test_later():
                    pass
                """);
        // The shell forgets that pytest failed: its report does not.
        TaskSetSnapshot set = report("cd " + tests
                + " && python3 -m pytest -q -p no:cacheprovider --junitxml=$QUIVER_OUTPUT test_sums.py; true");
        assertThat(set.failures().getFirst().reason()).isEqualTo("TestsFailed");
        assertThat(set.failures().getFirst().message()).startsWith("test_sums.test_bad[1]: AssertionError: <&>");
        TrialRow row = row();
        assertThat(row.status()).isEqualTo(TrialStatus.FAILED);
        assertThat(row.counts()).contains(new TrialRow.Counts(1, 1, 2));
        assertThat(row.cases())
                .extracting(TrialRow.Case::name)
                .containsExactly("test_sums.test_bad[1]", "test_sums.test_bad[2]", "test_sums.test_later");
    }

    @Test
    void aProgramThatFailsHasTheCasesOfItsReport() {
        TaskSetSnapshot set =
                report("printf '<testsuite><testcase name=\"a\"><failure message=\"no\"/></testcase></testsuite>'"
                        + " > $QUIVER_OUTPUT; exit 1");
        assertThat(set.failures().getFirst().reason()).isEqualTo("NonZeroExit");
        assertThat(set.failures().getFirst().exitCode()).contains(1);
        assertThat(set.failures().getFirst().message()).isEqualTo("a: no (1 of 1 cases failed)");
        assertThat(row().cases()).hasSize(1);
    }

    @Test
    void aPassHasItsCountsAndOnlySkippedCasesArePending() {
        TaskSetSnapshot set = run(
                2,
                Recording.DEFAULT,
                "/bin/sh",
                "-c",
                "test $QUIVER_INDEX = 0 && skipped='<skipped/>'; printf \"<testsuite><testcase name='a'>$skipped"
                        + "</testcase></testsuite>\" > $QUIVER_OUTPUT");
        assertThat(set.status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(set.pending()).isEqualTo(1);
        assertThat(RecordedEntries.of(pool.store(), pool.keyspace()).rows())
                .extracting(
                        each -> each.trial().status(),
                        each -> each.trial().counts().orElseThrow())
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple(TrialStatus.PENDING, new TrialRow.Counts(0, 1, 0)),
                        org.assertj.core.groups.Tuple.tuple(TrialStatus.PASSED, new TrialRow.Counts(1, 0, 0)));
    }

    @Test
    void aProgramThatWritesNoReportHasFailed() {
        TaskSetSnapshot set = report("true");
        assertThat(set.failures().getFirst().reason()).isEqualTo("ReportInvalid");
        assertThat(row().status()).isEqualTo(TrialStatus.ERROR);
        assertThat(row().message().orElseThrow()).contains("wrote no report to $QUIVER_OUTPUT");
    }

    @Test
    void hostileReportsAreRefusedInWordsAndOtherWorkGoesOn() {
        open("hostile", 8, Recording.DEFAULT, "/bin/sh", "-c", """
                case $QUIVER_INDEX in
                0) truncate -s 1G $QUIVER_OUTPUT;;
                1) (echo '<testsuite>'; yes '<testcase/>' | head -n 1000000; echo '</testsuite>') > $QUIVER_OUTPUT;;
                2) printf '<!DOCTYPE a [<!ENTITY b "x">]><testsuite>&b;</testsuite>' > $QUIVER_OUTPUT;;
                3) printf '<testsuite><testcase' > $QUIVER_OUTPUT;;
                4) printf '<testsuite><testcase name="\\303("/></testsuite>' > $QUIVER_OUTPUT;;
                5) printf '<testsuite><testcase name="\\001"/></testsuite>' > $QUIVER_OUTPUT;;
                6) (echo '<testsuite>'; yes '<testcase/>' | head -n 20000; echo '</testsuite>') > $QUIVER_OUTPUT;;
                7) yes '<testsuite>' | head -n 80000 > $QUIVER_OUTPUT;;
                esac
                """);
        pool.open("other", 200, PoolFixture.trials(1), "/bin/true");
        pod.start();
        await().until(() -> pool.snapshot("other").status().isFinal()
                && pool.snapshot("hostile").status().isFinal());
        assertThat(pool.snapshot("other").succeeded()).isEqualTo(200);
        TaskSetSnapshot hostile = pool.snapshot("hostile");
        assertThat(hostile.failed()).isEqualTo(8);
        assertThat(hostile.lost()).isZero();
        assertThat(hostile.failures())
                .hasSize(8)
                .allSatisfy(each -> assertThat(each.reason()).isIn("ReportInvalid", "OutputTooLarge"))
                .filteredOn(each -> each.reason().equals("ReportInvalid"))
                .hasSizeGreaterThanOrEqualTo(6)
                .allSatisfy(each -> assertThat(each.message()).startsWith("the report: line "));
    }

    @Test
    void aReportThatNoSupervisorHadReadIsReadByTheNextOne() throws Exception {
        Path starts = pod.scratch().resolve("starts");
        Path go = pod.scratch().resolve("go");
        Path end = pod.scratch().resolve("end");
        open("set", 1, Recording.DEFAULT, "/bin/sh", "-c", """
                echo x >> %s
                while ! test -e %s; do sleep 0.1; done
                printf '<testsuite><testcase name="a"><failure message="no"/></testcase></testsuite>' > $QUIVER_OUTPUT
                echo x > %s
                """.formatted(starts, go, end));
        pod.start();
        await().until(() -> Files.exists(starts));
        pod.supervisor().signal("KILL");
        pod.supervisor().awaitEnd();
        Files.createFile(go);
        await().until(() -> Files.exists(end));
        pod.startSupervisor();
        await().until(() -> pool.snapshot("set").status().isFinal());
        TaskSetSnapshot set = pool.snapshot("set");
        assertThat(set.failures().getFirst().reason()).isEqualTo("TestsFailed");
        assertThat(set.lost()).isZero();
        assertThat(Files.readAllLines(starts)).as("it ran once").hasSize(1);
        assertThat(row().cases()).hasSize(1);
    }

    @Test
    void manyReportsAtOnceAreAllRead() {
        TaskSetSnapshot set = run(100, Recording.DEFAULT, "/bin/sh", "-c", LONG_REPORT);
        assertThat(set.status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(set.succeeded()).isEqualTo(100);
        assertThat(RecordedEntries.of(pool.store(), pool.keyspace()).rows())
                .hasSize(100)
                .allSatisfy(row -> assertThat(row.trial().counts()).contains(new TrialRow.Counts(9000, 0, 0)));
    }

    @Test
    void aSessionThatIsFencedWhileAReportIsReadCountsNothingAndItsTasksRunAgain() throws IOException {
        int tasks = 200;
        TaskSetLimits limits = new TaskSetLimits(1, 100, 0, Duration.ZERO);
        open("set", tasks, Recording.DEFAULT, limits, "/bin/sh", "-c", LONG_REPORT);
        pod.close();
        // Two reports at a time are read, so some are nearly always.
        pod = WorkerPod.of("b", pool, REDIS.endpoint(), 8, Patience.LIMIT.multipliedBy(2))
                .writing(2 << 20)
                .start();
        await("a report was read in vain").pollInterval(Duration.ofMillis(200)).until(() -> {
            List<String> live =
                    pool.store().ask(redis -> redis.zrange(pool.keyspace().sessions(), 0, -1));
            live.forEach(
                    each -> pool.store().ask(redis -> redis.zadd(pool.keyspace().sessions(), 1, each)));
            pool.lifecycle().reaper(pool.keyspace()).tick();
            return pod.supervisor().output().contains("is refused: its session");
        });
        await().until(() -> pool.snapshot("set").status().isFinal());
        assertThat(pool.snapshot("set"))
                .returns(TaskSetState.SUCCEEDED, TaskSetSnapshot::status)
                .returns((long) tasks, TaskSetSnapshot::succeeded)
                .returns(0L, TaskSetSnapshot::failed);
        assertThat(RecordedEntries.of(pool.store(), pool.keyspace()).rows())
                .filteredOn(row -> row.trial().status() == TrialStatus.PASSED)
                .hasSize(tasks)
                .allSatisfy(row -> assertThat(row.trial().counts()).contains(new TrialRow.Counts(9000, 0, 0)));
    }
}
