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

import dev.quiver.lifecycle.execution.TrialTimeouts;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** Limits that follow from a task's usual time, in a pod of real parts. */
@Execution(ExecutionMode.CONCURRENT)
class TimeoutsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String SET = "set-1";
    private static final TrialTimeouts SHORT = new TrialTimeouts(Duration.ofSeconds(1), Duration.ofSeconds(1));

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

    private void awaitTimedOut() {
        TaskSetSnapshot now = awaitStatus(TaskSetState.FAILED);
        assertThat(now.trials()).isEqualTo(2);
        assertThat(now.lost()).isZero();
        assertThat(now.failures())
                .isNotEmpty()
                .allSatisfy(failure -> assertThat(failure.reason()).isEqualTo("TimedOut"));
    }

    @Test
    void aCommandIsAskedToEnd() throws IOException {
        pool.openLimited(SET, SHORT, 100, 2, "sh", "-c", "trap 'echo asked >&2; exit 0' TERM; sleep 600 & wait");
        pod.start();
        awaitTimedOut();
        assertThat(pool.snapshot(SET).failures().getFirst().message()).contains("asked");
    }

    @Test
    void aCommandThatDoesNotEndIsKilled() throws IOException {
        pool.openLimited(SET, SHORT, 100, 2, "sh", "-c", "trap '' TERM; while true; do sleep 1; done");
        pod.start();
        awaitTimedOut();
    }

    @Test
    void aTaskThatNoRunKnowsHasItsOwnLimit() throws IOException {
        TrialTimeouts limits = new TrialTimeouts(Duration.ofHours(1), Duration.ofSeconds(1));
        pool.openLimited(SET, limits, 0, 2, "sleep", "600");
        pod.start();
        awaitTimedOut();
    }

    @Test
    void theLastTrialMayTakeAsLongAsAnUnknownTask() throws IOException {
        TrialTimeouts limits = new TrialTimeouts(Duration.ofSeconds(1), Duration.ofMinutes(5));
        pool.openLimited(SET, limits, 100, 2, "sleep", "3");
        pod.start();
        TaskSetSnapshot now = awaitStatus(TaskSetState.SUCCEEDED);
        assertThat(now.trials()).as("the first trial took too long").isEqualTo(2);
    }

    @Test
    void aFunctionHasTheSoftLimit() throws IOException {
        pool.openLimitedCall(SET, SHORT, 100, "count", "100000");
        pod.start();
        awaitTimedOut();
    }
}
