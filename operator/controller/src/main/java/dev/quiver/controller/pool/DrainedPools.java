package dev.quiver.controller.pool;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Pools without workers whose finalizer is about to be released. Pools that are deleted together would each find the
 * other still in the cache, and none would be its namespace's last. A deleted pool that still has workers is not among
 * them: they need the namespace's Redis user until they end. Thread-safe.
 */
final class DrainedPools {

    private final Map<String, Set<String>> drained = new HashMap<>();

    /** Adds a pool; call it before {@link #isLast}. */
    synchronized void add(String namespace, String uid) {
        drained.computeIfAbsent(namespace, _ -> new HashSet<>()).add(uid);
    }

    /**
     * Whether all known pools of a namespace are drained. If several pools drain at once, at least one of them gets
     * true, provided that each was added before the question.
     *
     * @param known uids of the namespace's pools, as the cache has them
     */
    synchronized boolean isLast(String namespace, Collection<String> known) {
        Set<String> here = drained.getOrDefault(namespace, new HashSet<>());
        if (here.containsAll(known)) {
            drained.remove(namespace);
            return true;
        }
        here.retainAll(known);
        return false;
    }
}
