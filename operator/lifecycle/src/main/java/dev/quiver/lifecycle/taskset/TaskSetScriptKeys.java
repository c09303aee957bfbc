package dev.quiver.lifecycle.taskset;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.SessionKeys;

/** The keys of a TaskSet's scripts by the names that they give them. */
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

    String key(String name) {
        return switch (name) {
            case "set" -> set.set();
            case "task_queue" -> set.taskQueue();
            case "payload" -> set.payload();
            case "trouble" -> set.trouble();
            case "set_delayed" -> set.delayed();
            case "failures" -> set.failures();
            case "set_sessions" -> set.sessions();
            case "held" -> set.held(SessionKeys.given(worker.session(), name));
            case "earlier_held" -> set.held(SessionKeys.given(worker.earlier(), name));
            case "tombstone" -> set.tombstone();
            default -> worker.key(name);
        };
    }
}
