package dev.quiver.lifecycle.taskset;

import java.time.Duration;

/** Where a supervisor comes in. Thread-safe. */
public interface TaskSetWork {

    /** Lease of a session, renewed by {@link WorkSession#beat} about every three seconds. */
    Duration LEASE = Duration.ofSeconds(10);

    /**
     * Opens a session with a fresh random id and condemns in the same step the one that the same pod uid had before: what
     * that one held is queued again when this returns (at the latest at the next tick of a reaper), counted as a reaper
     * counts it. So a pod runs one supervisor at a time.
     *
     * <p>After a {@link dev.quiver.lifecycle.StoreUnreachableException} call again: a session that was opened without an
     * answer holds nothing, and the next call ends it. A lost call that arrives after its repetition condemns that one's
     * session; it learns so from its first call, as from any other end.
     */
    SessionOutcome open(WorkerIdentity worker);
}
