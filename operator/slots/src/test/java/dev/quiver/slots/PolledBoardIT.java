package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.slots.rig.AgentPod;

/** A board without a thread of its own, polled by the thread of the test. */
class PolledBoardIT {
    private static final int TASKS = 50;

    private final List<SlotEvent> events = new ArrayList<>();
    private final AgentPod pod = AgentPod.bare(new Geometry(2, 8192, 8192));
    private SlotBoard board;

    @BeforeEach
    void start() {
        board = SlotBoard.polled(
                BoardConfig.fresh(pod.in(), pod.out(), new Geometry(2, 8192, 8192), "it/polled"), events::add);
    }

    @AfterEach
    void stop() {
        board.close();
        pod.close();
    }

    private void pollUntil(BooleanSupplier done) {
        while (!done.getAsBoolean()) {
            if (!board.poll()) {
                board.sleep(Long.MAX_VALUE, () -> true);
            }
        }
    }

    private <T extends SlotEvent> Stream<T> heard(Class<T> type) {
        return events.stream().filter(type::isInstance).map(type::cast);
    }

    @Test
    void tellsNothingOutsideAPoll() {
        pod.startAgent(Map.of());
        pollUntil(() -> heard(SlotEvent.Ready.class).count() == 2);
        events.clear();
        assertThat(board.dispatch(0, Assignment.of("t", AgentPod.sh("exit 0")))).isInstanceOf(Dispatch.Accepted.class);
        Awaitility.await().until(() -> board.view(0).equals(new SlotView.Seen(SlotState.COMPLETE)));
        assertThat(events).isEmpty();
        pollUntil(() -> !events.isEmpty());
        assertThat(events.getFirst()).isInstanceOf(SlotEvent.Finished.class);
    }

    @Test
    void sleepsThroughNoEventOfManyTasks() {
        pod.startAgent(Map.of());
        for (int task = 0; task < TASKS; task++) {
            int slot = task % 2;
            pollUntil(() -> heard(SlotEvent.Ready.class).anyMatch(ready -> ready.slot() == slot));
            events.removeIf(event -> event instanceof SlotEvent.Ready(int ready) && ready == slot);
            assertThat(board.dispatch(slot, Assignment.of("t", AgentPod.sh("exit 0"))))
                    .isInstanceOf(Dispatch.Accepted.class);
            pollUntil(() ->
                    heard(SlotEvent.Finished.class).anyMatch(end -> end.result().slot() == slot));
            SlotResult result = heard(SlotEvent.Finished.class)
                    .map(SlotEvent.Finished::result)
                    .filter(end -> end.slot() == slot)
                    .findFirst()
                    .orElseThrow();
            assertThat(result.passed()).as(result.toString()).isTrue();
            events.removeIf(event -> event instanceof SlotEvent.Finished(SlotResult end) && end.slot() == slot);
            board.acknowledge(slot, result.generation());
        }
    }

    @Test
    void aWakeOfAnotherThreadEndsTheSleepWithAndWithoutAnAgent() throws InterruptedException {
        wakes();
        pod.startAgent(Map.of());
        pollUntil(() -> heard(SlotEvent.Ready.class).count() == 2);
        wakes();
    }

    private void wakes() throws InterruptedException {
        long slept = 0;
        for (int i = 0; i < TASKS; i++) {
            AtomicBoolean asked = new AtomicBoolean();
            Thread waker = Thread.ofPlatform().start(() -> {
                asked.set(true);
                board.wake();
            });
            boolean ignored = board.poll();
            long begun = System.nanoTime();
            board.sleep(Long.MAX_VALUE, () -> !asked.get());
            slept += System.nanoTime() - begun;
            waker.join();
        }
        assertThat(Duration.ofNanos(slept / TASKS)).isLessThan(Duration.ofMillis(100));
    }
}
