package dev.quiver.controller.status;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Knows how many resources have something going on: they share the budget of status writes. Thread-safe. */
public final class Busyness {

    private final Set<String> running = ConcurrentHashMap.newKeySet();

    /** Notes whether a resource has something going on. Idempotent. */
    public void note(String uid, boolean busy) {
        if (busy) {
            running.add(uid);
        } else {
            running.remove(uid);
        }
    }

    /** How many have. */
    public int running() {
        return running.size();
    }
}
