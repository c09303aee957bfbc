package dev.quiver.lifecycle.keyspace;

/** The change of a keyspace's data since the last look; see {@link StoreLoss}. */
public sealed interface StoreChange {

    /** The same data in the same process, or the first look at an unknown keyspace. */
    record Same() implements StoreChange {}

    /** The data is gone: no epoch here, or another one. The CR's store-loss policy decides what to do. */
    record Empty() implements StoreChange {}

    /**
     * An older state of the same data: acknowledged changes are undone. Reconcile from the CRs.
     *
     * @param beatsLost how many beats of the leader are missing, at least 1
     */
    record Rewound(long beatsLost) implements StoreChange {}

    /** The data is kept, another process serves it (restart or promotion). Leases get their grace, nothing else. */
    record Restarted() implements StoreChange {}
}
