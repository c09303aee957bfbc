package dev.quiver.controller.status;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreReason;

/** Condition {@code StoreReachable}, the same for every kind. Pure. */
public final class StoreCondition {

    private StoreCondition() {}

    /** Redis answers. */
    public static void up(Conditions fresh) {
        fresh.set(ConditionType.StoreReachable, ConditionStatus.True, StoreReason.Connected);
    }

    /** Redis cannot be used. Before the first answer, the condition of the last status stays. */
    public static void away(Conditions fresh, StoreReason reason, String message) {
        boolean asked = reason != StoreReason.NotAsked;
        if (asked || !fresh.keep(ConditionType.StoreReachable)) {
            fresh.set(
                    ConditionType.StoreReachable,
                    asked ? ConditionStatus.False : ConditionStatus.Unknown,
                    reason,
                    message);
        }
    }
}
