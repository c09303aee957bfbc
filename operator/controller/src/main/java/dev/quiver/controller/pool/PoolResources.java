package dev.quiver.controller.pool;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.store.Followed;
import dev.quiver.controller.store.Follower;
import dev.quiver.controller.store.KeyspaceStates;
import dev.quiver.controller.store.StoreWatch;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.scheduling.Resources;
import dev.quiver.lifecycle.worker.WaitingWork;

/**
 * Reads the resources of each pool that declares any or whose Tasks wait for one, and wakes pools where they changed. Which
 * Tasks wait is one call for all other pools. Thread-safe; {@link #poll} is for one thread at a time and keyspace.
 */
public final class PoolResources implements Follower {

    private static final Logger log = LoggerFactory.getLogger(PoolResources.class);

    private static final Resources.Known NONE = new Resources.Known(0, 0, List.of());

    private final Function<Keyspace, Resources> resources;
    private final Function<Keyspace, WaitingWork> waiting;
    private final int most;
    private final Followed<Resources.Known> pools = new Followed<>();
    /** Uids of pools that declare resources. */
    private final Set<String> declaring = ConcurrentHashMap.newKeySet();
    /** Uids of pools whose resources Redis refused to tell at the last look. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    /**
     * Follows no pool yet.
     *
     * @param resources reads those of a keyspace's pools
     * @param waiting reads how many Tasks of a keyspace's pools wait
     * @param most resources of a pool
     */
    public PoolResources(
            Function<Keyspace, Resources> resources,
            Function<Keyspace, WaitingWork> waiting,
            int most,
            StoreWatch watch,
            KeyspaceStates keyspaces) {
        this.resources = resources;
        this.waiting = waiting;
        this.most = most;
        watch.onAway(pools::dropNotes);
        keyspaces.onChange(pools::dropNotes);
    }

    /**
     * Follows a pool from now on. Idempotent.
     *
     * @param declares whether it declares any resource
     */
    public void follow(HasMetadata pool, Keyspace keyspace, boolean declares) {
        if (declares) {
            declaring.add(pool.getMetadata().getUid());
        } else {
            declaring.remove(pool.getMetadata().getUid());
        }
        pools.follow(pool, keyspace);
    }

    /** Stops following a pool. */
    public void unfollow(String poolUid) {
        pools.unfollow(poolUid);
        declaring.remove(poolUid);
        refused.remove(poolUid);
    }

    /** The resources of a pool; absent until they were read, while Redis is away, and where it refuses to tell them. */
    public Optional<Resources.Known> of(String poolUid) {
        return pools.noted(poolUid);
    }

    /** Called with pools whose resources changed, or for which more or fewer Tasks wait. */
    public void onChange(Consumer<Collection<ResourceID>> listener) {
        pools.onChange(listener);
    }

    @Override
    public Collection<Keyspace> keyspaces() {
        return pools.keyspaces();
    }

    @Override
    public void poll(Keyspace keyspace) {
        List<Followed.Resource> here = pools.in(keyspace);
        if (here.isEmpty()) {
            return;
        }
        Resources redis = resources.apply(keyspace);
        Set<String> blocked = blocked(keyspace, here);
        List<ResourceID> changed = new ArrayList<>();
        try {
            for (Followed.Resource pool : here) {
                String name = pool.id().getName();
                boolean reads = declaring.contains(pool.uid()) || blocked.contains(name);
                if (note(keyspace, pool, () -> reads ? redis.read(name, most) : NONE)) {
                    changed.add(pool.id());
                }
            }
        } finally {
            pools.wake(changed); // also where Redis goes away amid them: what was noted is no change at the next look
        }
    }

    /** The pools among those that declare nothing whose Tasks wait for resources. */
    private Set<String> blocked(Keyspace keyspace, List<Followed.Resource> here) {
        Set<String> others = here.stream()
                .filter(pool -> !declaring.contains(pool.uid()))
                .map(pool -> pool.id().getName())
                .collect(Collectors.toSet());
        return others.isEmpty() ? Set.of() : Resources.blocked(waiting.apply(keyspace), others);
    }

    /** One that Redis refuses, for its keys are a tenant's to write, hinders no other pool. */
    private boolean note(Keyspace keyspace, Followed.Resource pool, Supplier<Resources.Known> read) {
        try {
            Resources.Known fresh = read.get();
            refused.remove(pool.uid());
            boolean changed = pools.noted(pool.uid()).filter(fresh::equals).isEmpty();
            pools.note(keyspace, pool.uid(), fresh);
            return changed;
        } catch (StoreRefusedException refusal) {
            if (refused.add(pool.uid())) {
                log.warn("the resources of WorkerPool {} cannot be read: {}", pool.id(), refusal.getMessage());
            }
            pools.takeNote(pool.uid());
            return false;
        }
    }
}
