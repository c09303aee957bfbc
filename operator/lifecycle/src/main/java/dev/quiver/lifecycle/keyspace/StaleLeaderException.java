package dev.quiver.lifecycle.keyspace;

import dev.quiver.lifecycle.redis.StoreException;

/** The keyspace has seen a later term, of a leader or of another writer. The call did nothing. */
public final class StaleLeaderException extends StoreException {

    private static final long serialVersionUID = 1L;

    private final transient Keyspace keyspace;
    private final long own;
    private final long seen;

    /**
     * Names both terms.
     *
     * @param keyspace where the term was refused
     * @param own the term that was refused
     * @param seen the highest term that the keyspace knows; 2^53 for any beyond
     */
    public StaleLeaderException(Keyspace keyspace, long own, long seen) {
        super("leader's term " + own + " is behind term " + seen + " in keyspace " + keyspace.prefix(), null);
        this.keyspace = keyspace;
        this.own = own;
        this.seen = seen;
    }

    /** Where the term was refused. */
    public Keyspace keyspace() {
        return keyspace;
    }

    /** The term that was refused. */
    public long own() {
        return own;
    }

    /** The highest term that the keyspace knows. */
    public long seen() {
        return seen;
    }
}
