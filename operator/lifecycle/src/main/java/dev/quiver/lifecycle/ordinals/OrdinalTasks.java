package dev.quiver.lifecycle.ordinals;

import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.TaskEstimate;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SettlementRow;

/** The tasks of one source of numbered tasks. Immutable. */
public interface OrdinalTasks {

    /** The handlers without which no task of the source may run at a worker. */
    List<String> handlers();

    /** The most tasks of one dispatch, 1 to 64; absent: the worker goes by their run time. */
    Optional<Integer> batch();

    /** Tasks of the source that one worker holds at a time at most, 1 or more; absent: as many as it has room for. */
    default Optional<Integer> perWorker() {
        return Optional.empty();
    }

    /** Whether a task that takes long may run at two workers at the same time. */
    default boolean speculates() {
        return false;
    }

    /**
     * One trial of a task.
     *
     * @param ordinal the number of the task
     * @param trial this trial's number, from 1
     * @param payload absent where the number alone determines the task
     */
    RunnableTask task(long ordinal, int trial, Optional<String> payload);

    /**
     * The same trial, with a name that no other one has.
     *
     * @param fence session and call that claimed it
     */
    default RunnableTask task(long ordinal, int trial, Optional<String> payload, String fence) {
        return task(ordinal, trial, payload);
    }

    /**
     * The same trial, of which an order tells how long it takes.
     *
     * @param fence session and call that claimed it
     */
    default RunnableTask task(
            long ordinal, int trial, Optional<String> payload, String fence, Optional<TaskEstimate> estimate) {
        return task(ordinal, trial, payload, fence);
    }

    /**
     * Reads what a task that is not ready lacks. Blocks.
     *
     * @param most bytes of what is read at most
     */
    default RunnableTask complete(RunnableTask task, long most) {
        return task;
    }

    /**
     * The settlement as it is sent and recorded: a failure may wait before it is tried again, be none, or end the source.
     */
    default Settlement sent(Settlement settlement) {
        return settlement;
    }

    /** The part of a passed task that Redis keeps. */
    default SettlementRow passed(Settlement.Passed passed) {
        return SettlementRow.PASSED;
    }
}
