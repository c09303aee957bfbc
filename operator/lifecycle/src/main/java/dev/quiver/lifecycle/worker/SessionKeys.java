package dev.quiver.lifecycle.worker;

import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * The keys of a keyspace, a pool and a session by the names that scripts give them. Each kind of work adds its own names
 * and asks here for the rest.
 *
 * @param pool empty where no script of the caller names one
 * @param session empty where no script of the caller names one
 * @param earlier the session that the same pod had before; empty for none
 */
public record SessionKeys(Keyspace keyspace, String pool, String session, String earlier) {

    /** Stands for the pool of a source or session that is not there; nothing is kept under it. */
    public static final String NO_POOL = "-";

    /** Without an earlier session. */
    public SessionKeys(Keyspace keyspace, String pool, String session) {
        this(keyspace, pool, session, "");
    }

    /** The keys of a pool, whichever the session. */
    public static SessionKeys ofPool(Keyspace keyspace, String pool) {
        return new SessionKeys(keyspace, pool, "");
    }

    /** With the session that the same pod had before. */
    SessionKeys withEarlier(String before) {
        return new SessionKeys(keyspace, pool, session, before);
    }

    /** The key of this name. */
    public String key(String name) {
        return switch (name) {
            case "session" -> keyspace.session(given(session, name));
            case "pool" -> keyspace.pool(given(pool, name));
            case "ready" -> keyspace.poolReady(given(pool, name));
            case "wake" -> keyspace.poolWake(given(pool, name));
            case "ranks" -> keyspace.poolRanks(given(pool, name));
            case "workers" -> keyspace.poolWorkers(given(pool, name));
            case "pods" -> keyspace.poolPods(given(pool, name));
            case "draining" -> keyspace.poolDraining(given(pool, name));
            default -> keyspace.key(name);
        };
    }

    /** A part of a key that a script needs; absent is an error of the program. */
    public static String given(String value, String name) {
        if (value.isEmpty()) {
            throw new IllegalStateException("nothing given for key " + name);
        }
        return value;
    }
}
