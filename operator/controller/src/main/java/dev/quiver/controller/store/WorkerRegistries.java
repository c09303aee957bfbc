package dev.quiver.controller.store;

import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.ResourceID;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.WorkerRecord;

/**
 * Reads the workers of each pool, one question for all pools of a keyspace, and wakes pools whose registry changed.
 * Also makes each pool the owner of its name in Redis, again whenever Redis came back. Thread-safe; {@link #poll} is
 * for one thread at a time and keyspace.
 */
public final class WorkerRegistries implements Follower {

    /** The part of a registry whose change makes its pool reconcile. */
    private record RelevantState(
            Map<String, PodState> pods, int slots, int busy, Map<String, String> violations, List<String> handlers) {

        /** The facts that decide whether a pod may leave its pool. */
        private record PodState(boolean idle, boolean draining) {}

        static RelevantState of(WorkerRegistry registry) {
            Map<String, PodState> alive = new HashMap<>();
            registry.workers()
                    .keySet()
                    .forEach(uid -> registry.alive(uid)
                            .ifPresent(worker ->
                                    alive.put(uid, new PodState(worker.busySlots() == 0, worker.draining()))));
            return new RelevantState(
                    alive, registry.slots(), registry.busySlots(), registry.violations(), registry.handlers());
        }
    }

    private final Function<Keyspace, PoolControl> control;
    private final Clock clock;
    private final Followed<WorkerRegistry> pools = new Followed<>();
    private final RegistryBudget budget = new RegistryBudget();
    /** The number of each pool's last announcement, by uid. */
    private final Map<String, Long> announced = new ConcurrentHashMap<>();

    private final AtomicLong announcements = new AtomicLong();

    /**
     * Follows no pool yet.
     *
     * @param control the pools of a keyspace, under the leader's present term
     */
    public WorkerRegistries(
            Function<Keyspace, PoolControl> control, StoreWatch watch, KeyspaceStates keyspaces, Clock clock) {
        this.control = control;
        this.clock = clock;
        watch.onUp(announced::clear);
        watch.onAway(pools::dropNotes);
        watch.onAway(budget::dropped);
        keyspaces.onChange(this::keyspaceChanged);
    }

    /** Follows a pool from now on. Idempotent. */
    public void follow(HasMetadata pool, Keyspace keyspace) {
        pools.follow(pool, keyspace);
    }

    /** Stops following a pool. */
    public void unfollow(String poolUid) {
        pools.unfollow(poolUid);
        announced.remove(poolUid);
    }

    /** The number of a pool's last announcement, which grows; absent while it is not announced. */
    public Optional<Long> announcement(String poolUid) {
        return Optional.ofNullable(announced.get(poolUid));
    }

    /** The registry of a pool, at most a few seconds old; absent until it was read. */
    public Optional<WorkerRegistry> of(String poolUid) {
        return pools.noted(poolUid);
    }

    /** Called with pools whose workers changed. */
    public void onChange(Consumer<Collection<ResourceID>> listener) {
        pools.onChange(listener);
    }

    /** Makes the pools of a keyspace owners of their names again, after the keyspace lost its data. */
    public void announceAgain(Keyspace keyspace) {
        pools.in(keyspace).forEach(p -> announced.remove(p.uid()));
    }

    /** Calls the listeners with all pools of a keyspace. */
    public void wakeAll(Keyspace keyspace) {
        pools.wakeAll(keyspace);
    }

    /** Drops the registries of a keyspace and announces its pools again. The pools show the change in their status. */
    private void keyspaceChanged(Keyspace keyspace) {
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
        PoolControl redis = control.apply(keyspace);
        Set<ResourceID> changed = new LinkedHashSet<>();
        for (Followed.Resource pool : here) {
            if (!announced.containsKey(pool.uid())) {
                redis.announce(pool.id().getName(), pool.uid());
                announced.put(pool.uid(), announcements.incrementAndGet());
                changed.add(pool.id());
            }
        }
        PoolControl.Registered read = redis.workers(
                here.stream().map(p -> p.id().getName()).toList(), budget.allowed(keyspace, pools.keyspaces()));
        budget.used(keyspace, read.bytes());
        Map<String, List<WorkerRecord>> all = read.workers();
        for (Followed.Resource pool : here) {
            List<WorkerRecord> own = all.getOrDefault(pool.id().getName(), List.of()).stream()
                    .filter(w -> w.worker().poolUid().equals(pool.uid()))
                    .toList();
            WorkerRegistry fresh = WorkerRegistry.of(own, clock.instant());
            Optional<WorkerRegistry> before = pools.noted(pool.uid());
            pools.note(keyspace, pool.uid(), fresh);
            if (before.map(RelevantState::of)
                    .filter(RelevantState.of(fresh)::equals)
                    .isEmpty()) {
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

    /** How many workers are alive, over all pools. */
    public int aliveWorkers() {
        return pools.notes().stream()
                .collect(Collectors.summingInt(r -> RelevantState.of(r).pods().size()));
    }
}
