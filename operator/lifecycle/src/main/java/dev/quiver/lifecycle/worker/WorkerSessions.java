package dev.quiver.lifecycle.worker;

import java.time.Duration;

/** Where a supervisor comes in. Thread-safe. */
public interface WorkerSessions {

    /**
     * Opens a session with a fresh random id, and fences in the same step the one that the same pod uid had before.
     * The tasks that the earlier session held are queued again when this returns, at the latest at the next tick of a
     * reaper. They are counted as a reaper counts them. So a pod runs one supervisor at a time.
     *
     * <p>After a {@link dev.quiver.lifecycle.redis.StoreUnreachableException} call again: a session that was opened
     * without an answer holds nothing, and the next call ends it. A lost call that arrives after its repetition
     * fences that one's session; it learns so from its first call, as from any other end.
     */
    default Outcome open(WorkerIdentity worker) {
        return open(worker, Duration.ZERO);
    }

    /**
     * Opens a session that may {@linkplain WorkerSession#adopt adopt} what the pod's earlier session held in its slots.
     *
     * @param left how long that is left to it, at most {@link #LONGEST_ADOPTION}; after that, or after the adoption, it is
     *     queued again as above. Zero: at once
     */
    Outcome open(WorkerIdentity worker, Duration left);

    /** How long what an earlier session held can be left to its successor. */
    Duration LONGEST_ADOPTION = Duration.ofSeconds(30);

    /** The answer to {@link #open}: a session, or the reason why there is none. */
    sealed interface Outcome {

        /** In. Close the session when done. */
        record Opened(WorkerSession session) implements Outcome {}

        /** The pool's name has no owner (yet): the operator announces it; ask again in a second. */
        record PoolUnknown() implements Outcome {}

        /** The name belongs to another WorkerPool now: this pod's pool is gone, exit. */
        record PoolReplaced(String ownerUid) implements Outcome {}

        /** The pool has as many sessions as it may have; ask again when some have ended. */
        record PoolFull() implements Outcome {}
    }
}
