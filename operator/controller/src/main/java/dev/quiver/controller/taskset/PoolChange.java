package dev.quiver.controller.taskset;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/** Tells which changes of a pool matter to the runs that it serves: not each slot that gets busy. Pure. */
final class PoolChange {

    private record Gist(
            Long generation, boolean goes, Integer replicas, Integer ready, List<String> handlers, String why) {
        static Gist of(WorkerPool pool) {
            Optional<WorkerPoolStatus> status = Optional.ofNullable(pool.getStatus());
            return new Gist(
                    pool.getMetadata().getGeneration(),
                    pool.isMarkedForDeletion(),
                    status.map(WorkerPoolStatus::replicas).orElse(null),
                    status.map(WorkerPoolStatus::readyReplicas).orElse(null),
                    status.map(WorkerPoolStatus::handlers).orElse(List.of()),
                    status.flatMap(s -> Conditions.find(s.conditions(), ConditionType.Ready))
                            .map(Condition::getReason)
                            .orElse(null));
        }
    }

    private PoolChange() {}

    static boolean matters(WorkerPool now, WorkerPool before) {
        return !Objects.equals(Gist.of(now), Gist.of(before));
    }
}
