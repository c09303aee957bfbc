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
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.Counter;

import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.status.WriteBudget.Verdict;

/**
 * Writes statuses of one kind: whole, by server-side apply, as an object with name, namespace and status, under one
 * field manager, as often as the budget allows. Remembers what it wrote last, since an informer's copy may be older;
 * while this process leads nobody else writes. Thread-safe.
 *
 * @param <S> the status
 * @param <T> the resource
 */
public final class StatusWriter<S, T extends CustomResource<?, S>> {

    /** Owns every field of every status. */
    public static final String FIELD_MANAGER = "quiver-operator";

    private static final PatchContext APPLY = new PatchContext.Builder()
            .withPatchType(PatchType.SERVER_SIDE_APPLY)
            .withFieldManager(FIELD_MANAGER)
            .withForce(true)
            .build();

    private record Written<S>(S status, Instant at) {}

    private final KubernetesClient client;
    private final WriteBudget budget;
    private final Busyness busyness;
    private final Supplier<T> shell;
    private final Counter writes;
    private final Clock clock;
    private final Map<String, Written<S>> last = new ConcurrentHashMap<>();

    /**
     * Shares a budget with other writers.
     *
     * @param shell makes an empty resource of the kind
     * @param writes counts what was written
     */
    public StatusWriter(
            KubernetesClient client,
            WriteBudget budget,
            Busyness busyness,
            Supplier<T> shell,
            Counter writes,
            Clock clock) {
        this.client = client;
        this.budget = budget;
        this.busyness = busyness;
        this.shell = shell;
        this.writes = writes;
        this.clock = clock;
    }

    /** The status that readers of the API have: what was written last, else what the resource came with. */
    public Optional<S> current(T resource) {
        return Optional.ofNullable(last.get(uid(resource)))
                .map(Written::status)
                .or(() -> Optional.ofNullable(resource.getStatus()));
    }

    /** Whether a change of progress would be written now. */
    public boolean due(String uid) {
        return budget.decide(Change.PROGRESS, lastWrite(uid), busyness.running(), clock.instant())
                instanceof Verdict.Write;
    }

    /**
     * Writes the status if its turn has come. A resource that is gone is no error.
     *
     * @return how long to wait before trying again; absent when there is nothing left to write
     */
    public Optional<Duration> write(T resource, S fresh, Change change) {
        Instant now = clock.instant();
        return switch (budget.decide(change, lastWrite(uid(resource)), busyness.running(), now)) {
            case Verdict.Nothing _ -> Optional.empty();
            case Verdict.Wait(Duration delay) -> Optional.of(delay);
            case Verdict.Write _ -> {
                apply(resource, fresh);
                last.put(uid(resource), new Written<>(fresh, now));
                yield Optional.empty();
            }
        };
    }

    /** Forgets a resource that is gone. */
    public void forget(String uid) {
        last.remove(uid);
    }

    private void apply(T resource, S fresh) {
        T object = shell.get();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(resource.getMetadata().getName())
                .withNamespace(resource.getMetadata().getNamespace())
                .build());
        object.setStatus(fresh);
        try {
            client.resource(object).subresource("status").patch(APPLY);
            writes.increment();
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }

    private Optional<Instant> lastWrite(String uid) {
        return Optional.ofNullable(last.get(uid)).map(Written::at);
    }

    private static String uid(HasMetadata resource) {
        return resource.getMetadata().getUid();
    }
}
