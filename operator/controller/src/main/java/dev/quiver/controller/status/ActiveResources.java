package dev.quiver.controller.status;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The resources whose status changes with the progress of work: they share the budget of status writes. Thread-safe.
 */
public final class ActiveResources {

    private final Set<String> active = ConcurrentHashMap.newKeySet();

    /** Notes whether work goes on for a resource. Idempotent. */
    public void note(String uid, boolean isActive) {
        if (isActive) {
            active.add(uid);
        } else {
            active.remove(uid);
        }
    }

    /** How many there are. */
    public int count() {
        return active.size();
    }
}
