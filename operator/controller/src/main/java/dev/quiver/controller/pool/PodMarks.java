package dev.quiver.controller.pool;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import dev.quiver.crds.v1alpha1.WorkerPool;

/**
 * Keeps the marks that Redis has about the pods of pools to the pods that exist: drain marks, and what became of a pod. Its
 * memory may be lost: then the marks are compared once more. Thread-safe.
 */
final class PodMarks {

    /** The marks in Redis. */
    interface Marks {

        /** Removes drain marks of all other pods; false when Redis could not be reached. */
        boolean keepDraining(WorkerPool pool, Set<String> podUids);

        /** Removes drain marks of pods that are gone, and notes that they are. */
        void undrain(WorkerPool pool, Set<String> podUids);

        /** Notes what became of a pod, for the tasks that are lost with it; the first note stays. False when Redis is away. */
        boolean noteFate(WorkerPool pool, String podUid, String fate);

        /** Notes how the container of a pod that goes on has ended. False when Redis is away. */
        boolean noteContainerEnd(WorkerPool pool, String podUid, String words);
    }

    private final Marks marks;
    private final Consumer<Set<String>> gone;
    private final PodFates fates;
    private final Map<String, Set<String>> known = new ConcurrentHashMap<>();
    /** Pools whose drain marks were compared with the existing pods, since Redis came back or this leader began. */
    private final Set<String> compared = ConcurrentHashMap.newKeySet();

    /**
     * Knows no pod.
     *
     * @param gone hears of pods that do not exist any more
     */
    PodMarks(Marks marks, Consumer<Set<String>> gone) {
        this.marks = marks;
        this.gone = gone;
        this.fates = new PodFates(marks);
    }

    /** A Redis that came back may have marks of its past. */
    void storeReturned() {
        compared.clear();
    }

    /** Brings the marks to the pods of a pool, as they were just observed. */
    void follow(WorkerPool pool, List<WorkerPod> workers) {
        String uid = pool.getMetadata().getUid();
        Set<String> now = PoolPods.uids(workers);
        Set<String> away = new HashSet<>(known.getOrDefault(uid, Set.of()));
        away.removeAll(now);
        known.put(uid, now);
        if (!compared.contains(uid) && marks.keepDraining(pool, now)) {
            compared.add(uid);
        }
        fates.note(pool, workers);
        fates.gone(away);
        if (!away.isEmpty()) {
            gone.accept(away);
            marks.undrain(pool, away);
        }
    }

    /** Forgets a pool that is gone, or that another installation serves. */
    void forget(WorkerPool pool) {
        String uid = pool.getMetadata().getUid();
        Set<String> pods = known.getOrDefault(uid, Set.of());
        gone.accept(pods);
        fates.gone(pods);
        known.remove(uid);
        compared.remove(uid);
    }
}
