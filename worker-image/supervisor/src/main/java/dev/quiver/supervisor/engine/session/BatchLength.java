package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.supervisor.execution.TaskExecutor;

/**
 * How many tasks of a set are dispatched at once: as many as the set wants, else as many as run for {@link #WORTH}
 * together. A dispatch costs this process as much as several of the shortest tasks; beyond that bound it is nothing
 * beside them. Pure; a longer run counts quickly and a shorter one only little by little.
 */
final class BatchLength {

    /** The run time of all tasks of one dispatch. Too little for another slot to miss them. */
    static final Duration WORTH = Duration.ofMillis(1);

    private static final double SLOW_DOWN = 0.5;
    private static final double SPEED_UP = 0.1;

    private final Optional<Integer> wanted;
    private double meanNanos = -1;
    private boolean stalled;

    /**
     * For one set.
     *
     * @param wanted by its specification
     */
    BatchLength(Optional<Integer> wanted) {
        this.wanted = wanted.map(tasks -> Math.clamp(tasks, 1, TaskExecutor.MOST_AT_ONCE));
    }

    /** Notes how long a task ran. */
    void ran(long nanos) {
        double weight = nanos > meanNanos ? SLOW_DOWN : SPEED_UP;
        meanNanos = meanNanos < 0 ? nanos : meanNanos + (nanos - meanNanos) * weight;
    }

    /** The most tasks of the next dispatch, 1 … {@value TaskExecutor#MOST_AT_ONCE}; 1 while nothing is known. */
    int tasks() {
        if (wanted.isPresent() || meanNanos < 0) {
            return wanted.orElse(1);
        }
        return (int) Math.clamp(WORTH.toNanos() / Math.max(1, meanNanos), 1, TaskExecutor.MOST_AT_ONCE);
    }

    /**
     * The tasks of a dispatch for which a claim takes permits beside those of the queue: what the set wants. After
     * {@link #stalled} none, until a dispatch has several tasks again: tasks that run alone would wait in vain.
     */
    int wanted() {
        return stalled ? 1 : wanted.orElse(1);
    }

    /** Tasks waited too long for a slot. */
    void stalled() {
        stalled = true;
    }

    /** A dispatch of so many tasks has ended. */
    void together(int tasks) {
        stalled = stalled && tasks == 1;
    }
}
