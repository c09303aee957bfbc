package dev.quiver.supervisor.metrics;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

import dev.quiver.supervisor.engine.store.EngineStats;

/**
 * The histogram {@code quiver_task_seconds}: how long trials ran, by kind of work and outcome. A trial costs it no more
 * than two look-ups and a few additions. {@link #ended} is for one thread.
 */
final class TaskSeconds implements EngineStats.TaskListener {

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);
    /** With the last bucket, which has no bound, twelve: from no-op tasks to those of hours. */
    private static final double[] BOUNDS = {0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200};

    private final Histogram histogram;
    private final Map<String, Map<String, DistributionDataPoint>> points = new HashMap<>();

    TaskSeconds(PrometheusRegistry registry) {
        this.histogram = Histogram.builder()
                .name("quiver_task_seconds")
                .help("How long trials ran")
                .labelNames("kind", "outcome")
                .classicOnly()
                .classicUpperBounds(BOUNDS)
                .withoutExemplars()
                .register(registry);
    }

    @Override
    public void ended(String kind, String outcome, long nanos) {
        points.computeIfAbsent(kind, _ -> new HashMap<>())
                .computeIfAbsent(outcome, _ -> histogram.labelValues(kind, outcome))
                .observe(nanos / SECOND);
    }
}
