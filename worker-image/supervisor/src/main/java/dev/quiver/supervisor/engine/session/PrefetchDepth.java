package dev.quiver.supervisor.engine.session;

import java.time.Duration;

/**
 * How many tasks may wait beside the slots. They are as many as the slots swallow in two round trips, so that the queue
 * is refilled while half of it is left. They are never fewer than the slots swallow in {@link #STEP_WORTH}. A step
 * costs this machine as much as several short tasks, so it should bring several. Zero for tasks longer than
 * {@link #LONGEST_TASK} and until both times are known.
 *
 * <p>Pure. A longer time counts at once, and a shorter one only little by little. A set that turns slow therefore does
 * not leave tasks waiting here that another pod could run.
 */
final class PrefetchDepth {

    static final Duration LONGEST_TASK = Duration.ofMillis(50);
    /** The work that half of a queue is worth at least, twice. Too little for another pod to miss it. */
    static final Duration STEP_WORTH = Duration.ofMillis(8);
    /** Bounds what one pod keeps from the others, whatever the times say. */
    static final int MOST = 512;

    private static final double SLOW_DOWN = 0.5;
    private static final double SPEED_UP = 0.1;
    private static final double FORGET = 0.02;

    private double taskNanos;
    private double turnNanos;
    private double roundTripNanos;

    /** Notes how long a call took from sending to answer. */
    void roundTrip(long nanos) {
        roundTripNanos = roundTripNanos == 0 ? nanos : roundTripNanos + (nanos - roundTripNanos) * SPEED_UP;
    }

    /** Notes how long a task held its slot. */
    void task(long nanos) {
        double weight = nanos > taskNanos ? SLOW_DOWN : SPEED_UP;
        taskNanos = taskNanos == 0 ? Math.max(1, nanos) : Math.max(1, taskNanos + (nanos - taskNanos) * weight);
        // A queue that became too short to measure a turn must be able to grow again.
        turnNanos += (taskNanos - turnNanos) * FORGET;
    }

    /**
     * Notes how long a slot takes from one task of the queue to the next. That is the task, and the work of this
     * process in between, which is most of it for the shortest tasks on a busy machine.
     */
    void turn(long nanos) {
        turnNanos = turnNanos == 0 ? nanos : turnNanos + (nanos - turnNanos) * SPEED_UP;
    }

    /** Notes that tasks have waited too long for a slot: those that run are not short, whatever the ended ones were. */
    void stalled() {
        taskNanos = Math.max(taskNanos, 2.0 * LONGEST_TASK.toNanos());
    }

    /** The smoothed round trip, for the metrics; 0 while unknown. */
    long roundTripNanos() {
        return (long) roundTripNanos;
    }

    /** Whether tasks of this set are short enough that a slot should not wait for their settling. */
    boolean shortTasks() {
        return taskNanos > 0 && taskNanos <= LONGEST_TASK.toNanos();
    }

    /** The depth for so many usable slots, 0 … {@link #MOST}. */
    int tasks(int slots) {
        if (!shortTasks() || roundTripNanos == 0) {
            return 0;
        }
        double nanos = Math.max(2.0 * roundTripNanos, STEP_WORTH.toNanos());
        return (int) Math.min(MOST, Math.ceil(slots * nanos / Math.max(taskNanos, turnNanos)));
    }
}
