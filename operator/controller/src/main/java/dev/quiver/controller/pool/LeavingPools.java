package dev.quiver.controller.pool;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Pools that have done all they do before they go: workers gone, finalizer about to be released. Pools that are deleted
 * together would each find the other still in the cache, and none of them would be its namespace's last. One that is
 * being deleted but still has workers counts as one that stays, for they need the namespace's Redis user until they end.
 * Thread-safe.
 */
final class LeavingPools {

    private final Map<String, Set<String>> leaving = new HashMap<>();

    /** This one is about to go. To be said before {@link #isLast} is asked. */
    synchronized void leaves(String namespace, String uid) {
        leaving.computeIfAbsent(namespace, _ -> new HashSet<>()).add(uid);
    }

    /**
     * Whether nothing but pools that leave is in a namespace. Of several that leave at once at least one is told yes, if
     * each asks after it has said that it leaves.
     *
     * @param known uids of the namespace's pools, as the cache has them
     */
    synchronized boolean isLast(String namespace, Collection<String> known) {
        Set<String> here = leaving.getOrDefault(namespace, new HashSet<>());
        if (here.containsAll(known)) {
            leaving.remove(namespace);
            return true;
        }
        here.retainAll(known);
        return false;
    }
}
