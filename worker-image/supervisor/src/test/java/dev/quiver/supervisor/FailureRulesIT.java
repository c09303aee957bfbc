package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.ordinals.FailureRules;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** Rules of failure in a pod of real parts: exit codes of programs, reasons of functions, and a supervisor that dies. */
@Execution(ExecutionMode.CONCURRENT)
class FailureRulesIT {

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

    private static FailureRules rule(FailureRules.Action action, FailureRules.Failures failures) {
        return new FailureRules(List.of(new FailureRules.Rule(action, failures)), RetryBackoff.NONE);
    }

    private TaskSetSnapshot awaitStatus(TaskSetState status) {
        await().untilAsserted(() -> assertThat(pool.snapshot(SET).status())
                .as("%s", pool.snapshot(SET))
                .isEqualTo(status));
        return pool.snapshot(SET);
    }

    @Test
    void eachErrorOfABatchOfFunctionsIsJudgedByItself() throws IOException {
        pod.start();
        pool.openCalls(
                SET,
                300,
                rule(FailureRules.Action.PENDING, new FailureRules.Failures.Reasons(Set.of("InputInvalid"))),
                "count",
                "\"x\"");
        TaskSetSnapshot now = awaitStatus(TaskSetState.SUCCEEDED);
        assertThat(List.of(now.succeeded(), now.pending(), now.trials(), now.lost()))
                .containsExactly(300L, 300L, 300L, 0L);
    }

    @Test
    void aFunctionHasNoExitCode() throws IOException {
        pod.start();
        pool.openCalls(
                SET,
                1,
                rule(FailureRules.Action.PENDING, new FailureRules.Failures.ExitCodes(false, Set.of(99))),
                "count",
                "\"x\"");
        assertThat(awaitStatus(TaskSetState.FAILED).pending()).isZero();
    }

    @Test
    void aProgramsExitCodeEndsTheSet() throws IOException {
        pod.start();
        pool.open(
                SET,
                50,
                rule(FailureRules.Action.FAIL_SOURCE, new FailureRules.Failures.ExitCodes(true, Set.of(42))),
                "sh",
                "-c",
                "[ $QUIVER_INDEX != 7 ] || exit 42");
        TaskSetSnapshot now = awaitStatus(TaskSetState.FAILED);
        assertThat(now.reason()).isEqualTo("FailurePolicy");
        assertThat(now.message())
                .isEqualTo("Rule 1 of spec.failurePolicy.rules ended the run at task 7, exit code 42.");
        assertThat(now.failed()).isEqualTo(1);
    }

    @Test
    void aTaskThatOutlivesItsSupervisorIsJudgedOnce() throws Exception {
        pod.start();
        pool.open(
                SET,
                2,
                rule(FailureRules.Action.PENDING, new FailureRules.Failures.ExitCodes(true, Set.of(5))),
                "sh",
                "-c",
                "sleep 3; exit 5");
        await().until(() ->
                pool.snapshot(SET).running() == 2 && pod.get("/metrics").contains("quiver_supervisor_slots_busy 2.0"));
        pod.supervisor().signal("KILL");
        pod.supervisor().awaitEnd();
        pod.startSupervisor();
        TaskSetSnapshot now = awaitStatus(TaskSetState.SUCCEEDED);
        assertThat(List.of(now.succeeded(), now.pending(), now.trials(), now.lost()))
                .containsExactly(2L, 2L, 2L, 0L);
    }
}
