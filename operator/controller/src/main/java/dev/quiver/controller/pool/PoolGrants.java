package dev.quiver.controller.pool;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.WorkerRegistries;
import dev.quiver.crds.v1alpha1.GrantedPrefix;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Gives pools their granted prefixes in Redis, and takes them back. Each pool is dealt with once after it was announced
 * there, with or without a prefix: nobody remembers what an earlier leader granted. Its memory may be lost. Thread-safe.
 */
final class PoolGrants {

    /** The grants in Redis since an announcement. */
    private record Present(long announcement, Optional<GrantedPrefix> keys) {}

    private final StoreCalls calls;
    private final GrantedPrefixes prefixes;
    private final WorkerRegistries registries;
    private final Function<Keyspace, PrefixGrants> grants;
    private final Map<String, Present> present = new ConcurrentHashMap<>();

    PoolGrants(
            StoreCalls calls,
            GrantedPrefixes prefixes,
            WorkerRegistries registries,
            Function<Keyspace, PrefixGrants> grants) {
        this.calls = calls;
        this.prefixes = prefixes;
        this.registries = registries;
        this.grants = grants;
    }

    /**
     * Brings Redis to what a pool may use.
     *
     * @return false when Redis did not take it: call again. A pool that is not announced yet is woken when it is
     */
    boolean sync(WorkerPool pool, Keyspace keyspace) {
        String uid = pool.getMetadata().getUid();
        Optional<Long> announcement = registries.announcement(uid);
        if (prefixes.cluster() || announcement.isEmpty()) {
            return true;
        }
        Optional<GrantedPrefix> keys = pool.getSpec()
                .foreignKeys()
                .filter(_ -> prefixes.of(pool).usable().isPresent());
        Present wanted = new Present(announcement.get(), keys);
        if (wanted.equals(present.get(uid))) {
            return true;
        }
        boolean done = calls.tryRun(() -> put(pool.getMetadata().getName(), keyspace, keys));
        if (done) {
            present.put(uid, wanted);
        }
        return done;
    }

    /** Takes the prefix of a pool back that is being deleted; throws what the call throws. */
    void revoke(String pool, Keyspace keyspace) {
        if (!prefixes.cluster()) {
            grants.apply(keyspace).revoke(pool);
        }
    }

    void forget(String uid) {
        present.remove(uid);
    }

    private void put(String pool, Keyspace keyspace, Optional<GrantedPrefix> keys) {
        PrefixGrants of = grants.apply(keyspace);
        keys.ifPresentOrElse(granted -> of.grant(pool, granted), () -> of.revoke(pool));
    }
}
