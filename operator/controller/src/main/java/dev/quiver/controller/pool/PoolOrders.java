package dev.quiver.controller.pool;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.WorkerRegistries;
import dev.quiver.crds.v1alpha1.ResourceLoss;
import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpec;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.scheduling.PoolOrder;

/**
 * Brings into Redis how a pool orders its Tasks. Each pool is dealt with once after it was announced there, and at each
 * change. Its memory may be lost. Thread-safe.
 */
final class PoolOrders {

    /** The order in Redis since an announcement. */
    private record Present(long announcement, PoolOrder.Wishes wishes) {}

    /** Writes the wishes of a pool, by its name. */
    interface Arranger {
        void arrange(String pool, PoolOrder.Wishes wishes);
    }

    private final StoreCalls calls;
    private final WorkerRegistries registries;
    private final Function<Keyspace, Arranger> orders;
    private final Map<String, Present> present = new ConcurrentHashMap<>();

    PoolOrders(StoreCalls calls, WorkerRegistries registries, Function<Keyspace, Arranger> orders) {
        this.calls = calls;
        this.registries = registries;
        this.orders = orders;
    }

    /**
     * Brings Redis to what a pool wants.
     *
     * @return false when Redis did not take it: call again. A pool that is not announced yet is woken when it is
     */
    boolean sync(WorkerPool pool, Keyspace keyspace) {
        String uid = pool.getMetadata().getUid();
        Optional<Long> announcement = registries.announcement(uid);
        if (announcement.isEmpty()) {
            return true;
        }
        Present wanted = new Present(announcement.get(), wishes(pool.getSpec()));
        if (wanted.equals(present.get(uid))) {
            return true;
        }
        boolean done = calls.tryRun(
                () -> orders.apply(keyspace).arrange(pool.getMetadata().getName(), wanted.wishes()));
        if (done) {
            present.put(uid, wanted);
        }
        return done;
    }

    static PoolOrder.Wishes wishes(WorkerPoolSpec spec) {
        Map<String, Integer> boosts = new LinkedHashMap<>();
        spec.priorityBoosts().forEach(boost -> boosts.put(boost.tag(), boost.boost()));
        Optional<Map<String, Integer>> weights = Optional.ofNullable(spec.fairness())
                .map(fairness -> {
                    Map<String, Integer> all = new LinkedHashMap<>();
                    fairness.weights().forEach(weight -> all.put(weight.key(), weight.weight()));
                    return all;
                });
        Map<String, PoolOrder.Declared> resources = new LinkedHashMap<>();
        spec.resources()
                .forEach(resource -> resources.put(
                        resource.name(),
                        new PoolOrder.Declared(
                                resource.initially() == ResourceState.Available,
                                Optional.ofNullable(resource.permits()),
                                Optional.ofNullable(resource.perSeconds()),
                                resource.onLoss() == ResourceLoss.Cancel,
                                resource.probe() != null)));
        Map<String, List<String>> aliases = new LinkedHashMap<>();
        spec.resourceAliases().forEach(alias -> aliases.put(alias.name(), alias.resources()));
        return new PoolOrder.Wishes(boosts, spec.ageingPerMinute(), weights, resources, aliases);
    }

    void forget(String uid) {
        present.remove(uid);
    }
}
