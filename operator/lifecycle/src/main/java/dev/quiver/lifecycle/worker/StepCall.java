package dev.quiver.lifecycle.worker;

/**
 * One step with its call number. {@link #run} may be called again until it returned: it is sent unchanged, and Redis does
 * it once. Not for use by two threads at once.
 */
public interface StepCall {

    /**
     * Settlements in one step at most. 64 are the right number where the round trip is short: they take 0.2 ms of Redis,
     * and more in one call make others wait longer for less. More are meant for long round trips, where one call in flight
     * for each set is the limit.
     */
    int MAX_SETTLEMENTS = 256;

    /** Settlements with a failure in one step at most: each brings up to a KiB, so these too stay within 64 KiB. */
    int MAX_FAILURES = 64;

    /** Claims in one step at most; a step gives fewer when their payloads would pass {@link #MAX_CLAIM_BYTES}. */
    int MAX_CLAIMS = 256;

    /** Bytes of payload in one step at most, a single larger payload aside. */
    int MAX_CLAIM_BYTES = 64 * 1024;

    /** Whether a settlement counts to {@link #MAX_FAILURES}. */
    static boolean hasFailure(Settlement settlement) {
        return settlement instanceof Settlement.Failed || settlement instanceof Settlement.Lost;
    }

    /** The set it is about. */
    String uid();

    /** Sends it and returns its outcome, the same however often it is sent. */
    StepOutcome run();
}
