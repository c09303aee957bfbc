package dev.quiver.controller.http;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** Counts and times reconciliations by controller and outcome. Thread-safe. */
public final class ReconcileMetrics implements Metrics {

    private final MeterRegistry registry;

    /** Counts into that registry. */
    public ReconcileMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public <T> T timeControllerExecution(ControllerExecution<T> execution) throws Exception {
        Timer.Sample sample = Timer.start(registry);
        String outcome = "error";
        try {
            T result = execution.execute();
            outcome = execution.successTypeName(result);
            return result;
        } finally {
            sample.stop(Timer.builder("quiver.reconcile")
                    .description("Reconciliations: how many and how long")
                    .tag("controller", execution.controllerName())
                    .tag("step", execution.name())
                    .tag("outcome", outcome)
                    .register(registry));
        }
    }

    @Override
    public void failedReconciliation(
            HasMetadata resource, Exception exception, java.util.Map<String, Object> metadata) {
        registry.counter("quiver.reconcile.failures", "kind", resource.getKind())
                .increment();
    }
}
