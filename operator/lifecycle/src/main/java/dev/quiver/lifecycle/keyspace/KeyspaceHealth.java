package dev.quiver.lifecycle.keyspace;

import java.util.Optional;

import dev.quiver.lifecycle.redis.StoreException;

/**
 * The leader's hold on a keyspace's identity. Thread-safe; every method is one or two round trips and throws
 * {@link StoreException}.
 */
public interface KeyspaceHealth {

    /**
     * Looks at the keyspace, creates its epoch when it has none, and after any verdict but {@code Same} gives all leases
     * a grace of their full length. Keep {@link Observation#facts} in a Kubernetes object <em>after</em> acting on the
     * verdict: a crash in between then repeats the verdict.
     *
     * @param known the facts kept from the last observation; absent for a keyspace never seen
     */
    Observation observe(Optional<StoreFacts> known);

    /**
     * Advances the beat by one and returns the facts with it. About every ten seconds by the leader; keep what it
     * returns, then a later rewind beyond it is seen.
     */
    StoreFacts beat();

    /**
     * Lets the identity of a keyspace without TaskSets and pools go, a day from now: epoch and term are needed for as long
     * as anything that was written under them may still be on its way. A pool or TaskSet that comes meanwhile keeps it,
     * and so does {@link #observe}. Forget the facts when it is done, for what is gone then was not lost.
     *
     * @return false, and nothing is done, when a TaskSet has keys there
     */
    boolean retire();

    /**
     * Takes a term back that no leader wrote there, so that this leader's words count again. To be called only by who has
     * seen, after it was refused, that it holds the Lease.
     *
     * @param seen the term that this leader was refused for
     * @return false, and nothing is done, when the keyspace has another term by now
     */
    boolean retake(long seen);

    /**
     * A verdict and the facts to keep.
     *
     * @param verdict what happened since the known facts
     * @param facts what is there now, the epoch just created included
     */
    record Observation(StoreVerdict verdict, StoreFacts facts) {}
}
