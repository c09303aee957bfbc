package dev.quiver.controller.status;

import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.Counter;

import dev.quiver.controller.kube.ServerSideApply;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.status.WriteBudget.Decision;

/**
 * Writes statuses of one kind as often as the budget allows. Each is written whole, by server-side apply under one
 * field manager, as an object with name, namespace and status. The last written status is remembered, since an
 * informer's copy may be older. Each write names the version that it follows. So the API server refuses a write of a
 * leader that was replaced meanwhile. It also refuses one about a resource whose name another took. Thread-safe.
 *
 * @param <S> the status
 * @param <T> the resource
 */
public final class StatusWriter<S, T extends CustomResource<?, S>> {

    private record Written<S>(S status, Instant at, String version) {}

    private final KubernetesClient client;
    private final WriteBudget budget;
    private final ActiveResources active;
    private final Supplier<T> shell;
    private final Counter writes;
    private final Clock clock;
    private final Map<String, Written<S>> last = new ConcurrentHashMap<>();

    /**
     * Shares a budget with other writers.
     *
     * @param shell makes an empty resource of the kind
     * @param writes counts written statuses
     */
    public StatusWriter(
            KubernetesClient client,
            WriteBudget budget,
            ActiveResources active,
            Supplier<T> shell,
            Counter writes,
            Clock clock) {
        this.client = client;
        this.budget = budget;
        this.active = active;
        this.shell = shell;
        this.writes = writes;
        this.clock = clock;
    }

    /** The status that readers of the API have: the last written one, or that of a later copy. */
    public Optional<S> current(T resource) {
        return newest(resource).map(Written::status).or(() -> Optional.ofNullable(resource.getStatus()));
    }

    /** Whether a change of progress would be written now. */
    public boolean due(String uid) {
        return budget.decide(Change.PROGRESS, lastWrite(uid), active.count(), clock.instant())
                instanceof Decision.Write;
    }

    /**
     * Writes the status if its turn has come. A resource that is gone is no error. A resource that was changed
     * meanwhile is an error (HTTP 409); the next reconcile sees the change and writes.
     *
     * @return the wait before the next try; absent when nothing is left to write
     */
    public Optional<Duration> write(T resource, S fresh, Change change) {
        Instant now = clock.instant();
        return switch (budget.decide(change, lastWrite(uid(resource)), active.count(), now)) {
            case Decision.Nothing _ -> Optional.empty();
            case Decision.Wait(Duration delay) -> Optional.of(delay);
            case Decision.Write _ -> {
                last.put(uid(resource), new Written<>(fresh, now, apply(resource, fresh)));
                yield Optional.empty();
            }
        };
    }

    /** Forgets a resource that is gone. */
    public void forget(String uid) {
        last.remove(uid);
    }

    /** Applies the status; returns the resource's version afterwards. */
    private String apply(T resource, S fresh) {
        String follows = newest(resource)
                .map(Written::version)
                .orElseGet(() -> resource.getMetadata().getResourceVersion());
        T object = shell.get();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(resource.getMetadata().getName())
                .withNamespace(resource.getMetadata().getNamespace())
                .withResourceVersion(follows)
                .build());
        object.setStatus(fresh);
        try {
            T written = client.resource(object).subresource("status").patch(ServerSideApply.FORCED);
            writes.increment();
            return written.getMetadata().getResourceVersion();
        } catch (KubernetesClientException e) {
            switch (e.getCode()) {
                case HttpURLConnection.HTTP_NOT_FOUND -> {
                    return follows;
                }
                case HttpURLConnection.HTTP_CONFLICT -> last.remove(uid(resource));
                default -> {}
            }
            throw e;
        }
    }

    /** The last written status, unless the copy at hand is a later one. */
    private Optional<Written<S>> newest(T resource) {
        return Optional.ofNullable(last.get(uid(resource)))
                .filter(written -> number(written.version())
                        >= number(resource.getMetadata().getResourceVersion()));
    }

    /** Versions of one kind of resource are numbers that grow. */
    private static long number(String version) {
        return Long.parseUnsignedLong(version);
    }

    private Optional<Instant> lastWrite(String uid) {
        return Optional.ofNullable(last.get(uid)).map(Written::at);
    }

    private static String uid(HasMetadata resource) {
        return resource.getMetadata().getUid();
    }
}
