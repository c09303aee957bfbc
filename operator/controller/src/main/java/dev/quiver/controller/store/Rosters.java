package dev.quiver.controller.store;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.javaoperatorsdk.operator.processing.event.ResourceID;

import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.WorkerRecord;

/**
 * Reads who works in which pool, one question for all pools of a keyspace, and tells whose roster changed. Also makes
 * each pool the owner of its name in Redis, again whenever Redis came back. Thread-safe; {@link #poll} is for one
 * thread at a time and keyspace.
 */
public final class Rosters {

    /** What of a roster is worth a look at the pool. */
    private record Gist(
            Collection<String> pods, int slots, int busy, Map<String, String> troubles, List<String> handlers) {
        static Gist of(Roster roster) {
            List<String> heard = roster.workers().keySet().stream()
                    .filter(uid -> roster.heard(uid).isPresent())
                    .sorted()
                    .toList();
            return new Gist(heard, roster.slots(), roster.busySlots(), roster.troubles(), roster.handlers());
        }
    }

    private final Store store;
    private final Clock clock;
    private final ByKeyspace pools = new ByKeyspace();
    private final RegistryBudget budget = new RegistryBudget();
    private final Map<String, Roster> rosters = new ConcurrentHashMap<>();
    private final Map<String, Boolean> announced = new ConcurrentHashMap<>();
    private final List<Consumer<Collection<ResourceID>>> listeners = new CopyOnWriteArrayList<>();

    /** Reads through that store; nothing is followed yet. */
    public Rosters(Store store, Clock clock) {
        this.store = store;
        this.clock = clock;
        store.onUp(announced::clear);
        store.onAway(rosters::clear);
        store.onAway(budget::dropped);
        store.onJudged(this::judged);
    }

    /** Follows a pool from now on. Idempotent. */
    public void follow(WorkerPool pool, Keyspace keyspace) {
        pools.follow(pool, keyspace);
    }

    /** No longer follows it. */
    public void unfollow(WorkerPool pool) {
        String uid = pool.getMetadata().getUid();
        pools.unfollow(uid);
        rosters.remove(uid);
        announced.remove(uid);
    }

    /** The roster of a pool, at most a few seconds old; absent until it was read. */
    public Optional<Roster> of(String poolUid) {
        return Optional.ofNullable(rosters.get(poolUid));
    }

    /** Told of pools whose workers changed. */
    public void onChange(Consumer<Collection<ResourceID>> listener) {
        listeners.add(listener);
    }

    /** Makes the pools of a keyspace owners of their names again: it has lost who was. */
    public void announceAgain(Keyspace keyspace) {
        pools.in(keyspace).forEach(p -> announced.remove(p.uid()));
    }

    /** What was read before says nothing now, and what was announced may be lost; the pools say it in their status. */
    private void judged(Keyspace keyspace) {
        announceAgain(keyspace);
        List<ByKeyspace.Followed> here = pools.in(keyspace);
        here.forEach(p -> rosters.remove(p.uid()));
        budget.dropped(keyspace);
        List<ResourceID> ids = here.stream().map(ByKeyspace.Followed::id).toList();
        listeners.forEach(l -> l.accept(ids));
    }

    /** The keyspaces that have pools. */
    public Collection<Keyspace> keyspaces() {
        return pools.keyspaces();
    }

    /** Reads the pools of one keyspace. */
    public void poll(Keyspace keyspace) {
        List<ByKeyspace.Followed> here = pools.in(keyspace);
        PoolControl control = store.pools(keyspace);
        for (ByKeyspace.Followed pool : here) {
            if (!announced.containsKey(pool.uid())) {
                control.announce(pool.id().getName(), pool.uid());
                announced.put(pool.uid(), true);
            }
        }
        PoolControl.Registered read = control.workers(
                here.stream().map(p -> p.id().getName()).toList(), budget.allowed(keyspace, pools.keyspaces()));
        budget.took(keyspace, read.bytes());
        Map<String, List<WorkerRecord>> all = read.workers();
        List<ResourceID> changed = new ArrayList<>();
        for (ByKeyspace.Followed pool : here) {
            List<WorkerRecord> own = all.getOrDefault(pool.id().getName(), List.of()).stream()
                    .filter(w -> w.worker().poolUid().equals(pool.uid()))
                    .toList();
            Roster fresh = Roster.of(own, clock.instant());
            Roster before = rosters.put(pool.uid(), fresh);
            if (before == null || !Gist.of(before).equals(Gist.of(fresh))) {
                changed.add(pool.id());
            }
        }
        if (!changed.isEmpty()) {
            listeners.forEach(l -> l.accept(changed));
        }
    }

    /** Names of the function libraries that workers call, over all pools. */
    public Set<String> libraries() {
        return rosters.values().stream()
                .flatMap(r -> r.workers().values().stream())
                .flatMap(w -> w.library().stream())
                .collect(Collectors.toSet());
    }

    /** How many workers are heard, over all pools. */
    public int heard() {
        return rosters.values().stream()
                .collect(Collectors.summingInt(r -> Gist.of(r).pods().size()));
    }
}
