package dev.quiver.controller.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.pool.scaling.Crew;
import dev.quiver.controller.pool.scaling.Decision;
import dev.quiver.controller.pool.scaling.Scaling;
import dev.quiver.controller.pool.scaling.ScalingMemory;
import dev.quiver.controller.store.WorkerRegistry;
import dev.quiver.crds.v1alpha1.Autoscaling;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.worker.SourceLoad;

/** The decision on the size of a pool that follows its work, from what was observed. Pure. */
final class PoolScaling {

    private PoolScaling() {}

    /**
     * The decision; absent for a pool without {@code spec.autoscaling}, and for one that is suspended or deleted.
     *
     * @param loads what waits for it; absent while that is not known
     */
    static Optional<Decision> decide(
            WorkerPool pool,
            List<WorkerPod> pods,
            Optional<WorkerRegistry> registry,
            Optional<List<SourceLoad>> loads,
            ScalingMemory memory,
            Instant now) {
        return pool.getSpec()
                .follows()
                .filter(_ -> !pool.getSpec().suspend() && !pool.isMarkedForDeletion())
                .map(how -> {
                    Scaling scaling = scaling(pool, how);
                    Crew crew = crew(
                            pods,
                            registry.map(WorkerRegistry::handlers)
                                    .map(Set::copyOf)
                                    .orElse(Set.of()));
                    return loads.map(work -> scaling.decide(work, crew, memory, now))
                            .orElseGet(() -> scaling.hold(crew, memory));
                });
    }

    /** Where another scaler writes the replicas, they are no lower bound of the number that it reads. */
    private static Scaling scaling(WorkerPool pool, Autoscaling how) {
        boolean reports = how.mode() == Autoscaling.Mode.Report;
        return new Scaling(
                reports ? 0 : pool.getSpec().replicas(),
                how.maxReplicas(),
                pool.getSpec().slots().count(),
                how.target(),
                how.coolDown());
    }

    static Crew crew(List<WorkerPod> all, Set<String> handlers) {
        List<WorkerPod> pods = all.stream().filter(WorkerPod::live).toList();
        List<WorkerPod> busy = pods.stream().filter(WorkerPod::busy).toList();
        Set<String> idle = pods.stream()
                .filter(pod -> pod.available() && pod.busySlots().isPresent() && !pod.busy() && !pod.draining())
                .map(WorkerPod::uid)
                .collect(Collectors.toSet());
        Map<String, Crew.Start> starts = pods.stream()
                .filter(pod -> pod.stage() == PodStage.READY && pod.since().isPresent())
                .collect(Collectors.toMap(
                        WorkerPod::uid,
                        pod -> new Crew.Start(
                                pod.created(),
                                Duration.between(pod.created(), pod.since().orElseThrow()))));
        return new Crew(
                pods.size(),
                busy.size(),
                busy.stream().mapToLong(pod -> pod.busySlots().orElse(0)).sum(),
                pods.stream().anyMatch(pod -> pod.busySlots().isPresent()),
                handlers,
                idle,
                starts);
    }
}
