package dev.quiver.lifecycle.taskset;

import dev.quiver.lifecycle.Keyspace;

/**
 * Gives a script's declared keys their names for one pool, session, TaskSet and earlier session. Unused ones may be empty;
 * asking for a key of an empty one is a bug.
 */
record ScriptKeys(Keyspace keyspace, String pool, String session, String uid, String earlier) {

    /** Stands for the pool of a set or session that is not there; nothing is kept under it. */
    static final String NO_POOL = "-";

    ScriptKeys(Keyspace keyspace, String pool, String session, String uid) {
        this(keyspace, pool, session, uid, "");
    }

    static ScriptKeys ofKeyspace(Keyspace keyspace) {
        return new ScriptKeys(keyspace, "", "", "");
    }

    static ScriptKeys ofPool(Keyspace keyspace, String pool) {
        return new ScriptKeys(keyspace, pool, "", "");
    }

    static ScriptKeys ofSet(Keyspace keyspace, String pool, String uid) {
        return new ScriptKeys(keyspace, pool, "", uid);
    }

    ScriptKeys withUid(String other) {
        return new ScriptKeys(keyspace, pool, session, other, earlier);
    }

    /** With the session that the same pod had before. */
    ScriptKeys withEarlier(String session) {
        return new ScriptKeys(keyspace, pool, this.session, uid, session);
    }

    String key(String name) {
        return switch (name) {
            case "meta" -> keyspace.meta();
            case "sets" -> keyspace.sets();
            case "dirty" -> keyspace.dirty();
            case "sessions" -> keyspace.sessions();
            case "condemned" -> keyspace.condemned();
            case "delayed" -> keyspace.delayed();
            case "history" -> keyspace.history();
            case "session" -> keyspace.session(given(session, name));
            case "pool" -> keyspace.pool(given(pool, name));
            case "ready" -> keyspace.poolReady(given(pool, name));
            case "wake" -> keyspace.poolWake(given(pool, name));
            case "workers" -> keyspace.poolWorkers(given(pool, name));
            case "pods" -> keyspace.poolPods(given(pool, name));
            case "draining" -> keyspace.poolDraining(given(pool, name));
            case "set" -> set().set();
            case "task_queue" -> set().taskQueue();
            case "payload" -> set().payload();
            case "trouble" -> set().trouble();
            case "set_delayed" -> set().delayed();
            case "failures" -> set().failures();
            case "set_sessions" -> set().sessions();
            case "held" -> set().held(given(session, name));
            case "earlier_held" -> set().held(given(earlier, name));
            case "tombstone" -> set().tombstone();
            default -> throw new IllegalStateException("no key is called " + name);
        };
    }

    private TaskSetKeys set() {
        return new TaskSetKeys(keyspace, uid);
    }

    private static String given(String value, String name) {
        if (value.isEmpty()) {
            throw new IllegalStateException("nothing given for key " + name);
        }
        return value;
    }
}
