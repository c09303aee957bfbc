package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** Calls of handlers in a pod of real parts: supervisor, agent, a handler process for each slot, Redis. */
@Execution(ExecutionMode.CONCURRENT)
class HandlersIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String SET = "set-1";

    private PoolFixture pool;
    private WorkerPod pod;

    @BeforeEach
    void startPod() throws IOException {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
        pod = WorkerPod.of("a", pool, REDIS.endpoint(), 2, Patience.LIMIT).handling();
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

    private TaskSetSnapshot awaitStatus(TaskSetState status) {
        await().untilAsserted(() -> assertThat(pool.snapshot(SET).status())
                .as("%s", pool.snapshot(SET))
                .isEqualTo(status));
        return pool.snapshot(SET);
    }

    @Test
    void callsAFunctionAThousandTimesAndCountsEachOnce() throws IOException {
        pod.start();
        pool.openCalls(SET, 1_000, TaskSetLimits.DEFAULT, "upper", "{\"text\":\"abc\"}");
        TaskSetSnapshot now = awaitStatus(TaskSetState.SUCCEEDED);
        assertThat(now.succeeded()).isEqualTo(1_000);
        assertThat(now.trials()).isEqualTo(1_000);
    }

    @Test
    void tellsTheRegistryWhatIsServedAndLeavesOtherCallsAlone() throws IOException {
        pool.openCalls(SET, 4, TaskSetLimits.DEFAULT, "cube", "1");
        pod.start();
        await().untilAsserted(() -> assertThat(pool.workers())
                .singleElement()
                .satisfies(worker -> assertThat(worker.handlers()).containsExactly("count", "upper")));
        pool.open("commands", 10, TaskSetLimits.DEFAULT, "/bin/true");
        await().untilAsserted(
                        () -> assertThat(pool.snapshot("commands").status()).isEqualTo(TaskSetState.SUCCEEDED));
        assertThat(pool.snapshot(SET).trials()).isZero();
        assertThat(pool.snapshot(SET).queued()).isEqualTo(4);
    }

    @Test
    void samplesWhatAFunctionSaysOfItsInput() throws IOException {
        pod.start();
        pool.openCalls(SET, 1, PoolFixture.trials(2), "count", "\"x\"");
        TaskSetSnapshot now = awaitStatus(TaskSetState.FAILED);
        assertThat(now.trials()).isEqualTo(2);
        TrialFailure failure = now.failures().getFirst();
        assertThat(failure.reason()).isEqualTo("InputInvalid");
        assertThat(failure.message()).contains("not a number above 0");
        assertThat(failure.exitCode()).isEmpty();
    }

    @Test
    void endsACallThatTakesTooLongAndUsesItsSlotAgain() throws IOException {
        pod.start();
        pool.openCallsWithin(Duration.ofSeconds(1), SET, 2, PoolFixture.trials(2), "count", "100000");
        TaskSetSnapshot now = awaitStatus(TaskSetState.FAILED);
        assertThat(now.trials()).isEqualTo(4);
        assertThat(now.lost()).isZero();
        assertThat(now.failures())
                .allSatisfy(failure -> assertThat(failure.reason()).isEqualTo("TimedOut"));
        pool.openCalls("next", 10, PoolFixture.trials(1), "upper", "1");
        await().untilAsserted(() -> assertThat(pool.snapshot("next").status()).isEqualTo(TaskSetState.SUCCEEDED));
    }

    @Test
    void endsATaskWhoseInputIsLargerThanTheSlotAtItsFirstTrial() throws IOException {
        pod.start();
        pool.openCalls(SET, 1, TaskSetLimits.DEFAULT, "upper", "\"" + "x".repeat(100_000) + "\"");
        TaskSetSnapshot now = awaitStatus(TaskSetState.FAILED);
        assertThat(now.trials()).isEqualTo(1);
        TrialFailure failure = now.failures().getFirst();
        assertThat(failure.reason()).isEqualTo("InputTooLarge");
        assertThat(failure.message()).contains("slots.inputSize is 65536").containsPattern("take 10\\d\\d\\d\\d bytes");
    }

    @Test
    void aCallRunsOnWhenTheSupervisorIsKilled() throws Exception {
        pod.start();
        boolean adopted = runsOnWithoutASupervisor("short", "500");
        assertThat(adopted || runsOnWithoutASupervisor("long", "3000")).isTrue();
    }

    /** Two calls outlive their supervisor, and the next one tells their end; whether both were still running then. */
    private boolean runsOnWithoutASupervisor(String uid, String hundredths) throws Exception {
        pool.openCalls(uid, 2, TaskSetLimits.DEFAULT, "count", hundredths);
        await().until(() -> pod.get("/metrics").contains("quiver_supervisor_slots_busy 2.0")
                || pool.snapshot(uid).status() == TaskSetState.SUCCEEDED);
        pod.supervisor().signal("KILL");
        pod.supervisor().awaitEnd();
        pod.startSupervisor();
        await().until(() -> pool.snapshot(uid).status() == TaskSetState.SUCCEEDED);
        assertThat(pool.snapshot(uid).trials()).isEqualTo(2);
        assertThat(pool.snapshot(uid).lost()).isZero();
        await().until(pod::ready);
        return pod.get("/metrics").contains("quiver_supervisor_tasks_adopted_total 2.0");
    }
}
