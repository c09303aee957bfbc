package dev.quiver.crds.v1alpha1;

/** Why {@link ConditionType#StoreReachable} has its status, for any kind. */
public enum StoreReason implements Reason {
    // True
    /** Redis answers and holds the expected data. */
    Connected("Redis answers."),

    // Unknown
    /** The operator has just started and Redis was not asked yet. */
    NotAsked("Redis was not asked yet."),

    // False
    /** Redis does not answer; the message has the error. */
    Unreachable("Redis does not answer."),
    /** Redis refuses the user or the password. */
    AccessDenied("Redis refuses the user or the password."),
    /** Redis has used up its maxmemory. */
    OutOfMemory("Redis has used up its maxmemory."),
    /** Redis may evict keys: its maxmemory-policy is not noeviction. */
    EvictionAllowed("Redis may evict keys: its maxmemory-policy must be noeviction."),
    /** The keyspace is empty although it should not be. */
    Emptied("Redis has lost the keys of this keyspace."),
    /** The keyspace is older than the operator last saw it. */
    Rewound("Redis came back with an older state of this keyspace."),
    /** The server, or its data, is of a version or a kind that the operator cannot work with. */
    Unsupported("Redis lacks a feature that Quiver needs.");

    private final String sentence;

    StoreReason(String sentence) {
        this.sentence = sentence;
    }

    @Override
    public String sentence() {
        return sentence;
    }
}
