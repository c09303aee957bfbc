package dev.quiver.controller.pool;

import java.util.List;
import java.util.Optional;

import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.pool.scaling.Decision;
import dev.quiver.controller.pool.scaling.Need;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.HistoryCondition;
import dev.quiver.controller.status.StoreCondition;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.store.WorkerRegistry;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Handler;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.text.PrintableText;

/**
 * The status of a pool, computed fresh. Slots come from Redis; while Redis is away they keep their last values. Pure.
 */
final class PoolStatusCalculator {

    private PoolStatusCalculator() {}

    static WorkerPoolStatus of(PoolView view, PoolMemory memory) {
        int draining = (int) view.count(PodStage.TERMINATING);
        Optional<Need> need = view.scaling().flatMap(Decision::need);
        boolean held = view.scaling().isPresent();
        return WorkerPoolStatusBuilder.builder()
                .observedGeneration(view.pool().getMetadata().getGeneration())
                .replicas(view.live().size())
                .readyReplicas(view.available())
                .updatedReplicas(
                        (int) view.live().stream().filter(view::updated).count())
                .drainingReplicas(draining)
                .desiredReplicas(view.desired())
                .queued(need.map(Need::queued).orElse(held ? view.before().queued() : null))
                .workSeconds(
                        need.map(Need::workSeconds).orElse(held ? view.before().workSeconds() : null))
                .blocked(ResourceRows.blocked(view))
                .resources(ResourceRows.of(view))
                .slots(view.registry()
                        .map(WorkerRegistry::slots)
                        .orElse(view.before().slots()))
                .busySlots(view.registry()
                        .map(WorkerRegistry::busySlots)
                        .orElse(view.before().busySlots()))
                .selector(Quiver.POOL_LABEL + "=" + view.pool().getMetadata().getName())
                .handlers(view.registry()
                        .map(PoolStatusCalculator::handlers)
                        .orElse(view.before().handlers()))
                .templateHash(view.hash())
                .idoitPoolID(PrefixCondition.poolId(view).orElse(null))
                .conditions(conditions(view, memory, draining).list())
                .build();
    }

    /** The handlers' names as people see them, without names that are too long: a worker's record is not trusted. */
    private static List<String> handlers(WorkerRegistry registry) {
        return registry.handlers().stream()
                .map(PrintableText::line)
                .filter(name -> name.length() <= Handler.MAX_NAME_BYTES)
                .distinct()
                .limit(WorkerPoolStatus.MAX_HANDLERS)
                .toList();
    }

    private static Conditions conditions(PoolView view, PoolMemory memory, int draining) {
        Conditions fresh = new Conditions(
                view.before().conditions(), view.pool().getMetadata().getGeneration(), view.now());
        ReadyCondition.set(view, memory, fresh);
        drains(view, draining, fresh);
        AutoscalingCondition.set(view, fresh);
        SlotsCondition.set(view, fresh);
        PrefixCondition.set(view, fresh);
        view.second()
                .ifPresent(message -> fresh.set(
                        ConditionType.WatchedTwice, ConditionStatus.True, WorkerPoolReason.LeftToOwner, message));
        switch (view.store()) {
            case StoreState.Up _ -> StoreCondition.up(fresh);
            case StoreState.Away(var _, var reason, var message) -> StoreCondition.away(fresh, reason, message);
        }
        view.backlog()
                .ifPresentOrElse(
                        behind -> HistoryCondition.set(fresh, behind.reason(false), behind.message(false)),
                        () -> HistoryCondition.unknown(fresh));
        boolean suspended = view.pool().getSpec().suspend();
        fresh.set(
                ConditionType.Suspended,
                ConditionStatus.of(suspended),
                suspended ? WorkerPoolReason.Suspended : WorkerPoolReason.NotSuspended);
        return fresh;
    }

    private static void drains(PoolView view, int draining, Conditions fresh) {
        if (draining == 0) {
            fresh.set(ConditionType.Draining, ConditionStatus.False, WorkerPoolReason.NothingToDrain);
            return;
        }
        WorkerPoolReason reason;
        if (view.deleting()) {
            reason = WorkerPoolReason.Deleting;
        } else if (view.pool().getSpec().suspend()) {
            reason = WorkerPoolReason.Suspended;
        } else if (view.live().size() < view.wanted() || !view.live().stream().allMatch(view::updated)) {
            reason = WorkerPoolReason.RollingOut;
        } else {
            reason = WorkerPoolReason.ScalingDown;
        }
        fresh.set(
                ConditionType.Draining,
                ConditionStatus.True,
                reason,
                draining + (draining == 1 ? " pod finishes its" : " pods finish their") + " running tasks, for at most "
                        + view.pool().getSpec().drainSeconds() + " s.");
    }

    /** The kind of change that a fresh status makes. */
    static Change change(Optional<WorkerPoolStatus> written, WorkerPoolStatus fresh) {
        return written.filter(fresh::equals).isPresent() ? Change.NONE : Change.PROGRESS;
    }
}
