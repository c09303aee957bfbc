package dev.quiver.controller.reconcile;

import java.util.Collection;
import java.util.Set;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;

/**
 * Triggers reconciles because of a change outside Kubernetes. Its events have no content: each reconcile observes the
 * whole resource. Thread-safe.
 *
 * @param <P> the resource to reconcile
 */
public final class WakeupEventSource<P extends HasMetadata> extends AbstractEventSource<Void, P> {

    private volatile IndexedResourceCache<P> primaries;

    /** An event source of that name. */
    public WakeupEventSource(String name) {
        super(Void.class, name);
    }

    /** The cache in which {@link #wakeAll} finds all resources. */
    public void setCache(IndexedResourceCache<P> cache) {
        this.primaries = cache;
    }

    /** Reconciles these soon. */
    public void wake(Collection<ResourceID> resources) {
        if (isRunning()) {
            resources.forEach(id -> getEventHandler().handleEvent(new Event(id)));
        }
    }

    /** Reconciles every resource soon. */
    public void wakeAll() {
        IndexedResourceCache<P> cache = primaries;
        if (cache != null && isRunning()) {
            wake(cache.keys().toList());
        }
    }

    @Override
    public Set<Void> getSecondaryResources(P primary) {
        return Set.of();
    }
}
