package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.supervisor.engine.store.Counter;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.HandExecutor;

/** Tasks that a container took with it wait for the operator's word on why it ended. */
@Execution(ExecutionMode.CONCURRENT)
class ContainerEndTest {

    private static final String SET = "set-1";
    private static final Duration FOR_EVER = Duration.ofMinutes(5);

    private final MemoryWork work = new MemoryWork();
    private final HandExecutor hands = new HandExecutor(4);
    private Engine engine;

    /** Four tasks run. */
    private void start(Duration drain, Duration lossPatience) {
        WorkerIdentity worker = new WorkerIdentity("pool", "p", "pod", "u", "node", 4);
        Reaper reaper = () -> new Reaper.Reaped(0, 0, 0);
        EngineSettings settings = new EngineSettings(worker, drain, lossPatience, () -> new byte[0]);
        engine = new Engine(work, reaper, hands, settings, new StoreTrouble());
        work.add(SET, 4);
        engine.start();
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private void awaitLost() {
        await().untilAsserted(() -> assertThat(engine.stats().of(Counter.LOST)).isEqualTo(4));
    }

    @Test
    void saysWhatTheOperatorSawOfTheContainersEnd() {
        start(Duration.ZERO, FOR_EVER);
        hands.die();
        await().untilAsserted(() -> assertThat(work.askedForTheEnd()).hasSizeGreaterThan(1));
        assertThat(work.lost(SET)).isZero();
        work.containerEnds("exit code 137 (OOMKilled)");
        awaitLost();
        assertThat(work.lossMessages(SET))
                .containsExactly(
                        "the worker's container, or the agent in it, ended under it: exit code 137 (OOMKilled)");
        hands.arrive();
        await().untilAsserted(() -> assertThat(hands.running()).isEqualTo(4));
    }

    /** The agent that comes next finds out which tasks are lost; the operator may have seen the end before. */
    @Test
    void looksForTheOperatorsWordSinceTheContainerEnded() {
        start(Duration.ZERO, FOR_EVER);
        hands.leave();
        await().untilAsserted(
                        () -> assertThat(engine.status().executorAbsence()).isPresent());
        long ended = System.nanoTime();
        await().until(() -> System.nanoTime() - ended > 50_000_000);
        hands.loseAll();
        await().untilAsserted(() -> assertThat(work.askedForTheEnd()).isNotEmpty());
        assertThat(work.askedForTheEnd().getFirst()).isGreaterThan(Duration.ofMillis(50));
    }

    @Test
    void doesNotWaitForTheOperatorForEver() {
        start(Duration.ZERO, Duration.ofMillis(300));
        hands.die();
        awaitLost();
        assertThat(work.askedForTheEnd()).isNotEmpty();
        assertThat(work.lossMessages(SET)).containsExactly(ContainerEnd.UNEXPLAINED);
    }

    @Test
    void aPodThatEndsDoesNotWaitForTheOperator() {
        start(Duration.ofMinutes(1), FOR_EVER);
        hands.die();
        engine.drain(DrainCause.PRE_STOP);
        awaitLost();
    }

    @Test
    void tasksThatAreCalledOffDoNotWaitForTheOperator() {
        start(Duration.ZERO, FOR_EVER);
        work.status(SET, SourceStatus.SUSPENDED);
        await().untilAsserted(() -> assertThat(work.returned(SET)).isEqualTo(4));
    }
}
