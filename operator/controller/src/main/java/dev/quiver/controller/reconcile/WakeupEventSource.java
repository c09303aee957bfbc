package dev.quiver.controller.reconcile;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Triggers reconciles because of a change outside Kubernetes. Its events have no content: each reconcile observes the
 * whole resource. Thread-safe.
 *
 * @param <P> the resource to reconcile
 */
public final class WakeupEventSource<P extends HasMetadata> extends AbstractEventSource<Void, P> {

    private static final Logger LOG = LoggerFactory.getLogger(WakeupEventSource.class);

    /** By then the last reconcile of a deleted resource has ended. */
    private static final Executor LATER = CompletableFuture.delayedExecutor(5, TimeUnit.SECONDS);

    private final Executor later;
    private volatile IndexedResourceCache<P> primaries;

    /** An event source of that name. */
    public WakeupEventSource(String name) {
        this(name, LATER);
    }

    /**
     * The same with other times, for tests.
     *
     * @param later runs what is to happen after a while
     */
    WakeupEventSource(String name, Executor later) {
        super(Void.class, name);
        this.later = later;
    }

    /** The cache in which {@link #wakeAll} finds all resources. */
    public void setCache(IndexedResourceCache<P> cache) {
        this.primaries = cache;
    }

    /** The namespaces of all resources in the cache; none before there is one. */
    public Set<String> namespaces() {
        IndexedResourceCache<P> cache = primaries;
        return cache == null
                ? Set.of()
                : cache.keys().flatMap(id -> id.getNamespace().stream()).collect(Collectors.toUnmodifiableSet());
    }

    /** Reconciles these soon. */
    public void wake(Collection<ResourceID> resources) {
        if (isRunning()) {
            resources.forEach(this::wake);
        }
    }

    private void wake(ResourceID id) {
        try {
            getEventHandler().handleEvent(new Event(id));
        } catch (IllegalStateException going) {
            LOG.debug("{} is going: {}", id, going.getMessage());
        }
    }

    /**
     * Reconciles, after a while, the resource that has the name of one whose finalizer is released now, if there is one.
     * The framework refuses the event of a resource that is created while its predecessor's last reconcile has not
     * returned, and nothing repeats that event.
     */
    public void wakeSuccessor(HasMetadata gone) {
        ResourceID id = ResourceID.fromResource(gone);
        later.execute(() -> {
            IndexedResourceCache<P> cache = primaries;
            if (cache != null && isRunning() && cache.get(id).isPresent()) {
                wake(id);
            }
        });
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
