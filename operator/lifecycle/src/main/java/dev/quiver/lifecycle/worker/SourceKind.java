package dev.quiver.lifecycle.worker;

import java.util.List;
import java.util.Optional;

/**
 * One kind of work, as sessions, adoption and the reaper use it. It is all that differs between TaskSets and other
 * kinds on the workers' side of Redis. A kind keeps no state and is thread-safe.
 *
 * <p>Each kind keeps these rules. Its sources stand in the pool's order. They stand in {@code P session} as
 * {@code set:<source>} while a session works at them, and in {@code P delayed} while they have delayed tasks. Each has
 * one hash at {@link #hash} with the fields {@code status}, {@code deadline_at}, {@code left}, {@code running},
 * {@code delayed} and {@code pool}: the heartbeat and the reaper read no more.
 */
public interface SourceKind {

    /** Whether this source, as it stands in the pool's order, is of this kind. */
    boolean owns(String source);

    /** The source's hash. */
    String hash(String source);

    /** Sorted set: the sessions that work at the source, in the order of joining. */
    default String sessions(String source) {
        return hash(source) + ":sessions";
    }

    /** See {@link WorkerSession#source}. */
    Optional<WorkSource> enter(SessionCalls session, String source);

    /**
     * The tasks of a source that the earlier session of this pod holds.
     *
     * @return nothing for a source that is gone
     */
    List<Orphan> orphans(SessionCalls session, String source);

    /**
     * Moves to this session, under one call number, the tasks that the earlier session held and that go on in a slot.
     * Tasks that were never started are noted as such. Repeatable.
     *
     * @param takeovers of orphans of this source
     * @return nothing for a source that is gone or cannot be read: what was held of it is queued again
     */
    List<Claim> adopt(SessionCalls session, String source, List<Takeover> takeovers);

    /**
     * Takes back what a fenced session holds of a source, in calls of bounded size, while the budget has some left.
     */
    Reaper.Reaped reap(SessionKeys dead, String source, CallBudget budget);

    /** Queues what is due of a source's delayed tasks, while the budget has calls left. */
    void promote(String source, CallBudget budget);
}
