package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** The supervisor's process with the real agent and a real Redis: what a pod does when its parts are killed. */
@Execution(ExecutionMode.CONCURRENT)
class SupervisorIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String SET = "set-1";

    /** A drain that nobody here waits for as long as it may take. */
    private static final Duration PATIENT = Patience.LIMIT.multipliedBy(2);

    private final List<WorkerPod> pods = new ArrayList<>();
    private PoolFixture pool;

    @BeforeEach
    void openPool() {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
    }

    @AfterEach
    void close() throws IOException {
        for (WorkerPod pod : pods) {
            pod.close();
        }
        if (pool != null) {
            pool.close();
        }
    }

    private WorkerPod pod(String name, int slots, Duration drain) throws IOException {
        WorkerPod pod = WorkerPod.of(name, pool, REDIS.endpoint(), slots, drain);
        pods.add(pod);
        return pod;
    }

    private void awaitStatus(TaskSetState status) {
        await().untilAsserted(() -> assertThat(pool.snapshot(SET).status())
                .as("%s", pool.snapshot(SET))
                .isEqualTo(status));
    }

    private void awaitRunning(long tasks) {
        await().untilAsserted(() -> assertThat(pool.snapshot(SET).running()).isEqualTo(tasks));
    }

    private static long lines(Path file) throws IOException {
        try (var lines = Files.lines(file)) {
            return lines.count();
        }
    }

    @Test
    void runsAThousandCommandsAndCountsEachOnce() throws IOException, InterruptedException {
        pool.open(SET, 1_000, TaskSetLimits.DEFAULT, "/bin/true");
        WorkerPod pod = pod("a", 4, PATIENT).start();
        awaitStatus(TaskSetState.SUCCEEDED);
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.succeeded()).isEqualTo(1_000);
        assertThat(now.trials()).isEqualTo(1_000);
        // Counted when the reply arrives, which is after the snapshot can show it.
        await().until(() -> pod.get("/metrics").contains("quiver_supervisor_tasks_passed_total 1000.0"));
        assertThat(pod.get("/metrics"))
                .contains("quiver_task_seconds_count{kind=\"TaskSet\",outcome=\"passed\"} 1000\n")
                .contains("quiver_task_seconds_bucket{kind=\"TaskSet\",outcome=\"passed\",le=\"+Inf\"} 1000\n");
        assertThat(pod.get("/live")).startsWith("200");
    }

    @Test
    void retriesAFailingCommandAndSamplesItsLastWords() throws IOException {
        pool.open(
                SET,
                2,
                PoolFixture.trials(3),
                "/bin/sh",
                "-c",
                "echo of no use; echo task $QUIVER_TASK broke >&2; exit 7");
        pod("a", 2, PATIENT).start();
        awaitStatus(TaskSetState.FAILED);
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.failed()).isEqualTo(2);
        assertThat(now.trials()).isEqualTo(6);
        TrialFailure sample = now.failures().getFirst();
        assertThat(sample.exitCode()).contains(7);
        assertThat(sample.reason()).isEqualTo("NonZeroExit");
        assertThat(sample.message()).isEqualTo("of no use\ntask " + sample.task() + " broke");
        assertThat(sample.trial()).isEqualTo(3);
    }

    @Test
    void passesATaskOnItsSecondTrial() throws IOException {
        pool.open(SET, 5, PoolFixture.trials(3), "/bin/sh", "-c", "test $QUIVER_TRIAL -ge 2");
        pod("a", 2, PATIENT).start();
        awaitStatus(TaskSetState.SUCCEEDED);
        assertThat(pool.snapshot(SET).trials()).isEqualTo(10);
    }

    @Test
    void saysThatACommandDoesNotExist() throws IOException {
        pool.open(SET, 1, PoolFixture.trials(1), "/no/such/program");
        pod("a", 1, PATIENT).start();
        awaitStatus(TaskSetState.FAILED);
        assertThat(pool.snapshot(SET).failures().getFirst().reason()).isEqualTo("CommandNotFound");
    }

    @Test
    void failsATaskWhoseReferencesGrowBeyondItsSlotsInput() throws IOException {
        pool.open(SET, 1, TaskSetLimits.DEFAULT, "/bin/echo", "$(QUIVER_TASKSET)".repeat(20_000));
        pod("a", 1, PATIENT).start();
        awaitStatus(TaskSetState.FAILED);
        assertThat(pool.snapshot(SET).trials()).isEqualTo(1);
        TrialFailure failure = pool.snapshot(SET).failures().getFirst();
        assertThat(failure.reason()).isEqualTo("InputTooLarge");
        assertThat(failure.message()).contains("command has 100000 characters").contains("65536 bytes");
    }

    @Test
    void tellsWhichTrialOfHowManyRuns() throws Exception {
        pool.open(SET, 1, PoolFixture.trials(7), "/bin/sh", "-c", "test $QUIVER_TRIAL -lt 2 || exec sleep 300; exit 1");
        WorkerPod pod = pod("a", 1, PATIENT).start();
        await().untilAsserted(() -> assertThat(pod.slots()).containsPattern("0 +running .* 2/7 "));
    }

    @Test
    void endsACommandThatTakesTooLongAndUsesItsSlotAgain() throws IOException {
        pod("a", 1, PATIENT).start();
        TaskSetSnapshot now = oneTaskSleepsBeyond(Duration.ofSeconds(1), SET);
        if (now.trials() > 4 || !now.failures().getFirst().message().endsWith("asleep")) {
            // A machine so slow that a second passes before a shell has done its work.
            now = oneTaskSleepsBeyond(Duration.ofSeconds(30), "set-2");
        }
        assertThat(now.succeeded()).isEqualTo(2);
        assertThat(now.failed()).isEqualTo(1);
        assertThat(now.trials()).isEqualTo(4);
        assertThat(now.lost()).isZero();
        TrialFailure sample = now.failures().getFirst();
        assertThat(sample.reason()).isEqualTo("TimedOut");
        assertThat(sample.trial()).isEqualTo(2);
        assertThat(sample.message()).isEqualTo("still running at its deadline\nasleep");
    }

    /** The end of a set of three tasks, one of which uses up its limit in each of its two trials. */
    private TaskSetSnapshot oneTaskSleepsBeyond(Duration limit, String uid) {
        pool.openWithin(
                limit,
                uid,
                3,
                PoolFixture.trials(2),
                "/bin/sh",
                "-c",
                "test $QUIVER_TASK != 1 || { echo asleep >&2; sleep 300 & wait; }");
        await().until(() -> pool.snapshot(uid).status() == TaskSetState.FAILED);
        return pool.snapshot(uid);
    }

    @Test
    void takesOverTheRunningTasksOfAKilledSupervisor() throws Exception {
        WorkerPod pod = pod("a", 2, PATIENT).start();
        Path starts = pod.scratch().resolve("starts");
        Path go = pod.scratch().resolve("go");
        String until = "; while ! test -e " + go + "; do sleep 0.1; done";
        pool.open(SET, 3, TaskSetLimits.DEFAULT, "/bin/sh", "-c", "echo $QUIVER_TASK >> " + starts + until);
        await().until(() -> Files.exists(starts) && lines(starts) == 2);
        pod.supervisor().signal("KILL");
        pod.supervisor().awaitEnd();
        pod.startSupervisor();
        await().until(() -> pod.get("/metrics").contains("quiver_supervisor_tasks_adopted_total 2.0"));
        assertThat(pool.snapshot(SET).running()).isEqualTo(2);
        Files.createFile(go);
        awaitStatus(TaskSetState.SUCCEEDED);
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.trials()).isEqualTo(3);
        assertThat(now.lost()).isZero();
        assertThat(lines(starts)).as("each ran once").isEqualTo(3);
        assertThat(pool.workers()).hasSize(1);
    }

    @Test
    void reportsTheResultOfATaskThatEndedWhileNoSupervisorLooked() throws Exception {
        WorkerPod pod = pod("a", 1, PATIENT).start();
        Path starts = pod.scratch().resolve("starts");
        Path go = pod.scratch().resolve("go");
        Path end = pod.scratch().resolve("end");
        pool.open(
                SET,
                1,
                TaskSetLimits.DEFAULT,
                "/bin/sh",
                "-c",
                "echo x >> " + starts + "; while ! test -e " + go + "; do sleep 0.1; done; echo x >> " + end);
        await().until(() -> Files.exists(starts));
        pod.supervisor().signal("KILL");
        pod.supervisor().awaitEnd();
        Files.createFile(go);
        await().until(() -> Files.exists(end));
        pod.startSupervisor();
        awaitStatus(TaskSetState.SUCCEEDED);
        assertThat(pool.snapshot(SET).lost()).isZero();
        assertThat(pool.snapshot(SET).trials()).isEqualTo(1);
        assertThat(lines(starts)).isEqualTo(1);
    }

    @Test
    void runsTheTasksOfAPodWhoseAgentWasKilledTooAgain() throws Exception {
        WorkerPod pod = pod("a", 2, PATIENT).start();
        Path starts = pod.scratch().resolve("starts");
        pool.open(
                SET, 2, TaskSetLimits.DEFAULT, "/bin/sh", "-c", "echo $QUIVER_TASK >> " + starts + "; exec sleep 300");
        await().until(() -> Files.exists(starts) && lines(starts) == 2);
        pod.supervisor().signal("KILL");
        pod.agent().signal("KILL");
        pod.supervisor().awaitEnd();
        pod.agent().awaitEnd();
        pod.startSupervisor();
        pod.startAgent();
        await().until(() -> lines(starts) == 4);
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.running()).isEqualTo(2);
        assertThat(now.trials()).isZero();
        assertThat(now.lost()).isEqualTo(2);
    }

    @Test
    void givesTheTasksOfAKilledPodToAnother() throws Exception {
        pool.reaping();
        WorkerPod doomed = pod("a", 2, PATIENT).start();
        Path starts = doomed.scratch().resolve("starts");
        pool.open(
                SET, 2, TaskSetLimits.DEFAULT, "/bin/sh", "-c", "echo $QUIVER_TASK >> " + starts + "; exec sleep 300");
        await().until(() -> Files.exists(starts) && lines(starts) == 2);
        WorkerPod other = pod("b", 2, PATIENT).start();
        await().until(other::ready);
        doomed.supervisor().signal("KILL");
        doomed.agent().signal("KILL");
        await().until(() -> lines(starts) == 4);
        assertThat(pool.snapshot(SET).lost()).isEqualTo(2);
    }

    @Test
    void refusesTheLateResultOfASupervisorThatWasStopped() throws Exception {
        pool.reaping();
        WorkerPod paused = pod("a", 1, PATIENT).start();
        Path go = paused.scratch().resolve("go");
        pool.open(SET, 1, TaskSetLimits.DEFAULT, "/bin/sh", "-c", "while ! test -e " + go + "; do sleep 0.1; done");
        awaitRunning(1);
        paused.supervisor().signal("STOP");
        WorkerPod other = pod("b", 1, PATIENT).start();
        await().untilAsserted(() -> assertThat(pool.snapshot(SET).lost()).isEqualTo(1));
        await().until(() -> other.get("/metrics").contains("quiver_supervisor_slots_busy 1.0"));
        Files.createFile(go);
        awaitStatus(TaskSetState.SUCCEEDED);
        paused.supervisor().signal("CONT");
        await().until(() -> paused.supervisor().output().contains("was fenced"));
        await().until(() -> paused.get("/metrics").contains("quiver_supervisor_sessions_opened_total 2.0"));
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.succeeded()).isEqualTo(1);
        assertThat(now.trials()).isEqualTo(1);
        assertThat(paused.get("/metrics")).contains("quiver_supervisor_tasks_passed_total 0.0");
    }

    @Test
    void countsTasksOfAKilledAgentAsLostAndRunsThemWhenItIsBack() throws Exception {
        WorkerPod pod = pod("a", 2, PATIENT).start();
        Path starts = pod.scratch().resolve("starts");
        pool.open(
                SET, 2, TaskSetLimits.DEFAULT, "/bin/sh", "-c", "echo $QUIVER_TASK >> " + starts + "; exec sleep 300");
        await().until(() -> Files.exists(starts) && lines(starts) == 2);
        pod.agent().signal("KILL");
        pod.agent().awaitEnd();
        await().until(() -> !pod.ready());
        pod.startAgent();
        await().until(() -> lines(starts) == 4);
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.status()).isEqualTo(TaskSetState.RUNNING);
        assertThat(now.lost()).isEqualTo(2);
        assertThat(now.trials()).isZero();
        await().until(pod::ready);
    }

    @Test
    void endsTheCommandsOfACancelledSet() throws Exception {
        WorkerPod pod = pod("a", 2, PATIENT).start();
        Path starts = pod.scratch().resolve("starts");
        Path ends = pod.scratch().resolve("ends");
        String trap = "trap 'echo x >> " + ends + "; exit 0' TERM; echo x >> " + starts;
        pool.open(SET, 4, TaskSetLimits.DEFAULT, "/bin/sh", "-c", trap + "; while :; do sleep 0.1; done");
        await().until(() -> Files.exists(starts) && lines(starts) == 2);
        pool.end(SET, new StatusChange.Cancel());
        await().until(() -> Files.exists(ends) && lines(ends) == 2);
        assertThat(pool.snapshot(SET).succeeded()).isZero();
        await().until(() -> pod.get("/metrics").contains("quiver_supervisor_slots_free 2.0"));
    }

    @Test
    void stopsTheCommandsOfASuspendedSetWithoutATrial() throws Exception {
        pod("a", 2, PATIENT).start();
        pool.open(SET, 2, TaskSetLimits.DEFAULT, "/bin/sleep", "300");
        awaitRunning(2);
        pool.end(SET, new StatusChange.Suspend());
        awaitRunning(0);
        assertThat(pool.snapshot(SET).trials()).isZero();
        assertThat(pool.snapshot(SET).queued()).isEqualTo(2);
        pool.end(SET, new StatusChange.Resume());
        awaitRunning(2);
    }

    @Test
    void drainsOnPreStopAndEndsWithZeroOnTerm() throws Exception {
        WorkerPod pod = pod("a", 1, PATIENT).start();
        Path go = pod.scratch().resolve("go");
        pool.open(SET, 5, TaskSetLimits.DEFAULT, "/bin/sh", "-c", "while ! test -e " + go + "; do sleep 0.1; done");
        awaitRunning(1);
        assertThat(pod.get("/drain"))
                .as("of somebody who does not know the pool")
                .startsWith("404");
        Thread preStop = Thread.ofVirtual().start(() -> {
            try {
                pod.get("/drain/" + PoolFixture.POOL_UID);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        await().until(() -> pod.get("/ready").contains("drain: DRAINING"));
        assertThat(preStop.isAlive()).isTrue();
        Files.createFile(go);
        preStop.join();
        pod.supervisor().signal("TERM");
        assertThat(pod.supervisor().awaitEnd()).isZero();
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.succeeded()).isEqualTo(1);
        assertThat(now.queued()).isEqualTo(4);
        assertThat(pool.workers()).isEmpty();
    }

    @Test
    void givesBackWhatTheWorkersOwnEndCutsOff() throws Exception {
        WorkerPod pod = pod("a", 2, Duration.ofSeconds(1)).start();
        Path starts = pod.scratch().resolve("starts");
        pool.open(
                SET, 2, TaskSetLimits.DEFAULT, "/bin/sh", "-c", "echo $QUIVER_TASK >> " + starts + "; exec sleep 300");
        await().until(() -> Files.exists(starts) && lines(starts) == 2);
        pod.agent().signal("TERM");
        pod.agent().awaitEnd();
        awaitRunning(0);
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.queued()).isEqualTo(2);
        assertThat(now.trials()).isZero();
        assertThat(now.lost()).isZero();
    }

    /** A machine without processor time: the worker drains, ends and is gone for long before anybody looks. */
    @Test
    void countsWhatEndedInAWorkerThatLeftWhileTheSupervisorStoodStill() throws Exception {
        WorkerPod pod = pod("a", 2, PATIENT).start();
        Path starts = pod.scratch().resolve("starts");
        pool.open(SET, 2, TaskSetLimits.DEFAULT, "/bin/sh", "-c", "echo $QUIVER_TASK >> " + starts + "; exec sleep 1");
        await().until(() -> Files.exists(starts) && lines(starts) == 2);
        pod.supervisor().signal("STOP");
        long stopped = System.nanoTime();
        pod.agent().signal("TERM");
        pod.agent().awaitEnd();
        // Longer than an agent may be away, shorter than the lease.
        Duration left = Duration.ofSeconds(7).minusNanos(System.nanoTime() - stopped);
        await().pollDelay(left.isNegative() ? Duration.ZERO : left).until(() -> true);
        pod.supervisor().signal("CONT");
        awaitStatus(TaskSetState.SUCCEEDED);
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.trials()).isEqualTo(2);
        assertThat(now.lost()).isZero();
        assertThat(lines(starts)).as("each ran once").isEqualTo(2);
    }

    @Test
    void givesBackWhatDoesNotEndWithinTheDrainTime() throws Exception {
        WorkerPod pod = pod("a", 2, Duration.ofSeconds(1)).start();
        pool.open(SET, 2, TaskSetLimits.DEFAULT, "/bin/sleep", "300");
        awaitRunning(2);
        pod.supervisor().signal("TERM");
        assertThat(pod.supervisor().awaitEnd()).isZero();
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.queued()).isEqualTo(2);
        assertThat(now.trials()).isZero();
        assertThat(now.lost()).isZero();
    }

    @Test
    void endsWithTwoAndAWordOnABadSetting() throws Exception {
        WorkerPod pod = WorkerPod.of("bad", pool, REDIS.endpoint(), 99, PATIENT);
        pods.add(pod);
        pod.startSupervisor();
        assertThat(pod.supervisor().awaitEnd()).isEqualTo(2);
        assertThat(pod.supervisor().output()).contains("QUIVER_SLOTS=99 is not between 1 and 64");
    }
}
