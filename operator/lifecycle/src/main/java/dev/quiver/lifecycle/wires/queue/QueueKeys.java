package dev.quiver.lifecycle.wires.queue;

import dev.quiver.lifecycle.worker.SessionKeys;

/**
 * The keys of the scripts about jobs under a prefix, by the names that the scripts give them.
 *
 * @param worker keyspace, pool and session
 */
record QueueKeys(SessionKeys worker) {

    static final String SOURCE = "queue:";

    /** Hash: the jobs that a pool may run as a source, with the prefix and the types. */
    String source() {
        return worker.keyspace().pool(SessionKeys.given(worker.pool(), "source")) + ":queue";
    }

    /** Hash: what a session holds, and its last call. */
    String held(String session) {
        return source() + ":held:" + SessionKeys.given(session, "held");
    }

    String key(String name) {
        return switch (name) {
            case "source" -> source();
            case "source_sessions" -> source() + ":sessions";
            case "aside" -> source() + ":aside";
            case "ends" -> source() + ":ends";
            case "held" -> held(worker.session());
            case "earlier_held" -> held(worker.earlier());
            default -> worker.key(name);
        };
    }
}
