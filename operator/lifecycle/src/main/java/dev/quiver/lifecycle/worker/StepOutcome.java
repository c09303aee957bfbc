package dev.quiver.lifecycle.worker;

import java.util.List;

/** What a step did. */
public sealed interface StepOutcome {

    /**
     * It was done.
     *
     * @param verdicts one for each settlement, in order
     * @param claims what this session holds in addition; fewer than places when the set is dry, bounded or not running
     * @param status of the source after the step
     * @param claimable tasks that a step could claim after this one: those that wait, delayed ones aside
     * @param member whether this session still counts as one of the set's workers. A session stays while it holds a task
     *     or gets some; when false, stop stepping this set until it is picked again
     */
    record Done(List<Verdict> verdicts, List<Claim> claims, SourceStatus status, long claimable, boolean member)
            implements StepOutcome {}

    /** The session is no more: nothing was done, everything it held runs elsewhere. Stop it, open another. */
    record Condemned() implements StepOutcome {}

    /** The set is no more: nothing was done. Stop what runs of it. */
    record Gone() implements StepOutcome {}
}
