package dev.quiver.lifecycle.worker;

import dev.quiver.lifecycle.execution.RunnableTask;

/**
 * A task that this session holds.
 *
 * @param uid the source that it came from
 * @param id the task's id in its source
 * @param fence call number of the claim; with the session's id it is never used again
 * @param place where the supervisor said it would go
 * @param task what to run
 * @param copy whether another session holds it, too, and began it before
 */
public record Claim(String uid, String id, long fence, Place place, RunnableTask task, boolean copy) {

    /** A task that no other session holds. */
    public Claim(String uid, String id, long fence, Place place, RunnableTask task) {
        this(uid, id, fence, place, task, false);
    }

    /** The same claim of the task as it stands now. */
    public Claim with(RunnableTask now) {
        return new Claim(uid, id, fence, place, now, copy);
    }

    /** This trial's number, from 1. */
    public int trial() {
        return task.trial();
    }
}
