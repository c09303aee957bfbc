package dev.quiver.supervisor.engine.session;

import java.time.Duration;

/**
 * When a set's next step is sent. It is sent at once if a slot would otherwise be idle. If not, it is sent when a batch
 * is full or its oldest result has waited long enough. Pure.
 */
final class StepTiming {

    /** How long a result may wait for company while the queue feeds the slots. */
    static final Duration LINGER = Duration.ofMillis(4);

    private StepTiming() {}

    /**
     * The facts of the decision.
     *
     * @param results results that wait for a settle
     * @param oldestNanos how long the oldest of them has waited
     * @param claimable permits that the step could claim for; 0 when the set is dry or claims are stopped
     * @param queued tasks that wait for a slot
     * @param depth the queue's depth now
     * @param batch most results in one step
     */
    record Facts(int results, long oldestNanos, int claimable, int queued, int depth, int batch) {}

    /** The decision: now, in so many nanoseconds unless something changes, or not before something changes. */
    sealed interface When {
        /** Send it. */
        record Now() implements When {}

        /** Ask again after this time. */
        record In(long nanos) implements When {}

        /** No step is to be sent. */
        record Idle() implements When {}
    }

    private static final When NOW = new When.Now();
    private static final When IDLE = new When.Idle();

    static When decide(Facts facts) {
        boolean hungry = facts.claimable() > 0 && facts.queued() * 2 <= facts.depth();
        if (hungry || facts.results() >= facts.batch()) {
            return NOW;
        }
        if (facts.results() == 0) {
            return IDLE;
        }
        // A slot takes its next task when Redis has counted the last one: nothing else would keep it busy meanwhile.
        if (facts.queued() == 0) {
            return NOW;
        }
        long left = LINGER.toNanos() - facts.oldestNanos();
        return left <= 0 ? NOW : new When.In(left);
    }
}
