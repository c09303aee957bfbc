package dev.quiver.controller.reconcile;

import java.util.Collection;
import java.util.Set;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;

/**
 * Makes reconcilers look again because of something outside Kubernetes. Says only that; what it was is seen by
 * looking. Thread-safe.
 *
 * @param <P> the resource to look at
 */
public final class WakeupEventSource<P extends HasMetadata> extends AbstractEventSource<Void, P> {

    private volatile IndexedResourceCache<P> primaries;

    /** Under that name among the event sources. */
    public WakeupEventSource(String name) {
        super(Void.class, name);
    }

    /** Where {@link #wakeAll} finds everybody. */
    public void setCache(IndexedResourceCache<P> cache) {
        this.primaries = cache;
    }

    /** Looks at these soon. */
    public void wake(Collection<ResourceID> resources) {
        if (isRunning()) {
            resources.forEach(id -> getEventHandler().handleEvent(new Event(id)));
        }
    }

    /** Looks at every resource soon. */
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
