package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.HandExecutor;

/** How soon a task that was called off is stopped: within a second, of which half is left to stop it. */
class AttendanceTest {

    private static final String SET = "set-1";
    private static final int ASKED = 8;

    private final MemoryWork work = new MemoryWork();
    private final HandExecutor hands = new HandExecutor(4);
    private final List<Long> asked = new CopyOnWriteArrayList<>();
    private Engine engine;

    private void start() {
        WorkerIdentity worker = new WorkerIdentity("pool", "p", "pod", "u", "node", hands.slots());
        Reaper reaper = () -> new Reaper.Reaped(0, 0, 0);
        engine = new Engine(work, reaper, hands, new EngineSettings(worker, Duration.ZERO), new StoreTrouble());
        engine.start();
    }

    @AfterEach
    void close() {
        engine.close();
    }

    /** A busy machine lengthens some of the times between two questions, and not the shortest of so many. */
    @Test
    void asksAboutRunningTasksTwiceASecond() {
        work.attend(running -> {
            asked.add(System.nanoTime());
            return Set.of();
        });
        work.add(SET, 4);
        start();
        await().until(() -> asked.size() > ASKED);
        long shortest = LongStream.range(1, ASKED)
                .map(i -> asked.get((int) i) - asked.get((int) i - 1))
                .min()
                .orElseThrow();
        assertThat(Duration.ofNanos(shortest)).isLessThan(Duration.ofSeconds(1));
        assertThat(hands.cancelled()).isZero();
    }

    @Test
    void stopsThoseThatWereCalledOffAlone() {
        work.attend(running -> Set.copyOf(
                running.stream().map(RunningTask::id).sorted().limit(1).toList()));
        work.add(SET, 2);
        start();
        await().until(() -> hands.running() == 2);
        await().until(() -> hands.cancelled() == 1);
    }
}
