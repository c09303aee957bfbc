package dev.quiver.controller.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;

/**
 * Condition {@code SlotsIntact}: whether user containers kept to the rules of the slots. A pod that broke them is
 * replaced within seconds, so the violation stays in the condition for an hour. A later violation begins the hour
 * again. Pure.
 */
final class SlotsCondition {

    /** How long a violation is shown. */
    static final Duration REMEMBERED = Duration.ofHours(1);

    private static final int PODS_SHOWN = 3;

    private SlotsCondition() {}

    static void set(PoolView view, Conditions fresh) {
        List<WorkerPod> violated =
                view.pods().stream().filter(p -> p.violation().isPresent()).toList();
        if (!violated.isEmpty()) {
            fresh.setAnew(
                    ConditionType.SlotsIntact,
                    ConditionStatus.False,
                    WorkerPoolReason.SlotsViolated,
                    message(violated));
        } else if (until(view.before().conditions())
                .filter(view.now()::isBefore)
                .isEmpty()) {
            fresh.set(ConditionType.SlotsIntact, ConditionStatus.True, WorkerPoolReason.SlotsIntact);
        } else {
            fresh.keep(ConditionType.SlotsIntact);
        }
    }

    /** When the violation in the condition is dropped, if no other follows. */
    static Optional<Instant> until(List<Condition> conditions) {
        return Conditions.find(conditions, ConditionType.SlotsIntact)
                .filter(c -> ConditionStatus.False.name().equals(c.getStatus()))
                .map(c -> Instant.parse(c.getLastTransitionTime()).plus(REMEMBERED));
    }

    private static String message(List<WorkerPod> violated) {
        String pods = String.join(
                "; ",
                violated.stream()
                        .limit(PODS_SHOWN)
                        .map(p -> p.name() + ": " + p.violation().orElseThrow())
                        .toList());
        int more = violated.size() - PODS_SHOWN;
        return "The container worker broke the rules of the slots; the pod is replaced, its tasks run elsewhere. "
                + pods + (more > 0 ? "; and " + more + " more pods" : "") + ".";
    }
}
