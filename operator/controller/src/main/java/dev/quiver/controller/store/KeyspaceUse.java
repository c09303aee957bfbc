package dev.quiver.controller.store;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * The keyspaces that pools and runs use, and those that they used until a while ago. One thread changes them and asks for
 * {@link #lingering()}; the other questions are for all threads.
 */
final class KeyspaceUse {

    /**
     * Ticks for which a keyspace is still reaped after its last pool and run are gone: workers may end without a call.
     */
    static final int LINGER_TICKS = 240;

    private final Map<Keyspace, Long> lastUse = new HashMap<>();
    private volatile Set<Keyspace> withPools = Set.of();
    private volatile Set<Keyspace> withRuns = Set.of();
    private volatile Set<Keyspace> used = Set.of();

    /** Replaces what was known of the keyspaces in use. The caller changes neither set any more. */
    void set(Set<Keyspace> pools, Set<Keyspace> runs) {
        Set<Keyspace> both = new HashSet<>(runs);
        both.addAll(pools);
        withPools = pools;
        withRuns = runs;
        used = Collections.unmodifiableSet(both);
    }

    boolean hasPools(Keyspace keyspace) {
        return withPools.contains(keyspace);
    }

    boolean hasRuns(Keyspace keyspace) {
        return withRuns.contains(keyspace);
    }

    /** Whether a pool or a run is in the keyspace. */
    boolean isUsed(Keyspace keyspace) {
        return used.contains(keyspace);
    }

    /** Those with a pool or a run. */
    Set<Keyspace> used() {
        return used;
    }

    /** Notes at which tick the keyspaces were in use, and forgets those whose last use is too long ago. */
    void note(long tick) {
        used.forEach(keyspace -> lastUse.put(keyspace, tick));
        lastUse.values().removeIf(last -> tick - last > LINGER_TICKS);
    }

    /** Those that were in use at one of the last {@value #LINGER_TICKS} ticks, as far as that was noted; a view. */
    Set<Keyspace> lingering() {
        return Collections.unmodifiableSet(lastUse.keySet());
    }
}
