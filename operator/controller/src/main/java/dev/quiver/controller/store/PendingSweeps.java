package dev.quiver.controller.store;

import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.quiver.lifecycle.keyspace.Keyspace;

/** The keyspaces that are still to be swept of keys without an owner, and the sweep of one. Thread-safe. */
final class PendingSweeps {

    private final StoreLoop.Parts parts;
    private final KeyspaceUse use;
    /** Every keyspace that this process has served: the records have one only after a look. */
    private final Set<Keyspace> seen = ConcurrentHashMap.newKeySet();
    /** One that did not answer, or has orphans left, stays. */
    private final Set<Keyspace> pending = ConcurrentHashMap.newKeySet();

    PendingSweeps(StoreLoop.Parts parts, KeyspaceUse use) {
        this.parts = parts;
        this.use = use;
    }

    /** Remembers keyspaces that are served, for the sweeps to come. */
    void seen(Set<Keyspace> served) {
        seen.addAll(served);
    }

    /** All keyspaces on record, those where pools left keys, and those that were served are to be swept. */
    void begin() {
        pending.addAll(parts.records().keyspaces());
        parts.records().orphans().forEach(pool -> pending.add(pool.keyspace()));
        pending.addAll(seen);
    }

    /** Those that are still to be swept; a view. */
    Set<Keyspace> keyspaces() {
        return Collections.unmodifiableSet(pending);
    }

    /** Sweeps a keyspace, and retires it where nothing is left of it and nobody uses it. */
    void sweep(Keyspace keyspace) {
        dropPools(keyspace);
        if (!use.hasPools(keyspace)) {
            parts.users().accept(keyspace.namespace());
        }
        Sweep.Remaining remaining = parts.sweep().of(keyspace);
        if (remaining == Sweep.Remaining.ORPHANS) {
            return;
        }
        if (remaining == Sweep.Remaining.NOTHING && !use.isUsed(keyspace)) {
            // Commands of an hour's record are left when the last pool has gone.
            parts.store().controls().reaper(keyspace).tick();
        }
        if (remaining == Sweep.Remaining.NOTHING
                && !use.isUsed(keyspace)
                && parts.store().controls().health(keyspace).retire()) {
            parts.records().forget(keyspace);
            seen.remove(keyspace);
        }
        pending.remove(keyspace);
    }

    private void dropPools(Keyspace keyspace) {
        for (KeyspaceRecords.OrphanedPool pool : parts.records().orphans()) {
            if (pool.keyspace().equals(keyspace)) {
                parts.store().controls().pools(keyspace).drop(pool.name(), pool.uid());
                parts.records().removeOrphan(pool);
            }
        }
    }
}
