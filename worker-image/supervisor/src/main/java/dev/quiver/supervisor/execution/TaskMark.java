package dev.quiver.supervisor.execution;

import dev.quiver.slots.TaskHash;

/**
 * Tells the runs of tasks apart that are found in slots: the slot has no room for the names of source and task.
 *
 * @param taskHash SHA-256 of the {@linkplain dev.quiver.lifecycle.execution.RunnableTask#id task's id}, 64 hexadecimal digits
 * @param trial number of the run, from 1
 */
public record TaskMark(String taskHash, int trial) {

    /** The mark of a task's run. */
    public static TaskMark of(String taskId, int trial) {
        return new TaskMark(new TaskHash().of(taskId), trial);
    }
}
