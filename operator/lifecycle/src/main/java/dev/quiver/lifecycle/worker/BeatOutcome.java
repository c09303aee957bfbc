package dev.quiver.lifecycle.worker;

import java.util.Map;

/** What a beat learned. */
public sealed interface BeatOutcome {

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
            implements BeatOutcome {}

    /** The session is no more: stop what runs, open another. */
    record Condemned() implements BeatOutcome {}

    /** What became of a set. */
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
