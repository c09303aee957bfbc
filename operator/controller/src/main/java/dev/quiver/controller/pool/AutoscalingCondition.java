package dev.quiver.controller.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import dev.quiver.controller.pool.scaling.Need;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.Autoscaling;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;

/** Condition {@code Autoscaling}: whether the number of pods follows the work, and by which figures. Pure. */
final class AutoscalingCondition {

    /** How long the last figures stand while Redis is not read. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private AutoscalingCondition() {}

    static void set(PoolView view, Conditions fresh) {
        Optional<Autoscaling> how = view.pool().getSpec().follows();
        if (how.isEmpty()) {
            return;
        }
        if (view.pool().getSpec().suspend()) {
            fresh.set(ConditionType.Autoscaling, ConditionStatus.False, WorkerPoolReason.Suspended);
            return;
        }
        Optional<Need> need = view.scaling().flatMap(it -> it.need());
        if (need.isPresent()) {
            set(view, how.get(), need.get(), fresh);
        } else if (due(view).isEmpty()) {
            fresh.set(ConditionType.Autoscaling, ConditionStatus.False, WorkerPoolReason.FiguresMissing);
        } else {
            fresh.keep(ConditionType.Autoscaling);
        }
    }

    private static void set(PoolView view, Autoscaling how, Need need, Conditions fresh) {
        String words = words(need);
        if (how.mode() == Autoscaling.Mode.Report) {
            fresh.set(
                    ConditionType.Autoscaling,
                    ConditionStatus.False,
                    WorkerPoolReason.Reporting,
                    words + " The number is only shown.");
            return;
        }
        fresh.set(ConditionType.Autoscaling, ConditionStatus.True, reason(view, how, need), words);
    }

    /** A pool whose bounds are equal is at its maximum only where the work needs more. */
    private static WorkerPoolReason reason(PoolView view, Autoscaling how, Need need) {
        int least = view.pool().getSpec().replicas();
        if (need.pods() > how.maxReplicas() || view.desired() == how.maxReplicas() && how.maxReplicas() > least) {
            return WorkerPoolReason.AtMaximum;
        }
        return view.desired() == least ? WorkerPoolReason.AtMinimum : WorkerPoolReason.FollowsBacklog;
    }

    private static String words(Need need) {
        String untaken = need.untaken() == 0 ? "" : " No worker takes " + need.untaken() + " of them.";
        return need.queued() + (need.queued() == 1 ? " task waits; " : " tasks wait; ") + need.workSeconds()
                + " s of work need " + need.pods() + (need.pods() == 1 ? " pod." : " pods.") + untaken;
    }

    /** When figures that are missing will have been missing for too long; absent where none is missing, or they have been. */
    static Optional<Instant> due(PoolView view) {
        return view.scaling()
                .filter(decision -> decision.need().isEmpty())
                .flatMap(_ -> view.asked())
                .map(at -> at.plus(PATIENCE))
                .filter(at -> at.isAfter(view.now()));
    }
}
