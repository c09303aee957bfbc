package dev.quiver.controller.status;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;

import dev.quiver.controller.status.WriteBudget.Change;

/**
 * Reports computed statuses of one kind: writes them as the budget allows, counts their states, and writes Events of
 * the changes. Thread-safe.
 *
 * @param <S> the status
 * @param <R> the resource
 */
public final class StatusReporter<S, R extends CustomResource<?, S>> {

    /**
     * The parts that the reporters of all kinds share.
     *
     * @param budget of status writes
     * @param active the resources that share that budget
     * @param recorder writes Events
     */
    public record Shared(
            KubernetesClient kubernetes,
            WriteBudget budget,
            ActiveResources active,
            EventRecorder recorder,
            MeterRegistry metrics,
            Clock clock) {}

    /**
     * The parts of one kind.
     *
     * @param shell makes an empty resource
     * @param gauge counts by state; each kind chooses the things to count
     * @param conditions of a status
     * @param change compares the last written status with a fresh one
     * @param events derives Events from a written status and the one before it
     */
    public record Kind<S, R>(
            Supplier<R> shell,
            StateGauge gauge,
            Function<S, List<Condition>> conditions,
            BiFunction<Optional<S>, S, Change> change,
            BiFunction<S, S, List<Event>> events) {}

    private final Kind<S, R> kind;
    private final FinishedRuns finished;
    private final StatusWriter<S, R> writer;
    private final ActiveResources active;
    private final EventRecorder recorder;

    /** Reports on one kind. */
    public StatusReporter(Shared shared, Kind<S, R> kind) {
        this.kind = kind;
        this.active = shared.active();
        this.recorder = shared.recorder();
        String name = HasMetadata.getKind(kind.shell().get().getClass());
        this.finished = new FinishedRuns(shared.metrics(), name);
        this.writer = new StatusWriter<>(
                shared.kubernetes(),
                shared.budget(),
                shared.active(),
                kind.shell(),
                shared.metrics().counter("quiver.status.writes", "kind", name),
                shared.clock());
    }

    /** The status that readers of the API have. */
    public Optional<S> current(R resource) {
        return writer.current(resource);
    }

    /** Whether a change of progress would be written now. */
    public boolean due(String uid) {
        return writer.due(uid);
    }

    /** Notes whether work goes on for a resource: then it has a share in the budget. Idempotent. */
    public void setActive(R resource, boolean isActive) {
        active.note(uid(resource), isActive);
    }

    /**
     * Counts the resource, writes its status if its turn has come, and then the Events of its changes.
     *
     * @param before the status at the start of the reconcile
     * @param byState number of things of the resource in each state
     * @return the wait before the next try; absent when nothing is left to write
     */
    public Optional<Duration> report(R resource, S before, S fresh, Map<String, Long> byState) {
        kind.gauge().note(uid(resource), byState);
        Optional<Duration> turn = write(resource, fresh, kind.change().apply(current(resource), fresh));
        if (turn.isEmpty()) {
            finished.note(kind.conditions().apply(before), kind.conditions().apply(fresh));
            kind.events().apply(before, fresh).forEach(event -> publish(resource, event));
        }
        return turn;
    }

    /** Writes a status alone, if its turn has come; the result is as with {@link #report}. */
    public Optional<Duration> write(R resource, S fresh, Change change) {
        return writer.write(resource, fresh, change);
    }

    /** Writes an Event about an act, since no later status reports it. */
    public void publish(R resource, Event event) {
        recorder.publish(resource, event);
    }

    /** Forgets a resource that is gone. */
    public void forget(R resource) {
        writer.forget(uid(resource));
        kind.gauge().forget(uid(resource));
        setActive(resource, false);
    }

    private String uid(R resource) {
        return resource.getMetadata().getUid();
    }
}
