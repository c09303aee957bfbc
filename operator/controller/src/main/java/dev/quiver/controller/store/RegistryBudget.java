package dev.quiver.controller.store;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.PoolControl;

/**
 * The bound of each keyspace's registries in this process' memory. A namespace may have {@link PoolControl#MOST_BYTES},
 * with any number of keyspaces, and all together {@link #ALL_BYTES}. A namespace keeps its least share when the others
 * use more, so a full registry takes nothing from the rest. Thread-safe.
 */
final class RegistryBudget {

    /** Bytes of all registries as Redis takes them; as objects they are several times as large. */
    static final long ALL_BYTES = 32L << 20;

    /** The least share, enough for about a thousand workers. */
    static final long LEAST_SHARE = 512L << 10;

    private final Map<Keyspace, Long> taken = new ConcurrentHashMap<>();

    /**
     * Bytes that the keyspace's registries may take now.
     *
     * @param followed every keyspace with pools; the bytes of others are forgotten
     */
    long allowed(Keyspace keyspace, Collection<Keyspace> followed) {
        taken.keySet().retainAll(followed);
        long siblings = 0;
        long others = 0;
        for (Map.Entry<Keyspace, Long> one : taken.entrySet()) {
            if (!one.getKey().namespace().equals(keyspace.namespace())) {
                others += one.getValue();
            } else if (!one.getKey().equals(keyspace)) {
                siblings += one.getValue();
            }
        }
        long namespaces = followed.stream().map(Keyspace::namespace).distinct().count();
        long share = Math.max(LEAST_SHARE, ALL_BYTES / (2 * Math.max(1, namespaces)));
        long ofNamespace = Math.min(PoolControl.MOST_BYTES, Math.max(share, ALL_BYTES - others));
        return Math.max(0, ofNamespace - siblings);
    }

    /** Notes the bytes of registries that were read. */
    void used(Keyspace keyspace, long bytes) {
        taken.put(keyspace, bytes);
    }

    /** Forgets a keyspace's bytes: nothing of it is in memory. */
    void dropped(Keyspace keyspace) {
        taken.remove(keyspace);
    }

    /** Forgets all bytes: nothing is in memory. */
    void dropped() {
        taken.clear();
    }
}
