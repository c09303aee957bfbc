package dev.quiver.controller.run;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;

/** The state in which a run is counted, from its conditions. Pure. */
public enum RunState {
    /** It goes on, or waits. */
    GOING,
    /** It is suspended. */
    SUSPENDED,
    /** It succeeded. */
    SUCCEEDED,
    /** It ended without success. */
    FAILED,
    /** It goes on as far as is known: Redis cannot be asked. */
    STORE_AWAY;

    /** All states, as labels of the metric. */
    public static List<String> labels() {
        return Stream.of(values()).map(RunState::label).toList();
    }

    /** The run, counted once. */
    public static Map<String, Long> counted(List<Condition> conditions) {
        return Map.of(of(conditions).label(), 1L);
    }

    private static RunState of(List<Condition> conditions) {
        if (Conditions.isTrue(conditions, ConditionType.Finished)) {
            return Conditions.isTrue(conditions, ConditionType.Succeeded) ? SUCCEEDED : FAILED;
        }
        if (!Conditions.isTrue(conditions, ConditionType.StoreReachable)) {
            return STORE_AWAY;
        }
        return Conditions.isTrue(conditions, ConditionType.Suspended) ? SUSPENDED : GOING;
    }

    private String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
