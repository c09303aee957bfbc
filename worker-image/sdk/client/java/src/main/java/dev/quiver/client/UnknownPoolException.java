package dev.quiver.client;

/** No WorkerPool of the keyspace has that name; nothing was created. */
public final class UnknownPoolException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String pool;

    UnknownPoolException(String pool, String keyspace) {
        super("keyspace " + keyspace + " has no WorkerPool called " + pool);
        this.pool = pool;
    }

    /** The name. */
    public String pool() {
        return pool;
    }
}
