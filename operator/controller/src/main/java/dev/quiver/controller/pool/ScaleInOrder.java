package dev.quiver.controller.pool;

import java.util.Comparator;

/**
 * The order in which pods are deleted: idle before busy, little work before much, young before old. Draining pods come
 * before idle ones, so that a leader which starts again takes the pods that the last one chose. Pure.
 */
final class ScaleInOrder {

    /** The pod to delete comes first. A pod without a known worker sorts as fully busy. */
    static final Comparator<WorkerPod> FIRST_TO_DELETE = Comparator.comparing(WorkerPod::available)
            .thenComparing(WorkerPod::draining, Comparator.reverseOrder())
            .thenComparingInt(pod -> pod.busySlots().orElse(Integer.MAX_VALUE))
            .thenComparing(WorkerPod::created, Comparator.reverseOrder())
            .thenComparing(WorkerPod::name);

    private ScaleInOrder() {}
}
