package dev.quiver.lifecycle.keyspace;

/** What happened to a keyspace's data since it was last seen; see {@link StoreLoss}. */
public sealed interface StoreVerdict {

    /** The same data in the same process, or the first look at a keyspace that nobody knew. */
    record Same() implements StoreVerdict {}

    /** The data is gone: nothing here, or another epoch. What follows is the CR's store-loss policy. */
    record Empty() implements StoreVerdict {}

    /**
     * An older state of the same data: acknowledged changes are undone. Reconcile from the CRs.
     *
     * @param beatsLost how many beats of the leader are missing, at least 1
     */
    record Rewound(long beatsLost) implements StoreVerdict {}

    /** The data is kept, another process serves it (restart or promotion). Leases get their grace, nothing else. */
    record Restarted() implements StoreVerdict {}
}
