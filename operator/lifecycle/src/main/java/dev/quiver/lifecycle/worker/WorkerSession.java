package dev.quiver.lifecycle.worker;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.lifecycle.redis.SentCall;

/**
 * One supervisor's session. {@link #heartbeat}, {@link #pick}, {@link #awaitWork} and steps of different sets may run on
 * different threads at the same time; one set has one step in flight. Methods throw {@link
 * dev.quiver.lifecycle.redis.StoreUnreachableException} when the outcome is unknown and {@link
 * dev.quiver.lifecycle.redis.StoreRefusedException} when nothing was done.
 */
public interface WorkerSession extends AutoCloseable {

    /** Random, never used before. */
    String id();

    /** Sets that {@link #pick} can pass over at most. */
    int MAX_SKIPPED = 256;

    /** How far back {@link #containerEnd} looks at most. */
    Duration OLDEST_END = Duration.ofMinutes(10);

    /** Sets of the session's own that {@link #pick} looks at, at most. */
    int MAX_OWN = 64;

    /**
     * The next set with claimable work and room for this worker, and moves it back in its pool's order. Follow with a
     * {@linkplain WorkSource#prepare step} that claims: the pick itself reserves nothing.
     *
     * @param own sets that this session works at, at most {@link #MAX_OWN}. A set that has all its workers is not in
     *     the pool's order; it is named in its turn, to those workers alone
     * @param skipped sets that this worker cannot serve, at most {@link #MAX_SKIPPED}; they keep their place
     */
    PickOutcome pick(Collection<String> own, Collection<String> skipped);

    /**
     * The tasks that the pod's earlier session holds, to be matched with the slots. The same answer each time.
     *
     * @return nothing unless this session was opened for adoption
     */
    List<Orphan> orphans();

    /**
     * Takes over what the pod's earlier session held, each task under a new fence, and queues again what is not named.
     * Call it before the first step, once; when its outcome is unknown, with the same arguments until there is an
     * answer.
     *
     * @param takeovers of {@linkplain #orphans orphans}, those that run or were never started
     * @return what this session holds now because of it; nothing unless it was opened for adoption
     * @throws IllegalStateException after a step was prepared
     */
    List<Claim> adopt(Collection<Takeover> takeovers);

    /**
     * Enters a source that {@link #pick} or {@link #adopt} named. Absent when it is gone.
     *
     * @throws IllegalArgumentException when it was written by an operator newer than this program
     */
    Optional<WorkSource> source(String id);

    /**
     * Renews the lease and learns what became of the sets.
     *
     * @param sets those that this session holds tasks of, at most 64
     * @param state for the pool's registry
     */
    HeartbeatOutcome heartbeat(Collection<String> sets, WorkerState state);

    /**
     * Waits on a connection of its own until the pool has work. A hint: a token without work and none with it are both
     * possible. Returns empty at once after {@link #close}.
     *
     * <p>A token is one worker's: who cannot use it {@linkplain #passOn passes it on}.
     *
     * @param atMost is cut to five seconds. A hungry caller waits again and {@linkplain #pick picks} without a hint
     *     only now and then, about eight times a second for a large pool
     * @return the token: the uid of the set with work if it was the only one, so that there is nothing to pick. Any
     *     other text means {@link #pick}. Empty when none came
     */
    Optional<String> awaitWork(Duration atMost);

    /**
     * Sends the same without waiting for its answer; absent where that is not possible now. The answer is read on the
     * connection's thread.
     */
    default Optional<SentCall<Optional<String>>> sendAwaitWork(Duration atMost) {
        return Optional.empty();
    }

    /** Puts a token of {@link #awaitWork} back, if there still is work: another worker gets it. Idempotent. */
    void passOn();

    /**
     * Records how this worker got ready for runs. Idempotent; nothing is written where nobody records, where the record has
     * no room, or once the session is no more.
     */
    void prepared(Collection<WorkerPreparation> runs);

    /**
     * How the worker's container ended, as the operator noted it; empty while it has not.
     *
     * @param ago since this worker saw the container end, at most {@link #OLDEST_END}: an earlier note is of an earlier end
     */
    Optional<String> containerEnd(Duration ago);

    /**
     * Ends the session: what it still holds is taken back, and what was in a slot counts as lost, so give back or
     * settle first. Never throws: when Redis is away the lease ends by itself.
     */
    @Override
    void close();

    /** The answer of {@link #pick}. */
    sealed interface PickOutcome {

        /** A set to step. */
        record Picked(String uid) implements PickOutcome {}

        /** The pool has no work for a new worker. */
        record Nothing() implements PickOutcome {}

        /** This pod takes no more work. */
        record Draining() implements PickOutcome {}

        /** The session is no more: stop what runs, open another. */
        record Fenced() implements PickOutcome {}

        /** The pool's name belongs to another WorkerPool or to none: finish or stop, then exit. */
        record PoolGone() implements PickOutcome {}
    }

    /** The answer to a {@link #heartbeat}. */
    sealed interface HeartbeatOutcome {

        /**
         * The lease is renewed.
         *
         * @param sets for each set asked about, what to do with its tasks
         * @param draining whether the operator wants this pod to take no more work
         * @param poolGone whether the pool's name belongs to another WorkerPool or to none: finish or stop, then exit
         * @param reapDue whether this caller should drive {@link Reaper#tick} now
         * @param workers sessions in the pool's registry, this one among them; what a whole pool does now and then is shared
         *     by so many
         */
        record Renewed(Map<String, SetNews> sets, boolean draining, boolean poolGone, boolean reapDue, int workers)
                implements HeartbeatOutcome {}

        /** The session is no more: stop what runs, open another. */
        record Fenced() implements HeartbeatOutcome {}

        /** The state of a source that the session works at. */
        enum SetNews {
            /** Go on. */
            RUNNING,
            /** Go on; there is work to claim for a member with free slots. */
            CLAIMABLE,
            /** Suspended: claim nothing; running tasks may be finished or given back. */
            SUSPENDED,
            /** Final: stop what runs, it counts nothing. */
            ENDED,
            /** The set is not there: stop what runs. */
            GONE
        }
    }
}
