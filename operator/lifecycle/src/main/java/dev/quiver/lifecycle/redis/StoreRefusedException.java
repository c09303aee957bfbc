package dev.quiver.lifecycle.redis;

/**
 * Redis answered with an error and did nothing: no right (ACL), out of memory, loading, wrong type. The text is Redis'
 * own and is meant for a condition's message.
 */
public final class StoreRefusedException extends StoreException {

    /** Why Redis refused. */
    public enum Kind {
        /** The cluster slot is moving: the same call soon succeeds. */
        SLOT_MOVES,
        /** It is a replica and takes no writes: another one is the master, or will be. */
        REPLICA,
        /** Loading, failover, disk: expected to pass without anybody's help. */
        PASSING,
        /** Wrong user or password, or a command or key that the user has no right to. */
        NO_RIGHT,
        /** Redis' memory is used up. */
        OUT_OF_MEMORY,
        /** Anything else; it does not pass by itself. */
        OTHER
    }

    private final Kind kind;

    /** With Redis' own words. */
    public StoreRefusedException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** Why Redis refused. */
    public Kind kind() {
        return kind;
    }

    /** Whether the same call can be expected to succeed soon without anybody's help. */
    public boolean passing() {
        return kind == Kind.PASSING || kind == Kind.REPLICA || kind == Kind.SLOT_MOVES;
    }

    boolean slotMoves() {
        return kind == Kind.SLOT_MOVES;
    }
}
