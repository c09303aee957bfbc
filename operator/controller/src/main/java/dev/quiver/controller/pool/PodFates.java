package dev.quiver.controller.pool;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import dev.quiver.crds.v1alpha1.WorkerPool;

/**
 * Tells Redis what became of pods, and of containers of pods that go on: tasks that are lost with them say so. Each word is
 * written once. Thread-safe.
 */
final class PodFates {

    private static final String OVER = "over";

    private final PodMarks.Marks marks;
    private final Map<String, String> written =
            new ConcurrentHashMap<>(); // by the pod's uid: OVER, or the id of an end

    PodFates(PodMarks.Marks marks) {
        this.marks = marks;
    }

    /** Writes what is not written yet; while Redis is away, at the next turn. */
    void note(WorkerPool pool, List<WorkerPod> workers) {
        workers.forEach(worker -> {
            if (!worker.live() && !worker.message().isEmpty()) {
                write(worker, OVER, () -> marks.noteFate(pool, worker.uid(), worker.fate()));
            } else if (worker.live()) {
                worker.lastEnd()
                        .ifPresent(end ->
                                write(worker, end.id(), () -> marks.noteContainerEnd(pool, worker.uid(), end.words())));
            }
        });
    }

    private void write(WorkerPod worker, String id, BooleanSupplier write) {
        if (!id.equals(written.get(worker.uid())) && write.getAsBoolean()) {
            written.put(worker.uid(), id);
        }
    }

    /** Forgets pods that are gone. */
    void gone(Collection<String> podUids) {
        written.keySet().removeAll(podUids);
    }
}
