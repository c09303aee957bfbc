package dev.quiver.controller.pool;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import dev.quiver.crds.v1alpha1.WorkerPool;

/**
 * The gauge {@code quiver_pool_desired_replicas} of each pool with {@code spec.autoscaling}: for autoscalers that write
 * {@code spec.replicas} by it. Thread-safe.
 */
public final class DesiredReplicas {

    private static final String NAME = "quiver.pool.desired.replicas";

    private final MeterRegistry metrics;
    private final Map<String, Shown> shown = new ConcurrentHashMap<>();

    private record Shown(AtomicInteger value, Gauge gauge) {}

    /** Has no gauge yet. */
    public DesiredReplicas(MeterRegistry metrics) {
        this.metrics = metrics;
    }

    /** Shows the number of a pool that is to follow its work, and no number of another one. */
    void note(WorkerPool pool, int desired) {
        if (pool.getSpec().follows().isEmpty()) {
            forget(pool);
            return;
        }
        shown.computeIfAbsent(pool.getMetadata().getUid(), _ -> show(pool))
                .value()
                .set(desired);
    }

    /** Forgets a pool that is gone, or that another installation serves. */
    void forget(WorkerPool pool) {
        Shown gone = shown.remove(pool.getMetadata().getUid());
        if (gone != null) {
            metrics.remove(gone.gauge());
        }
    }

    private Shown show(WorkerPool pool) {
        AtomicInteger value = new AtomicInteger();
        return new Shown(
                value,
                Gauge.builder(NAME, value, AtomicInteger::get)
                        .description("Worker pods that there should be for the work that waits")
                        .tag("namespace", pool.getMetadata().getNamespace())
                        .tag("pool", pool.getMetadata().getName())
                        .register(metrics));
    }
}
