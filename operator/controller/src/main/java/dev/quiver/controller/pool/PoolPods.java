package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.Pod;

import dev.quiver.controller.pool.podstatus.LastEnd;
import dev.quiver.controller.pool.podstatus.PodObservation;
import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.pool.podstatus.Silence;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.store.WorkerRegistry;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.worker.WorkerRecord;

/** Joins a pool's pods in Kubernetes with their workers in Redis. Thread-safe. */
final class PoolPods {

    private final WorkerPods pods;
    private final Silence silence = new Silence();

    PoolPods(WorkerPods pods) {
        this.pods = pods;
    }

    /** The pods that this very pool owns, as facts for the planner. */
    List<WorkerPod> of(
            WorkerPool pool, Set<Pod> cached, Optional<WorkerRegistry> registry, StoreState store, Instant now) {
        return cached.stream()
                .filter(pod -> ownedBy(pool, pod))
                .map(pod -> worker(pod, registry, store, now))
                .toList();
    }

    /** When the first worker without a heartbeat will have been silent too long. */
    Optional<Instant> nextSilence(
            List<WorkerPod> workers, Optional<WorkerRegistry> registry, StoreState store, Instant now) {
        return workers.stream()
                .filter(WorkerPod::live)
                .filter(w -> registry.flatMap(r -> r.alive(w.uid())).isEmpty())
                .flatMap(w -> silence.deadline(w.uid(), store).stream())
                .filter(at -> at.isAfter(now))
                .min(Instant::compareTo);
    }

    /** When the first pod that is not ready will have waited so long that a message is due. */
    Optional<Instant> nextMessage(List<WorkerPod> workers, Instant now) {
        return workers.stream()
                .filter(w -> w.stage().progressing())
                .flatMap(w -> w.since().stream())
                .map(since -> since.plus(PodObservation.PATIENCE))
                .filter(at -> at.isAfter(now))
                .min(Instant::compareTo);
    }

    /** Forgets pods that are gone. */
    void gone(Set<String> podUids) {
        podUids.forEach(silence::forget);
        pods.forget(List.copyOf(podUids));
    }

    private WorkerPod worker(Pod pod, Optional<WorkerRegistry> registry, StoreState store, Instant now) {
        String uid = pod.getMetadata().getUid();
        PodObservation observation = PodObservation.of(pod, now);
        PodStage stage = pods.deleted(uid) ? PodStage.TERMINATING : observation.stage();
        Optional<WorkerRecord> alive = registry.flatMap(r -> r.alive(uid));
        return new WorkerPod(
                pod.getMetadata().getName(),
                uid,
                Objects.requireNonNullElse(pod.getMetadata().getLabels().get(Quiver.TEMPLATE_HASH_LABEL), ""),
                Instant.parse(pod.getMetadata().getCreationTimestamp()),
                stage,
                stage == observation.stage() ? observation.message(now) : "",
                observation.since(),
                alive.map(w -> OptionalInt.of(w.busySlots())).orElseGet(OptionalInt::empty),
                alive.map(WorkerRecord::draining).orElse(false),
                registry.flatMap(r -> r.violation(uid)),
                silence.silent(uid, stage, registry, store, now),
                LastEnd.of(pod, now));
    }

    private static boolean ownedBy(WorkerPool pool, Pod pod) {
        return pod.getMetadata().getOwnerReferences().stream()
                .anyMatch(o -> o.getUid().equals(pool.getMetadata().getUid()));
    }

    static Set<String> uids(List<WorkerPod> workers) {
        return workers.stream().map(WorkerPod::uid).collect(Collectors.toSet());
    }
}
