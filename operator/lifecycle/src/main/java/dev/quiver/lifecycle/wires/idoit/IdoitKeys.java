package dev.quiver.lifecycle.wires.idoit;

import dev.quiver.lifecycle.worker.SessionKeys;

/**
 * The keys of the scripts about the wire by the names that the scripts give them.
 *
 * @param worker keyspace, pool and session
 * @param root of a tree; empty where no script of the caller names one
 */
record IdoitKeys(SessionKeys worker, String root) {

    static final String SOURCE = "idoit:";

    /** Without a tree. */
    IdoitKeys(SessionKeys worker) {
        this(worker, "");
    }

    /** Hash: a pool's tasks of the wire as a source, with the prefix and the types. */
    String source() {
        return worker.keyspace().pool(SessionKeys.given(worker.pool(), "source")) + ":idoit";
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
            case "iterations" -> source() + ":iterations";
            case "iterating" -> source() + ":iterating";
            case "commands" -> worker.keyspace().prefix() + "task:commands";
            case "deadlines" -> worker.keyspace().prefix() + "idoit:deadlines";
            case "held" -> held(worker.session());
            case "earlier_held" -> held(worker.earlier());
            case "tombstone" -> worker.keyspace().prefix() + "task:tombstone:" + SessionKeys.given(root, name);
            default -> worker.key(name);
        };
    }
}
