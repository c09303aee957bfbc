package dev.quiver.lifecycle.taskset;

import java.time.Duration;

/**
 * When trials, tasks and a whole set end.
 *
 * @param maxTrials 1 to 100: how many failed trials end a task as failed
 * @param maxLost 1 to 100: how many times a task may lose its session or its executor; then the task is failed
 *     (WorkerLost). A lost run does not use a trial; waiting in a prefetch queue was no run
 * @param maxFailedTasks 0: no limit. Every task gets all its trials, and the set is failed at its end when any task
 *     failed. n &gt; 0: as soon as more than n tasks are failed, the set stops as failed (MaxFailedTasksExceeded).
 *     Running tasks are void then, and no more tasks start. It is {@code maxFailedIndexes} of batch/v1, with 0 for
 *     null. A failed task makes the set fail in any case; the limit decides only how early
 *     {@link #FAIL_FAST}: so does the first failed task
 * @param maxParallelTasks tasks that may run at once; 0 for any number
 * @param activeDeadline from start or resume until the set is failed (DeadlineExceeded), by Redis' clock; zero for none
 */
public record TaskSetLimits(
        int maxTrials, int maxLost, int maxFailedTasks, int maxParallelTasks, Duration activeDeadline) {

    /** As {@link #maxFailedTasks}: the first failed task ends the set. */
    public static final int FAIL_FAST = -1;

    /** Three trials, three losses, no limit of failed tasks, no deadline. */
    public static final TaskSetLimits DEFAULT = new TaskSetLimits(3, 3, 0, 0, Duration.ZERO);

    /** Checks the bounds. */
    public TaskSetLimits {
        check("maxTrials", maxTrials, 1, 100);
        check("maxLost", maxLost, 1, 100);
        check("maxFailedTasks", maxFailedTasks, FAIL_FAST, Integer.MAX_VALUE);
        check("maxParallelTasks", maxParallelTasks, 0, Integer.MAX_VALUE);
        if (activeDeadline.isNegative()) {
            throw new IllegalArgumentException("activeDeadline must not be negative: " + activeDeadline);
        }
    }

    /** Any number of tasks at once. */
    public TaskSetLimits(int maxTrials, int maxLost, int maxFailedTasks, Duration activeDeadline) {
        this(maxTrials, maxLost, maxFailedTasks, 0, activeDeadline);
    }

    /** The same with so many tasks at once; 0 for any number. */
    public TaskSetLimits atOnce(int tasks) {
        return new TaskSetLimits(maxTrials, maxLost, maxFailedTasks, tasks, activeDeadline);
    }

    private static void check(String field, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(field + " must be " + least + " to " + most + ": " + value);
        }
    }
}
