package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What to do to a pool's pods now.
 *
 * @param create names of pods to make, in this order
 * @param letGo pods to drain and delete
 * @param again when to look again, if nothing happens before
 */
record PoolPlan(List<String> create, List<Departure> letGo, Optional<Instant> again) {

    /** Everything stays as it is. */
    static final PoolPlan NOTHING = new PoolPlan(List.of(), List.of(), Optional.empty());

    /** A pod that goes, and why. */
    record Departure(WorkerPod pod, Why why) {}

    /** Why a pod goes. */
    enum Why {
        /** It is broken or silent: another takes its place. */
        REPLACED,
        /** There are more pods than wanted. */
        SURPLUS,
        /** It is made from what is no longer wanted. */
        OUTDATED
    }

    boolean replacesBroken() {
        return letGo.stream().anyMatch(d -> d.why() == Why.REPLACED);
    }
}
