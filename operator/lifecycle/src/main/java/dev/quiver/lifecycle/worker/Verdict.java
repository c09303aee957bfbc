package dev.quiver.lifecycle.worker;

/** What a settlement came to. */
public enum Verdict {
    /** Counted (or given back, or moved) by this call. */
    COUNTED,
    /** A failed trial or a lost worker was counted and the task is queued again. */
    RETRIED,
    /** Not held under this fence: counted by an earlier call, or given back. */
    ALREADY,
    /** The set is final: the task counts nothing. */
    VOID
}
