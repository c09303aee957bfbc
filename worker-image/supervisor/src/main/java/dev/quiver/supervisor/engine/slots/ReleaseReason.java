package dev.quiver.supervisor.engine.slots;

/** Why a permit was given back; each permit is given back exactly once, with one of these. */
public enum ReleaseReason {
    /** The claim brought fewer tasks than permits were reserved for it. */
    UNUSED,
    /** The result is recorded in Redis, by this call or by an earlier one whose reply was lost. */
    SETTLED,
    /** The session was fenced: the result does not count, the task is somebody else's. */
    REFUSED,
    /** The task went back to its queue without using a trial. */
    GIVEN_BACK,
    /** The task set was cancelled, failed or dropped: nobody waits for the result. */
    CANCELLED
}
