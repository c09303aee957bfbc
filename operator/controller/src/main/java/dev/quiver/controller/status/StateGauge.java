package dev.quiver.controller.status;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Counts the things of all resources by their state, as last seen by a reconciler. A gauge for each state, never for
 * each resource. Thread-safe.
 */
public final class StateGauge {

    private final Map<String, Map<String, Long>> counts = new ConcurrentHashMap<>();

    /**
     * Registers the gauges.
     *
     * @param name of the metric
     * @param tag that names the state
     * @param states all possible states
     */
    public StateGauge(MeterRegistry registry, String name, String description, String tag, Collection<String> states) {
        states.forEach(state -> Gauge.builder(
                        name,
                        counts,
                        all -> all.values().stream()
                                .mapToLong(of -> of.getOrDefault(state, 0L))
                                .sum())
                .description(description)
                .tag(tag, state)
                .register(registry));
    }

    /** Notes how many things of a resource are in which state. */
    void note(String uid, Map<String, Long> byState) {
        counts.put(uid, byState);
    }

    /** Forgets a resource that is gone. */
    void forget(String uid) {
        counts.remove(uid);
    }
}
