package dev.quiver.lifecycle.worker;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.redis.SentCall;

/**
 * One step with its call number. {@link #run} may be called again until it returned: it is sent unchanged, and Redis does
 * it once. Not for use by two threads at once.
 */
public interface StepCall {

    /**
     * Settlements in one step at most. 64 are the right number if the round trip is short: they take 0.2 ms of Redis.
     * More in one call make others wait longer. 128 are meant for a pod that is bound by its steps. More are meant for
     * long round trips, where one call in flight for each set is the limit.
     */
    int MAX_SETTLEMENTS = 256;

    /** Settlements with a failure in one step at most: each brings up to a KiB, so these too stay within 64 KiB. */
    int MAX_FAILURES = 64;

    /** Claims in one step at most; a step gives fewer when their payloads would pass {@link #MAX_CLAIM_BYTES}. */
    int MAX_CLAIMS = 256;

    /** Bytes of payload in one step at most, a single larger payload aside. */
    int MAX_CLAIM_BYTES = 64 * 1024;

    /** Bytes of results in one step at most, a single larger one aside. */
    int MAX_RESULT_BYTES = 64 * 1024;

    /** The bytes of a settlement that count to {@link #MAX_RESULT_BYTES}. */
    static int resultBytes(Settlement settlement) {
        return settlement instanceof Settlement.Passed passed
                ? passed.result()
                        .map(TaskResult::json)
                        .map(Utf8::length)
                        .orElseGet(() -> passed.claim().task().keepsArrow()
                                        || passed.claim().task().takesEffects()
                                ? passed.output()
                                        .map(output -> output.bytes().length)
                                        .orElse(0)
                                : 0)
                : 0;
    }

    /** Whether a settlement counts to {@link #MAX_FAILURES}. */
    static boolean hasFailure(Settlement settlement) {
        return settlement instanceof Settlement.Failed
                || settlement instanceof Settlement.Pending
                || settlement instanceof Settlement.Lost;
    }

    /** The set it is about. */
    String uid();

    /** Sends it and returns its outcome, the same however often it is sent. */
    Outcome run();

    /**
     * Sends it without waiting for its outcome, at most once and before {@link #run}; absent where that is not possible
     * now. After a problem its outcome is unknown, and {@code run} finds it out.
     */
    default Optional<SentCall<Outcome>> send() {
        return Optional.empty();
    }

    /**
     * The same on the connection that waits for work, for its own thread: no other thread has to be woken to send it.
     */
    default Optional<SentCall<Outcome>> sendWhereAwaited() {
        return send();
    }

    /** The outcome of a step. */
    sealed interface Outcome {

        /**
         * It was done.
         *
         * @param verdicts one for each settlement, in order
         * @param claims what this session holds in addition; fewer than places when the set is dry, bounded or not running
         * @param status of the source after the step
         * @param claimable tasks that a step could claim after this one: those that wait, delayed ones aside
         * @param member whether this session still counts as one of the set's workers. A session stays while it holds a task
         *     or gets some; when false, stop stepping this set until it is picked again
         * @param others where nothing can be claimed, but tasks wait that other workers serve: a number that grows with each
         *     task that came; else absent
         * @param outranked whether another source of the pool has a higher priority and has work: the next free slot is for that
         * @param rest what the step left to do, for any thread, any number of times; it blocks. If nobody does it, the next
         *     tick does
         */
        record Done(
                List<Verdict> verdicts,
                List<Claim> claims,
                SourceStatus status,
                long claimable,
                boolean member,
                OptionalLong others,
                boolean outranked,
                Optional<Runnable> rest)
                implements Outcome {

            /**
             * The end of a step of a source whose tasks are all for the same workers, and whose steps leave nothing.
             */
            public Done(
                    List<Verdict> verdicts, List<Claim> claims, SourceStatus status, long claimable, boolean member) {
                this(verdicts, claims, status, claimable, member, OptionalLong.empty(), false, Optional.empty());
            }
        }

        /** The session is no more: nothing was done, everything it held runs elsewhere. Stop it, open another. */
        record Fenced() implements Outcome {}

        /** The set is no more: nothing was done. Stop what runs of it. */
        record Gone() implements Outcome {}
    }

    /** How a settlement was counted. */
    enum Verdict {
        /** Counted (or given back, or moved) by this call. */
        COUNTED('c'),
        /** A failed trial or a lost worker was counted and the task is queued again. */
        RETRIED('t'),
        /** Not held under this fence: counted by an earlier call, or given back. */
        ALREADY('a'),
        /** The set is final: the task counts nothing. */
        VOID('v');

        private final char letter;

        Verdict(char letter) {
            this.letter = letter;
        }

        /** As scripts answer it; {@code settling.lua} has the same. */
        public char letter() {
            return letter;
        }
    }
}
