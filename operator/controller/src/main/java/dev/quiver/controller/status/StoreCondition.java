package dev.quiver.controller.status;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreReason;

/** What a status says of Redis, the same for every kind. Pure. */
public final class StoreCondition {

    private StoreCondition() {}

    /** Redis answers. */
    public static void up(Conditions fresh) {
        fresh.set(ConditionType.StoreReachable, ConditionStatus.True, StoreReason.Connected);
    }

    /** Redis cannot be used. One that was not asked yet is nothing new: what was said of it last still stands. */
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
