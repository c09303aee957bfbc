package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;

import dev.quiver.controller.kube.LeanObjects;
import dev.quiver.controller.pool.podspec.PodParts;
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

    private static final String SELECTOR = Quiver.MANAGED_BY_LABEL + "=" + Quiver.MANAGED_BY + ","
            + PodParts.COMPONENT_LABEL + "=" + PodParts.COMPONENT;

    private final WorkerPods pods;
    private InformerEventSource<Pod, WorkerPool> informer;
    private final Silence silence = new Silence();

    PoolPods(WorkerPods pods) {
        this.pods = pods;
    }

    /** The event source of the pods of all pools; call it once, before the first reconcile. */
    InformerEventSource<Pod, WorkerPool> source(EventSourceContext<WorkerPool> events) {
        informer = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(Pod.class, WorkerPool.class)
                        .withLabelSelector(SELECTOR)
                        .withInformerListLimit(LeanObjects.PAGE)
                        .build(),
                events);
        return informer;
    }

    /** Puts a new pod into the informer's cache at once, so that the next reconcile counts it. */
    void made(Pod pod) {
        informer.handleRecentResourceCreate(ResourceID.fromResource(pod), pod);
    }

    /** The pods that this very pool owns, as facts for the planner. */
    List<WorkerPod> of(
            WorkerPool pool, Set<Pod> cached, Optional<WorkerRegistry> registry, StoreState store, Instant now) {
        return cached.stream()
                .filter(pod -> ownedBy(pool, pod))
                .map(pod -> worker(pod, registry, store, now))
                .toList();
    }

    /** When something is due about the pods of a pool: the first silence, the first message. */
    Stream<Instant> due(PoolView view) {
        return Stream.of(
                        nextSilence(view.pods(), view.registry(), view.store(), view.now()),
                        nextMessage(view.pods(), view.now()))
                .flatMap(Optional::stream);
    }

    /** When the first worker without a heartbeat will have been silent too long. */
    private Optional<Instant> nextSilence(
            List<WorkerPod> workers, Optional<WorkerRegistry> registry, StoreState store, Instant now) {
        return workers.stream()
                .filter(WorkerPod::live)
                .filter(w -> registry.flatMap(r -> r.alive(w.uid())).isEmpty())
                .flatMap(w -> silence.deadline(w.uid(), store).stream())
                .filter(at -> at.isAfter(now))
                .min(Instant::compareTo);
    }

    /** When the first pod that is not ready will have waited so long that a message is due. */
    private Optional<Instant> nextMessage(List<WorkerPod> workers, Instant now) {
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
                LastEnd.of(pod, now),
                alive.map(WorkerRecord::lastHeartbeat));
    }

    private static boolean ownedBy(WorkerPool pool, Pod pod) {
        return pod.getMetadata().getOwnerReferences().stream()
                .anyMatch(o -> o.getUid().equals(pool.getMetadata().getUid()));
    }

    static Set<String> uids(List<WorkerPod> workers) {
        return workers.stream().map(WorkerPod::uid).collect(Collectors.toSet());
    }
}
