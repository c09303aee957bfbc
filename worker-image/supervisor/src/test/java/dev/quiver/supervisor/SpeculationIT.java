package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** A task that takes long, and its copy in another pod of real parts. */
@Execution(ExecutionMode.CONCURRENT)
class SpeculationIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String SET = "set-1";

    @TempDir
    private Path folder;

    private PoolFixture pool;
    private WorkerPod one;
    private WorkerPod other;

    @BeforeEach
    void startPods() throws IOException {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint()).reaping();
        one = WorkerPod.of("a", pool, REDIS.endpoint(), 2, Patience.LIMIT);
        other = WorkerPod.of("b", pool, REDIS.endpoint(), 2, Patience.LIMIT);
    }

    @AfterEach
    void close() throws IOException {
        for (WorkerPod pod : List.of(one, other)) {
            if (pod != null) {
                pod.close();
            }
        }
        pool.close();
    }

    /** The first runner of the last task never ends by itself; the one that runs it then does {@code then}. */
    private void open(String then, int trials) {
        Path first = folder.resolve("first");
        String script = "if [ $QUIVER_INDEX = 3 ]; then if mkdir " + first + "; then trap 'touch " + first
                + "/asked; exit 0' TERM; sleep 600 & wait; else " + then + "; fi; fi";
        ExecutionSpec spec = new ExecutionSpec(
                        SET,
                        List.of("sh", "-c", script),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        new ExecutionSpec.TaskSource.Count(4))
                .speculating(true);
        TaskSetLimits limits = PoolFixture.trials(trials);
        pool.control().open(TaskSetOpening.of(SET, PoolFixture.POOL, spec, limits));
    }

    private TaskSetSnapshot awaitStatus(TaskSetState status) {
        await().untilAsserted(() -> assertThat(pool.snapshot(SET).status())
                .as("%s", pool.snapshot(SET))
                .isEqualTo(status));
        return pool.snapshot(SET);
    }

    private void awaitNothingHeld() {
        await("no session holds a task")
                .untilAsserted(() -> assertThat(pool.places()).isEmpty());
    }

    @Test
    void anIdlePodFinishesWhatHangsInAnotherOneAndThatIsStopped() throws IOException {
        open("true", 3);
        one.start();
        other.start();
        TaskSetSnapshot now = awaitStatus(TaskSetState.SUCCEEDED);
        assertThat(now.speculated()).isEqualTo(1);
        assertThat(now.trials()).isEqualTo(4);
        assertThat(now.lost()).isZero();
        await("the first holder is asked to end").until(() -> Files.exists(folder.resolve("first/asked")));
        awaitNothingHeld();
    }

    @Test
    void aCopyThatFailsLeavesTheDecisionToTheHolder() throws IOException {
        open("exit 1", 1);
        one.start();
        other.start();
        await("the copy has failed")
                .untilAsserted(() -> assertThat(pool.snapshot(SET))
                        .returns(1L, TaskSetSnapshot::speculated)
                        .returns(4L, TaskSetSnapshot::trials)
                        .returns(1L, TaskSetSnapshot::running)
                        .returns(0L, TaskSetSnapshot::failed));
        assertThat(pool.snapshot(SET).status()).isEqualTo(TaskSetState.RUNNING);
    }

    @Test
    void theCopyGoesOnWhenThePodOfTheHolderDies() throws IOException {
        Path go = folder.resolve("go");
        open("while [ ! -e " + go + " ]; do sleep 0.1; done", 3);
        one.start();
        await("the last task hangs").until(() -> Files.exists(folder.resolve("first")));
        other.start();
        await("a copy runs").until(() -> pool.snapshot(SET).speculated() == 1);
        one.supervisor().close();
        one.agent().kill();
        await("the holder is lost").until(() -> pool.snapshot(SET).lost() == 1);
        assertThat(pool.snapshot(SET).queued()).isZero();
        assertThat(pool.snapshot(SET).running()).isEqualTo(1);
        Files.createFile(go);
        assertThat(awaitStatus(TaskSetState.SUCCEEDED).trials()).isEqualTo(4);
    }
}
