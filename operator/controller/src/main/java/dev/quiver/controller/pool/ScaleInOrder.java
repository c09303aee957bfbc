package dev.quiver.controller.pool;

import java.util.Comparator;

/**
 * Which pod to let go first: what does no work before what does, little work before much, young before old. Draining
 * ones come before idle ones so that a leader which starts again takes the pods that the last one chose. Pure.
 */
final class ScaleInOrder {

    /** First comes whom to let go. A pod of which nothing is known sorts as fully busy. */
    static final Comparator<WorkerPod> FIRST_TO_GO = Comparator.comparing(WorkerPod::available)
            .thenComparing(WorkerPod::draining, Comparator.reverseOrder())
            .thenComparingInt(pod -> pod.busySlots().orElse(Integer.MAX_VALUE))
            .thenComparing(WorkerPod::created, Comparator.reverseOrder())
            .thenComparing(WorkerPod::name);

    private ScaleInOrder() {}
}
