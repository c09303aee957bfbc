package dev.quiver.controller.store;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.ResourceID;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.WorkerRecord;

/**
 * Reads who works in which pool, one question for all pools of a keyspace, and tells whose registry changed. Also makes
 * each pool the owner of its name in Redis, again whenever Redis came back. Thread-safe; {@link #poll} is for one
 * thread at a time and keyspace.
 */
public final class WorkerRegistries implements Follower {

    /** What of a registry is worth a look at the pool. */
    private record Gist(
            Collection<String> pods, int slots, int busy, Map<String, String> violations, List<String> handlers) {
        static Gist of(WorkerRegistry registry) {
            List<String> heard = registry.workers().keySet().stream()
                    .filter(uid -> registry.heard(uid).isPresent())
                    .sorted()
                    .toList();
            return new Gist(heard, registry.slots(), registry.busySlots(), registry.violations(), registry.handlers());
        }
    }

    private final Store store;
    private final Clock clock;
    private final Followed<WorkerRegistry> pools = new Followed<>();
    private final RegistryBudget budget = new RegistryBudget();
    private final Set<String> announced = ConcurrentHashMap.newKeySet();

    /** Reads through that store; nothing is followed yet. */
    public WorkerRegistries(Store store, Clock clock) {
        this.store = store;
        this.clock = clock;
        store.onUp(announced::clear);
        store.onAway(pools::dropNotes);
        store.onAway(budget::dropped);
        store.onJudged(this::judged);
    }

    /** Follows a pool from now on. Idempotent. */
    public void follow(HasMetadata pool, Keyspace keyspace) {
        pools.follow(pool, keyspace);
    }

    /** No longer follows it. */
    public void unfollow(String poolUid) {
        pools.unfollow(poolUid);
        announced.remove(poolUid);
    }

    /** The registry of a pool, at most a few seconds old; absent until it was read. */
    public Optional<WorkerRegistry> of(String poolUid) {
        return pools.noted(poolUid);
    }

    /** Told of pools whose workers changed. */
    public void onChange(Consumer<Collection<ResourceID>> listener) {
        pools.onChange(listener);
    }

    /** Makes the pools of a keyspace owners of their names again: it has lost who was. */
    public void announceAgain(Keyspace keyspace) {
        pools.in(keyspace).forEach(p -> announced.remove(p.uid()));
    }

    /** What was read before says nothing now, and what was announced may be lost; the pools say it in their status. */
    private void judged(Keyspace keyspace) {
        announceAgain(keyspace);
        pools.dropNotes(keyspace);
        budget.dropped(keyspace);
        pools.wakeAll(keyspace);
    }

    @Override
    public Collection<Keyspace> keyspaces() {
        return pools.keyspaces();
    }

    @Override
    public void poll(Keyspace keyspace) {
        List<Followed.Resource> here = pools.in(keyspace);
        PoolControl control = store.pools(keyspace);
        for (Followed.Resource pool : here) {
            if (!announced.contains(pool.uid())) {
                control.announce(pool.id().getName(), pool.uid());
                announced.add(pool.uid());
            }
        }
        PoolControl.Registered read = control.workers(
                here.stream().map(p -> p.id().getName()).toList(), budget.allowed(keyspace, pools.keyspaces()));
        budget.took(keyspace, read.bytes());
        Map<String, List<WorkerRecord>> all = read.workers();
        List<ResourceID> changed = new ArrayList<>();
        for (Followed.Resource pool : here) {
            List<WorkerRecord> own = all.getOrDefault(pool.id().getName(), List.of()).stream()
                    .filter(w -> w.worker().poolUid().equals(pool.uid()))
                    .toList();
            WorkerRegistry fresh = WorkerRegistry.of(own, clock.instant());
            Optional<WorkerRegistry> before = pools.noted(pool.uid());
            pools.note(keyspace, pool.uid(), fresh);
            if (before.map(Gist::of).filter(Gist.of(fresh)::equals).isEmpty()) {
                changed.add(pool.id());
            }
        }
        pools.wake(changed);
    }

    /** Names of the function libraries that workers call, over all pools. */
    public Set<String> libraries() {
        return pools.notes().stream()
                .flatMap(r -> r.workers().values().stream())
                .flatMap(w -> w.library().stream())
                .collect(Collectors.toSet());
    }

    /** How many workers are heard, over all pools. */
    public int heard() {
        return pools.notes().stream()
                .collect(Collectors.summingInt(r -> Gist.of(r).pods().size()));
    }
}
