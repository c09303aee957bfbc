package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

/**
 * Real processes, killed at random: the agent, its runners, the supervisor's side. Every hand-over must end in exactly
 * one of the four ways, every pair of words must be a state, and no violation may be seen.
 */
class StressIT {
    private static final Duration LENGTH = Duration.ofSeconds(8);
    private static final Geometry GEOMETRY = new Geometry(4, 4096, 4096);

    private final Map<Integer, Long> held = new HashMap<>();
    private final List<SlotEvent> violations = new ArrayList<>();
    private final Map<Integer, Long> ended = new HashMap<>();
    private boolean resumed;
    private WorkerPod pod;
    private long ends;
    private long passes;

    @Test
    void endsEveryHandOverExactlyOnceWhoeverIsKilled() throws Exception {
        long seed = System.nanoTime();
        System.out.println("StressIT seed " + seed);
        Random random = new Random(seed);
        try (WorkerPod started = WorkerPod.bare(GEOMETRY)) {
            pod = started;
            pod.startBoard(BoardConfig.Start.FRESH);
            pod.startAgent(Map.of());
            long until = System.nanoTime() + LENGTH.toNanos();
            long nextKill = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500);
            while (System.nanoTime() < until) {
                SlotEvent event = pod.events.poll(5, TimeUnit.MILLISECONDS);
                if (event != null) {
                    take(event, random);
                }
                lookAtAllWords();
                if (System.nanoTime() > nextKill) {
                    killSomebody(random);
                    nextKill = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextInt(50, 800));
                }
            }
            settleDown(random);
        }
        assertThat(violations).isEmpty();
        assertThat(held).isEmpty();
        assertThat(passes).isPositive();
        System.out.println("StressIT " + ends + " ends, " + passes + " passes");
    }

    private void settleDown(Random random) throws InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(15).toNanos();
        while (!held.isEmpty() && System.nanoTime() < until) {
            SlotEvent event = pod.events.poll(100, TimeUnit.MILLISECONDS);
            if (event != null && !(event instanceof SlotEvent.Ready)) {
                take(event, random);
            }
        }
    }

    private void take(SlotEvent event, Random random) {
        switch (event) {
            case SlotEvent.Ready(int slot) -> handOver(slot, random);
            case SlotEvent.Finished(SlotResult result) -> {
                end(result.slot(), result.generation(), event);
                passes += result.passed() ? 1 : 0;
                pod.board.acknowledge(result.slot(), result.generation());
            }
            case SlotEvent.Cancelled(int slot, long generation, boolean ignored) -> end(slot, generation, event);
            case SlotEvent.Lost(int slot, long generation, boolean ignored) -> end(slot, generation, event);
            case SlotEvent.Found(int slot, long generation, SlotState state) ->
                assertThat(held.containsKey(slot) ? held.get(slot) : ended.get(slot))
                        .as(event.toString())
                        .isEqualTo(generation);
            case SlotEvent.Violated ignored -> violations.add(event);
            case SlotEvent.AgentArrived ignored -> {}
            case SlotEvent.AgentLeft ignored -> {}
            case SlotEvent.AgentDraining ignored -> {}
            case SlotEvent.HandlersAnnounced ignored -> {}
        }
    }

    private void handOver(int slot, Random random) {
        String script = switch (random.nextInt(4)) {
            case 0 -> "exit 0";
            case 1 -> "exit 1";
            case 2 -> "sleep 0.05";
            default -> "setsid sleep 0.3 & echo x > $QUIVER_OUTPUT";
        };
        if (pod.board.handOver(slot, Assignment.of("s", WorkerPod.sh(script))) instanceof HandOver.Handed(long g)) {
            assertThat(held.put(slot, g)).as("handed over twice").isNull();
            if (random.nextInt(8) == 0) {
                pod.board.cancel(slot, g);
            }
        }
    }

    private void end(int slot, long generation, SlotEvent event) {
        // A supervisor that came back may be told again what the one before it had heard.
        if (!held.containsKey(slot) && resumed && ended.getOrDefault(slot, 0L) == generation) {
            return;
        }
        assertThat(held.remove(slot)).as(event.toString()).isEqualTo(generation);
        ended.put(slot, generation);
        ends++;
    }

    private void lookAtAllWords() {
        for (int slot = 0; slot < GEOMETRY.slots(); slot++) {
            if (pod.board.view(slot) instanceof SlotView.Impossible(String text)) {
                assertThat(text).isEqualTo("no agent has come yet");
            }
        }
    }

    private void killSomebody(Random random) {
        switch (random.nextInt(4)) {
            case 0 -> {
                pod.agent.kill();
                pod.startAgent(Map.of());
            }
            case 1, 2 ->
                pod.agent
                        .handle()
                        .children()
                        .skip(random.nextInt(GEOMETRY.slots()))
                        .findFirst()
                        .ifPresent(ProcessHandle::destroyForcibly);
            default -> {
                pod.board.close();
                // What was said before the end is known; the rest is found again.
                for (SlotEvent event = pod.events.poll(); event != null; event = pod.events.poll()) {
                    if (!(event instanceof SlotEvent.Ready)) {
                        take(event, random);
                    }
                }
                resumed = true;
                pod.startBoard(BoardConfig.Start.RESUME);
            }
        }
    }
}
