package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

import dev.quiver.controller.reconcile.Built;

/**
 * The facts that a plan depends on.
 *
 * @param wanted number of pods that the pool should have; 0 while it is suspended or being deleted
 * @param hash of the template of new pods
 * @param pods every pod that the pool owns, terminating ones too
 * @param replaceFrom the instant before which broken pods are not replaced
 * @param most pods at most, of a pool that follows its work: then no pod with a task is removed to make it smaller
 * @param holds whether the pods stay as they are, since it is not known how many there should be
 * @param marks what pods were told that stay for now, by uid
 */
@Built
record PoolFacts(
        String pool,
        int wanted,
        String hash,
        RolloutBounds bounds,
        List<WorkerPod> pods,
        Instant replaceFrom,
        OptionalInt most,
        boolean holds,
        Map<String, DrainMark> marks) {

    /** Copies the marks; none is given in general. */
    PoolFacts {
        marks = marks == null ? Map.of() : Map.copyOf(marks);
    }

    boolean updated(WorkerPod pod) {
        return pod.hash().equals(hash);
    }
}
