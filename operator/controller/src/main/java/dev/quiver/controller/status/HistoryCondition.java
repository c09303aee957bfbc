package dev.quiver.controller.status;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.HistoryReason;

/** Condition {@code HistoryBacklogged}, the same for every kind. It comes with the first backlog and stays. Pure. */
public final class HistoryCondition {

    private HistoryCondition() {}

    /** Keeps the condition of the last status, since no look at history has ended yet. */
    public static void unknown(Conditions fresh) {
        fresh.keep(ConditionType.HistoryBacklogged);
    }

    /** History is behind, or has caught up: then the condition is set only where it was before. */
    public static void set(Conditions fresh, HistoryReason reason, String message) {
        if (reason != HistoryReason.CaughtUp) {
            fresh.set(ConditionType.HistoryBacklogged, ConditionStatus.True, reason, message);
        } else if (fresh.keep(ConditionType.HistoryBacklogged)) {
            fresh.set(ConditionType.HistoryBacklogged, ConditionStatus.False, reason);
        }
    }
}
