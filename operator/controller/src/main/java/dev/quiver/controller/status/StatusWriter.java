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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.controller.kube.ServerSideApply;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.status.WriteBudget.Decision;

/**
 * Writes statuses of one kind as often as the budget allows. Each is written whole, by server-side apply under one
 * field manager, as an object with name, namespace and status. The last written status is remembered, since an
 * informer's copy may be older. Each write names the version that it follows. So the API server refuses a write of a
 * leader that was replaced meanwhile. It also refuses one about a resource whose name another took. A status that the API server refuses for what stands in
 * it is written in a smaller form, with the condition {@code StatusComplete}. Thread-safe.
 *
 * @param <S> the status
 * @param <T> the resource
 */
public final class StatusWriter<S, T extends CustomResource<?, S>> {

    /**
     * @param refused since when the API server refuses the whole of it, so that a smaller form stands there
     */
    private record Written<S>(S status, Instant at, String version, Optional<Instant> refused) {}

    private record Applied(String version, Optional<Instant> refused) {}

    private static final Logger log = LoggerFactory.getLogger(StatusWriter.class);

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
                Applied applied = apply(resource, fresh, now);
                last.put(uid(resource), new Written<>(fresh, now, applied.version(), applied.refused()));
                yield Optional.empty();
            }
        };
    }

    /** Forgets a resource that is gone. */
    public void forget(String uid) {
        last.remove(uid);
    }

    /** Applies the status, or as much of it as the API server takes. */
    private Applied apply(T resource, S fresh, Instant now) {
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
        StatusDocument document =
                StatusDocument.of(client.getKubernetesSerialization().asJson(object));
        try {
            return new Applied(patch(object, document.whole()), Optional.empty());
        } catch (KubernetesClientException e) {
            return switch (e.getCode()) {
                case HttpURLConnection.HTTP_NOT_FOUND -> new Applied(follows, Optional.empty());
                case HttpURLConnection.HTTP_CONFLICT -> {
                    last.remove(uid(resource));
                    throw e;
                }
                default -> {
                    String refusal = ApiRefusal.of(e)
                            .filter(ApiRefusal::invalid)
                            .map(ApiRefusal::message)
                            .orElseThrow(() -> e);
                    yield smaller(resource, object, document, refusal, now);
                }
            };
        }
    }

    /** Reports with a smaller status what the API server refused. Once it is written, only a change is tried again. */
    private Applied smaller(T resource, T object, StatusDocument document, String refusal, Instant now) {
        Optional<Instant> before = Optional.ofNullable(last.get(uid(resource))).flatMap(Written::refused);
        Instant since = before.orElse(now);
        if (before.isEmpty()) {
            log.warn(
                    "the API server refused the status of {} {}/{}, a part is left out: {}",
                    resource.getKind(),
                    resource.getMetadata().getNamespace(),
                    resource.getMetadata().getName(),
                    refusal);
        }
        String version;
        try {
            version = patch(object, document.withoutSamples(refusal, since));
        } catch (KubernetesClientException e) {
            if (ApiRefusal.of(e).filter(ApiRefusal::invalid).isEmpty()) {
                throw e;
            }
            version = patch(object, document.bare(refusal, since));
        }
        return new Applied(version, Optional.of(since));
    }

    private String patch(T object, String json) {
        T written = client.resource(object).subresource("status").patch(ServerSideApply.FORCED, json);
        writes.increment();
        return written.getMetadata().getResourceVersion();
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
