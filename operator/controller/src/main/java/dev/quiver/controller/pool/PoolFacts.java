package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;

/**
 * The facts that a plan depends on.
 *
 * @param wanted number of pods that the pool should have; 0 while it is suspended or being deleted
 * @param hash of the template of new pods
 * @param pods every pod that the pool owns, terminating ones too
 * @param replaceFrom the instant before which broken pods are not replaced
 */
record PoolFacts(
        String pool, int wanted, String hash, RolloutBounds bounds, List<WorkerPod> pods, Instant replaceFrom) {

    boolean updated(WorkerPod pod) {
        return pod.hash().equals(hash);
    }
}
