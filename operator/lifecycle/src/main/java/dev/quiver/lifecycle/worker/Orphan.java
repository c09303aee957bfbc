package dev.quiver.lifecycle.worker;

import dev.quiver.lifecycle.execution.RunnableTask;

/**
 * A task that the earlier session of a pod holds, and that its successor may {@linkplain WorkerSession#adopt take over}.
 *
 * @param uid the source that it came from
 * @param id the task's id in its source
 * @param trial number of the run that the earlier session claimed, from 1
 * @param place where that one said the task would go; it may run in another slot
 */
public record Orphan(String uid, String id, int trial, Place place) {

    /** The {@linkplain RunnableTask#id name of the task} in the slots. */
    public String taskId() {
        return RunnableTask.id(uid, id);
    }
}
