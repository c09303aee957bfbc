package dev.quiver.controller.store;

import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.ResourceID;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.SourceLoad;
import dev.quiver.lifecycle.worker.WaitingWork;

/**
 * Reads what waits for the pools that follow their work, all pools of a keyspace together. It wakes each pool that has
 * work, and one that had some before. Thread-safe; {@link #poll} is for one thread at a time and keyspace.
 */
public final class PoolLoads implements Follower {

    private final Function<Keyspace, WaitingWork> waiting;
    private final Clock clock;
    private final Followed<List<SourceLoad>> pools = new Followed<>();
    /** When each pool was last asked about, or first followed, by uid. */
    private final Map<String, Instant> asked = new ConcurrentHashMap<>();

    /**
     * Follows no pool yet.
     *
     * @param waiting reads a keyspace
     */
    public PoolLoads(Function<Keyspace, WaitingWork> waiting, StoreWatch watch, KeyspaceStates keyspaces, Clock clock) {
        this.waiting = waiting;
        this.clock = clock;
        watch.onAway(pools::dropNotes);
        keyspaces.onChange(pools::dropNotes);
    }

    /** Follows a pool from now on. Idempotent. */
    public void follow(HasMetadata pool, Keyspace keyspace) {
        pools.follow(pool, keyspace);
        asked.putIfAbsent(pool.getMetadata().getUid(), clock.instant());
    }

    /** Stops following a pool. */
    public void unfollow(String poolUid) {
        pools.unfollow(poolUid);
        asked.remove(poolUid);
    }

    /** The work that waits for a pool; absent until it was read. */
    public Optional<List<SourceLoad>> of(String poolUid) {
        return pools.noted(poolUid);
    }

    /** When a pool was last asked about, or else first followed; absent where it is not followed. */
    public Optional<Instant> asked(String poolUid) {
        return Optional.ofNullable(asked.get(poolUid));
    }

    /** Called with pools that have work, or have none any more. */
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
        Map<String, List<SourceLoad>> read = waiting.apply(keyspace)
                .of(here.stream().map(pool -> pool.id().getName()).toList());
        Instant now = clock.instant();
        pools.wake(here.stream()
                .filter(pool -> note(keyspace, pool, read.get(pool.id().getName()), now))
                .map(Followed.Resource::id)
                .toList());
    }

    /** Notes what waits; whether its pool has to look at it. */
    private boolean note(Keyspace keyspace, Followed.Resource pool, List<SourceLoad> loads, Instant now) {
        Optional<List<SourceLoad>> before = pools.noted(pool.uid());
        if (pools.note(keyspace, pool.uid(), List.copyOf(loads))) {
            asked.put(pool.uid(), now);
        }
        return before.isEmpty() || !before.get().isEmpty() || !loads.isEmpty();
    }
}
