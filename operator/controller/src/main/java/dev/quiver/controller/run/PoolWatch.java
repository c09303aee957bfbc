package dev.quiver.controller.run;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;

import dev.quiver.controller.kube.LeanObjects;
import dev.quiver.controller.reconcile.WakeupEventSource;
import dev.quiver.controller.store.Followed;
import dev.quiver.controller.store.StoreWatch;
import dev.quiver.crds.v1alpha1.WorkerPool;

/**
 * The events that reconcile runs of one kind, apart from changes of the runs themselves. A pool that a run names
 * changes, Redis reports a changed run, or Redis goes or comes back. Also the pools, as the informer knows them.
 * Thread-safe.
 *
 * @param <R> the runs
 */
public final class PoolWatch<R extends HasMetadata> {

    private static final String BY_POOL = "by-pool";

    private final Class<R> kind;
    private final Function<R, Set<String>> named;
    private final WakeupEventSource<R> wakeups = new WakeupEventSource<>("redis-changes");
    /** All pools, those that no run names too; set before the first reconcile. */
    private InformerEventSource<WorkerPool, R> pools;

    /**
     * Watches nothing yet.
     *
     * @param named the names of the pools that a run's spec names, in its namespace
     */
    public PoolWatch(Class<R> kind, Function<R, Set<String>> named) {
        this.kind = kind;
        this.named = named;
    }

    /**
     * The event sources of the kind's reconciler; call it once, before the first reconcile.
     *
     * @param store whether Redis can be used
     * @param runs those that Redis reports as changed
     */
    public List<EventSource<?, R>> sources(EventSourceContext<R> events, StoreWatch store, Followed<?> runs) {
        var cache = events.getPrimaryCache();
        cache.addIndexer(BY_POOL, this::keys);
        pools = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(WorkerPool.class, kind)
                        .withInformerListLimit(LeanObjects.PAGE)
                        .withPrimaryToSecondaryMapper(this::poolsOf)
                        .withSecondaryToPrimaryMapper(pool -> runsOf(pool, cache))
                        .withOnUpdateFilter(PoolChange::matters)
                        .build(),
                events);
        wakeups.setCache(cache);
        runs.onChange(wakeups::wake);
        store.onUp(wakeups::wakeAll);
        store.onAway(wakeups::wakeAll);
        return List.of(pools, wakeups);
    }

    /** The pool of that name in the run's namespace. */
    public Optional<WorkerPool> pool(R run, String name) {
        return pools.get(new ResourceID(name, run.getMetadata().getNamespace()));
    }

    /** Wakes the run that has the name of one whose finalizer is released now, as {@link WakeupEventSource} does. */
    public void wakeSuccessor(R gone) {
        wakeups.wakeSuccessor(gone);
    }

    /** Under which keys of the index a run is found. */
    List<String> keys(R run) {
        return named.apply(run).stream().map(name -> key(run, name)).toList();
    }

    /** The pools whose changes concern a run, whether they exist or not. */
    Set<ResourceID> poolsOf(R run) {
        return named.apply(run).stream()
                .map(name -> new ResourceID(name, run.getMetadata().getNamespace()))
                .collect(Collectors.toSet());
    }

    /** The runs that a change of a pool concerns. */
    Set<ResourceID> runsOf(WorkerPool pool, IndexedResourceCache<R> cache) {
        return cache.byIndex(BY_POOL, key(pool, pool.getMetadata().getName())).stream()
                .map(ResourceID::fromResource)
                .collect(Collectors.toSet());
    }

    /** A pool serves its own namespace alone. */
    private static String key(HasMetadata inNamespace, String name) {
        return inNamespace.getMetadata().getNamespace() + "/" + name;
    }
}
