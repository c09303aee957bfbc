package dev.quiver.controller.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.Truth;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;

/**
 * Says whether user containers kept to the rules of the slots. The pod that did not is replaced within seconds, so what
 * it did stays in the condition for an hour: somebody should still find it there. A later violation begins the hour
 * again. Pure.
 */
final class SlotsCondition {

    /** How long a violation is told of. */
    static final Duration REMEMBERED = Duration.ofHours(1);

    private static final int PODS_SHOWN = 3;

    private SlotsCondition() {}

    static void set(PoolView view, Conditions fresh) {
        List<WorkerPod> violated =
                view.pods().stream().filter(p -> p.trouble().isPresent()).toList();
        if (!violated.isEmpty()) {
            fresh.setAnew(ConditionType.SlotsIntact, Truth.False, WorkerPoolReason.SlotsViolated, message(violated));
        } else if (until(view.before().conditions())
                .filter(view.now()::isBefore)
                .isEmpty()) {
            fresh.set(ConditionType.SlotsIntact, Truth.True, WorkerPoolReason.SlotsIntact);
        } else {
            fresh.keep(ConditionType.SlotsIntact);
        }
    }

    /** When what is told now will be forgotten, if nothing new happens. */
    static Optional<Instant> until(List<Condition> conditions) {
        return Conditions.find(conditions, ConditionType.SlotsIntact)
                .filter(c -> Truth.False.name().equals(c.getStatus()))
                .map(c -> Instant.parse(c.getLastTransitionTime()).plus(REMEMBERED));
    }

    private static String message(List<WorkerPod> violated) {
        String told = String.join(
                "; ",
                violated.stream()
                        .limit(PODS_SHOWN)
                        .map(p -> p.name() + ": " + p.trouble().orElseThrow())
                        .toList());
        int more = violated.size() - PODS_SHOWN;
        return "The container worker broke the rules of the slots; the pod is replaced, its tasks run elsewhere. "
                + told + (more > 0 ? "; and " + more + " more pods" : "") + ".";
    }
}
