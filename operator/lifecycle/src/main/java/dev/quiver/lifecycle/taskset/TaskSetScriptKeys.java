package dev.quiver.lifecycle.taskset;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.OrdinalScriptKeys;
import dev.quiver.lifecycle.worker.SessionKeys;

/** The keys of a TaskSet's scripts by the names that the scripts give them. */
record TaskSetScriptKeys(SessionKeys worker, TaskSetKeys set) {

    static TaskSetScriptKeys of(SessionKeys worker, String uid) {
        return new TaskSetScriptKeys(worker, new TaskSetKeys(worker.keyspace(), uid));
    }

    static TaskSetScriptKeys ofPool(Keyspace keyspace, String pool, String uid) {
        return of(SessionKeys.ofPool(keyspace, pool), uid);
    }

    String uid() {
        return set.uid();
    }

    OrdinalScriptKeys source() {
        return new OrdinalScriptKeys(worker, set.source());
    }

    String key(String name) {
        return switch (name) {
            case "tombstone" -> set.tombstone();
            case "pages" -> set.pages();
            default -> source().key(name);
        };
    }
}
