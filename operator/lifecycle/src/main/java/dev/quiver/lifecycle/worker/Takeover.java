package dev.quiver.lifecycle.worker;

/**
 * The fate of an {@link Orphan}.
 *
 * @param uid the source that it came from
 * @param id the task's id in its source
 * @param place the slot that runs it or has its result: then the task is held by the successor under a new fence. A place
 *     of the queue when it was never started: then it goes back, and no loss is counted
 */
public record Takeover(String uid, String id, Place place) {

    /** A task that a slot runs, or has the result of. */
    public static Takeover running(Orphan orphan, int slot, long generation) {
        return new Takeover(orphan.uid(), orphan.id(), Place.slot(slot, generation));
    }

    /** The same task, stopped and given back. */
    public Takeover givenBack() {
        return new Takeover(uid, id, Place.queued(0));
    }

    /** A task that was never started. */
    public static Takeover notStarted(Orphan orphan) {
        return new Takeover(orphan.uid(), orphan.id(), Place.queued(0));
    }
}
