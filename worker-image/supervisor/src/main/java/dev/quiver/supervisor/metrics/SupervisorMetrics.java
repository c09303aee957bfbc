package dev.quiver.supervisor.metrics;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import dev.quiver.supervisor.engine.Engine;
import dev.quiver.supervisor.engine.EngineStatus;
import dev.quiver.supervisor.engine.store.Counter;
import dev.quiver.supervisor.packs.PackSpool;

/** The engine's counters and state as Prometheus text; reading them costs the engine nothing. Thread-safe. */
public final class SupervisorMetrics {

    /** Prometheus text, version 0.0.4. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final String PREFIX = "quiver.supervisor.";
    private static final Map<String, ToDoubleFunction<EngineStatus>> GAUGES = Map.of(
            "slots.free", EngineStatus::free,
            "slots.busy", EngineStatus::busy,
            "prefetch.waiting", EngineStatus::queued,
            "prefetch.depth", EngineStatus::depth,
            "results.unsettled", EngineStatus::unsettled,
            "session.held", status -> status.session().isPresent() ? 1 : 0,
            "executor.present", status -> status.executorAbsence().isPresent() ? 0 : 1,
            "store.reachable", status -> status.storeTrouble().isPresent() ? 0 : 1);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    /** Begins to show this engine. */
    public void watch(Engine engine) {
        for (Counter counter : Counter.values()) {
            FunctionCounter.builder(PREFIX + counter.metric(), engine.stats(), stats -> stats.of(counter))
                    .description(counter.help())
                    .register(registry);
        }
        GAUGES.forEach(
                (name, value) -> Gauge.builder(PREFIX + name, engine, shown -> value.applyAsDouble(shown.status()))
                        .register(registry));
        Timer roundTrips = Timer.builder(PREFIX + "step.round.trip")
                .description("From sending a step to its answer")
                .register(registry);
        engine.stats().onTask(new TaskSeconds(registry.getPrometheusRegistry()));
        engine.stats().onRoundTrip(nanos -> roundTrips.record(nanos, TimeUnit.NANOSECONDS));
    }

    /** Begins to show these packs. */
    public void watch(PackSpool packs) {
        FunctionCounter.builder(PREFIX + "packs.stored", packs, PackSpool::stored)
                .description("Packs of large results and of output that history has")
                .register(registry);
        FunctionCounter.builder(PREFIX + "results.dropped", packs, PackSpool::dropped)
                .description("Large results and whole streams that history will never have")
                .register(registry);
    }

    /** All of it as text. */
    public String scrape() {
        return registry.scrape();
    }
}
