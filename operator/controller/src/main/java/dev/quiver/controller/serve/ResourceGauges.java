package dev.quiver.controller.serve;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;

/**
 * How many TaskSets are in which state and how many pods in which stage, as last seen by the reconcilers. A gauge for
 * each state, never for each resource. Thread-safe.
 */
public final class ResourceGauges {

    private static final List<String> RUN_STATES = List.of("going", "suspended", "succeeded", "failed", "store_away");

    private final Map<String, String> runs = new ConcurrentHashMap<>();
    private final Map<String, Map<String, Long>> pods = new ConcurrentHashMap<>();

    /**
     * Registers the gauges.
     *
     * @param podStages all that a pod can be in
     */
    public ResourceGauges(MeterRegistry registry, List<String> podStages) {
        RUN_STATES.forEach(state -> Gauge.builder(
                        "quiver.tasksets",
                        runs,
                        all -> all.values().stream().filter(state::equals).count())
                .description("TaskSets by state")
                .tag("state", state)
                .register(registry));
        podStages.forEach(stage -> Gauge.builder(
                        "quiver.pods",
                        pods,
                        all -> all.values().stream()
                                .mapToLong(p -> p.getOrDefault(stage, 0L))
                                .sum())
                .description("Worker pods by stage")
                .tag("stage", stage.toLowerCase(Locale.ROOT))
                .register(registry));
    }

    /** Notes how a run stands. */
    public void run(String uid, TaskSetStatus status) {
        runs.put(uid, state(status));
    }

    /** Notes the pods of a pool. */
    public void pods(String poolUid, Map<String, Long> byStage) {
        pods.put(poolUid, byStage);
    }

    /** Forgets a resource that is gone. */
    public void forget(String uid) {
        runs.remove(uid);
        pods.remove(uid);
    }

    private static String state(TaskSetStatus status) {
        if (Conditions.isTrue(status.conditions(), ConditionType.Finished)) {
            return Conditions.isTrue(status.conditions(), ConditionType.Succeeded) ? "succeeded" : "failed";
        }
        if (!Conditions.isTrue(status.conditions(), ConditionType.StoreReachable)) {
            return "store_away";
        }
        return Conditions.isTrue(status.conditions(), ConditionType.Suspended) ? "suspended" : "going";
    }
}
