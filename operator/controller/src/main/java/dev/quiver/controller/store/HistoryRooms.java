package dev.quiver.controller.store;

/**
 * The room in Redis for records that history has not read yet. It is two fifths of the memory of Redis, shared evenly
 * by all keyspaces, so that no tenant takes another one's. Thread-safe.
 */
public final class HistoryRooms {

    /** Where Redis has no bound of its own. */
    private static final long UNBOUNDED = 512L << 20;

    private static final long LEAST = 1 << 20;

    private final boolean recorded;
    private volatile long memory = UNBOUNDED;
    private volatile int keyspaces = 1;

    /** Creates the rooms of an installation with or without history. */
    public HistoryRooms(boolean recorded) {
        this.recorded = recorded;
    }

    /** Whether runs are recorded. */
    public boolean recorded() {
        return recorded;
    }

    /** Takes the maxmemory of Redis, bytes; 0: it has none. */
    void memory(long bytes) {
        memory = bytes > 0 ? bytes : UNBOUNDED;
    }

    /** Takes the number of keyspaces that are served. */
    void keyspaces(int served) {
        keyspaces = Math.max(1, served);
    }

    /** The room of each keyspace in bytes; 0 where nobody reads records. */
    long each() {
        return recorded ? Math.max(LEAST, memory / 5 * 2 / keyspaces) : 0;
    }
}
