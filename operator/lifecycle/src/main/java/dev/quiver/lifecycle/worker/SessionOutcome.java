package dev.quiver.lifecycle.worker;

/** Whether a supervisor was let in. */
public sealed interface SessionOutcome {

    /** In. Close the session when done. */
    record Opened(WorkerSession session) implements SessionOutcome {}

    /** The pool's name has no owner (yet): the operator announces it; ask again in a second. */
    record PoolUnknown() implements SessionOutcome {}

    /** The name belongs to another WorkerPool now: this pod's pool is gone, exit. */
    record PoolReplaced(String ownerUid) implements SessionOutcome {}

    /** The pool has as many sessions as it may have; ask again when some have ended. */
    record PoolFull() implements SessionOutcome {}
}
