package dev.quiver.controller.store;

import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.SourceLoad;
import dev.quiver.lifecycle.worker.WaitingWork;

/**
 * Reads how many tasks each pool has, for metrics: all pools of a keyspace together, and it wakes none. Thread-safe;
 * {@link #poll} is for one thread at a time and keyspace.
 */
public final class PoolQueues implements Follower {

    /** Sources of a pool that are read at most beside those in its order. */
    static final int MOST_REMEMBERED = 256;

    private final Function<Keyspace, WaitingWork> waiting;
    private final Clock clock;
    private final Followed<PoolQueue> pools = new Followed<>();
    /**
     * The sources of each pool that had tasks at the last look, by uid of the pool. A run whose tasks all run stands in no
     * order, and nothing else names it.
     */
    private final Map<String, Set<String>> remembered = new ConcurrentHashMap<>();

    /**
     * Follows no pool yet.
     *
     * @param waiting reads a keyspace
     */
    public PoolQueues(
            Function<Keyspace, WaitingWork> waiting, StoreWatch watch, KeyspaceStates keyspaces, Clock clock) {
        this.waiting = waiting;
        this.clock = clock;
        watch.onAway(pools::dropNotes);
        keyspaces.onChange(pools::dropNotes);
    }

    /** Follows a pool from now on. Idempotent. */
    public void follow(HasMetadata pool, Keyspace keyspace) {
        pools.follow(pool, keyspace);
    }

    /** Stops following a pool. */
    public void unfollow(String poolUid) {
        pools.unfollow(poolUid);
        remembered.remove(poolUid);
    }

    /** The tasks of a pool; absent until they were read, and while Redis is away. */
    public Optional<PoolQueue> of(String poolUid) {
        return pools.noted(poolUid);
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
        WaitingWork redis = waiting.apply(keyspace);
        Map<String, List<SourceLoad>> ready =
                redis.of(here.stream().map(PoolQueues::name).toList());
        Map<String, Set<String>> out = outOfOrder(here, ready);
        Map<String, List<SourceLoad>> others = out.isEmpty() ? Map.of() : redis.in(out);
        Instant now = clock.instant();
        for (Followed.Resource pool : here) {
            note(keyspace, pool, ready.get(name(pool)), others.getOrDefault(name(pool), List.of()), now);
        }
    }

    /** The remembered sources of each pool that stand in its order no more. */
    private Map<String, Set<String>> outOfOrder(List<Followed.Resource> here, Map<String, List<SourceLoad>> ready) {
        Map<String, Set<String>> out = new HashMap<>();
        for (Followed.Resource pool : here) {
            Set<String> sources = new LinkedHashSet<>(remembered.getOrDefault(pool.uid(), Set.of()));
            ready.get(name(pool)).forEach(load -> sources.remove(load.source()));
            if (!sources.isEmpty()) {
                out.put(name(pool), sources);
            }
        }
        return out;
    }

    private void note(
            Keyspace keyspace, Followed.Resource pool, List<SourceLoad> ready, List<SourceLoad> others, Instant now) {
        PoolQueue before = pools.noted(pool.uid()).orElse(PoolQueue.EMPTY);
        if (pools.note(keyspace, pool.uid(), PoolQueue.of(ready, others, before, now))) {
            remembered.put(
                    pool.uid(),
                    Stream.concat(
                                    others.stream().filter(load -> load.running() > 0 || load.delayed() > 0),
                                    ready.stream())
                            .map(SourceLoad::source)
                            .limit(MOST_REMEMBERED)
                            .collect(Collectors.toCollection(LinkedHashSet::new)));
        }
    }

    private static String name(Followed.Resource pool) {
        return pool.id().getName();
    }
}
