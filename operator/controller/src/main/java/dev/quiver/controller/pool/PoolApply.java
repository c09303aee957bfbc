package dev.quiver.controller.pool;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.pool.podspec.WorkerPodBuilder;
import dev.quiver.controller.store.KeyspaceRecords;
import dev.quiver.controller.store.Store;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.PoolControl;

/**
 * Carries out a plan: drains recorded before deletions, creations in growing batches until the API server refuses.
 * Every act can be repeated.
 *
 * @param records the keyspaces that are served: no other keyspace is written
 * @param podSource gets each new pod at once, so that the next reconcile counts it
 */
record PoolApply(
        WorkerPods pods,
        WorkerPodBuilder builder,
        Store store,
        KeyspaceRecords records,
        InformerEventSource<Pod, WorkerPool> podSource) {

    private static final Logger log = LoggerFactory.getLogger(PoolApply.class);

    /**
     * The result.
     *
     * @param refused the API server's refusal, where it gave one
     * @param stale whether the cache turned out to be behind
     */
    record Outcome(Optional<WorkerPods.Creation.Refused> refused, boolean stale) {}

    /**
     * Drains and deletes pods. The intent is written to Redis first if Redis is there; preStop drains without it, too.
     */
    void delete(WorkerPool pool, Keyspace keyspace, List<PoolPlan.Deletion> deletions) {
        String name = pool.getMetadata().getName();
        for (PoolPlan.Deletion deletion : deletions) {
            WorkerPod pod = deletion.pod();
            boolean recorded = tryRun(keyspace, control -> control.drain(name, pod.uid()));
            noteFate(pool, keyspace, pod.uid(), pod.fate());
            pods.delete(pool.getMetadata().getNamespace(), pod);
            log.info(
                    "deleting pod {}/{}: {}{}{}",
                    pool.getMetadata().getNamespace(),
                    pod.name(),
                    deletion.cause().name().toLowerCase(Locale.ROOT),
                    pod.problem().isEmpty() ? "" : ", " + pod.problem(),
                    recorded ? "" : " (not recorded in Redis)");
        }
    }

    Outcome create(WorkerPool pool, Keyspace keyspace, String hash, List<String> names) {
        boolean stale = false;
        for (List<String> batch : SlowStart.batches(names)) {
            for (String name : batch) {
                switch (pods.create(builder.build(pool, keyspace, name, hash))) {
                    case WorkerPods.Creation.Made(Pod made) ->
                        podSource.handleRecentResourceCreate(ResourceID.fromResource(made), made);
                    case WorkerPods.Creation.Exists _ -> stale = true;
                    case WorkerPods.Creation.Refused no -> {
                        return new Outcome(Optional.of(no), stale);
                    }
                }
            }
        }
        return new Outcome(Optional.empty(), stale);
    }

    /** Removes drain marks of pods that were deleted while no leader watched; false when Redis could not be reached. */
    boolean keepDraining(WorkerPool pool, Keyspace keyspace, Set<String> podUids) {
        return tryRun(
                keyspace, control -> control.keepDraining(pool.getMetadata().getName(), podUids));
    }

    /** Removes drain marks of pods that are gone, and notes that they are. */
    void undrain(WorkerPool pool, Keyspace keyspace, Iterable<String> podUids) {
        podUids.forEach(uid -> {
            tryRun(keyspace, control -> control.undrain(pool.getMetadata().getName(), uid));
            noteFate(pool, keyspace, uid, WorkerPod.DELETED);
        });
    }

    /** Notes what became of a pod, for the tasks that are lost with it; the first note stays. False when Redis is away. */
    boolean noteFate(WorkerPool pool, Keyspace keyspace, String podUid, String fate) {
        return tryRun(keyspace, control -> control.noteFate(pool.getMetadata().getName(), podUid, fate));
    }

    /** Notes how the container of a pod that goes on has ended. False when Redis is away. */
    boolean noteContainerEnd(WorkerPool pool, Keyspace keyspace, String podUid, String words) {
        return tryRun(
                keyspace, control -> control.noteContainerEnd(pool.getMetadata().getName(), podUid, words));
    }

    private boolean tryRun(Keyspace keyspace, Consumer<PoolControl> act) {
        return records.problem(keyspace).isEmpty() && store.tryRun(() -> act.accept(store.pools(keyspace)));
    }
}
