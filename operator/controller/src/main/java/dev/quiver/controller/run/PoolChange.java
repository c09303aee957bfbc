package dev.quiver.controller.run;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.PoolResourceStatus;
import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/**
 * Decides which changes of a pool matter to the runs that it serves; a slot that gets busy does not. The message of its
 * Ready condition matters while no worker is ready, since runs that wait for one repeat it. Pure.
 */
public final class PoolChange {

    private record RelevantState(
            Long generation,
            boolean deleting,
            Integer replicas,
            int ready,
            List<String> handlers,
            List<String> missing,
            Optional<String> reason,
            Optional<String> message) {
        static RelevantState of(WorkerPool pool) {
            Optional<WorkerPoolStatus> status = Optional.ofNullable(pool.getStatus());
            Optional<Condition> condition = status.flatMap(s -> Conditions.find(s.conditions(), ConditionType.Ready));
            int ready = status.map(WorkerPoolStatus::readyReplicas).orElse(0);
            return new RelevantState(
                    pool.getMetadata().getGeneration(),
                    pool.isMarkedForDeletion(),
                    status.map(WorkerPoolStatus::replicas).orElse(null),
                    ready,
                    status.map(WorkerPoolStatus::handlers).orElse(List.of()),
                    status.map(WorkerPoolStatus::resources).orElse(List.of()).stream()
                            .filter(resource -> resource.state() == ResourceState.Missing)
                            .map(PoolResourceStatus::name)
                            .sorted()
                            .toList(),
                    condition.map(Condition::getReason),
                    condition.filter(_ -> ready == 0).map(Condition::getMessage));
        }
    }

    private PoolChange() {}

    public static boolean matters(WorkerPool now, WorkerPool before) {
        return !Objects.equals(RelevantState.of(now), RelevantState.of(before));
    }
}
