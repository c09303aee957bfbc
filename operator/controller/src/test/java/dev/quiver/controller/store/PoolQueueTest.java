package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.worker.SourceLoad;

/** The tasks of a pool by state, and for how long it has given out none. */
class PoolQueueTest {

    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private static SourceLoad load(long left, long running, long delayed, long most, Integer progressSeconds) {
        return new SourceLoad(
                "u",
                left,
                running,
                delayed,
                0,
                Duration.ZERO,
                Optional.empty(),
                Optional.ofNullable(progressSeconds).map(Duration::ofSeconds),
                0,
                0,
                "",
                most);
    }

    private static PoolQueue look(PoolQueue before, Instant now, SourceLoad... ready) {
        return PoolQueue.of(List.of(ready), List.of(), before, now);
    }

    @Test
    void eachTaskIsInOneState() {
        PoolQueue queue = PoolQueue.of(
                List.of(load(100, 10, 5, 0, 1), load(50, 8, 0, 10, 1)),
                List.of(load(7, 3, 0, 0, 1), load(4, 0, 4, 0, 1), load(1000, 0, 0, 0, 1)),
                PoolQueue.EMPTY,
                NOW);
        assertThat(queue.queued())
                .as("85, and two of the run with ten at a time")
                .isEqualTo(87);
        assertThat(queue.blocked())
                .as("40, and 4 of a run that has all its workers")
                .isEqualTo(44);
        assertThat(queue.delayed()).isEqualTo(9);
        assertThat(queue.running()).isEqualTo(21);
    }

    @Test
    void aPoolStallsSinceItsQueueBeganOrGaveOutATask() {
        PoolQueue first = look(PoolQueue.EMPTY, NOW, load(5, 0, 0, 0, null));
        assertThat(first.stalled()).isZero();
        PoolQueue later = look(first, NOW.plusSeconds(60), load(5, 0, 0, 0, null));
        assertThat(later.stalled()).isEqualTo(Duration.ofMinutes(1));
        assertThat(look(later, NOW.plusSeconds(120), load(4, 1, 0, 0, 7)).stalled())
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(look(later, NOW.plusSeconds(120)).stalled())
                .as("an empty queue")
                .isZero();
    }

    @Test
    void aRunThatStoodIdleDoesNotStallWhenItsNextTaskComes() {
        PoolQueue idle = look(PoolQueue.EMPTY, NOW);
        PoolQueue next = look(idle, NOW.plusSeconds(10), load(1, 0, 0, 0, 3600));
        assertThat(next.stalled()).isZero();
        assertThat(look(next, NOW.plusSeconds(20), load(1, 0, 0, 0, 3610)).stalled())
                .isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void tasksThatWaitForALimitAloneDoNotStallAPool() {
        PoolQueue full = look(PoolQueue.EMPTY, NOW, load(50, 10, 0, 10, 900));
        assertThat(full.queued()).isZero();
        assertThat(look(full, NOW.plusSeconds(900), load(50, 10, 0, 10, 1800)).stalled())
                .isZero();
    }
}
