package dev.quiver.lifecycle;

/** The keyspace has seen a later leader: nothing was written; this process must stop leading. */
public final class StaleLeaderException extends StoreException {

    /** Names both terms. */
    public StaleLeaderException(long own, long seen) {
        super("leader's term " + own + " is behind term " + seen + " in the keyspace", null);
    }
}
