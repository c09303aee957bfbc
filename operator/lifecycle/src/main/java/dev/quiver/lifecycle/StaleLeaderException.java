package dev.quiver.lifecycle;

/** The keyspace has seen a later leader: nothing was written; this process must stop leading. */
public final class StaleLeaderException extends StoreException {

    private static final long serialVersionUID = 1L;

    private final long own;
    private final long seen;

    /**
     * Names both terms.
     *
     * @param own the term that was refused
     * @param seen the highest that the keyspace knows
     */
    public StaleLeaderException(long own, long seen) {
        super("leader's term " + own + " is behind term " + seen + " in the keyspace", null);
        this.own = own;
        this.seen = seen;
    }

    /** The term that was refused. */
    public long own() {
        return own;
    }

    /** The highest that the keyspace knows. */
    public long seen() {
        return seen;
    }
}
