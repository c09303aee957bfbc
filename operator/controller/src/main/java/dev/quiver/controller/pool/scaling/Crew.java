package dev.quiver.controller.pool.scaling;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * The pods of a pool, as its size depends on them.
 *
 * @param pods that are there and not on their way out
 * @param busyPods pods among them with a busy slot
 * @param busySlots of these pods
 * @param heard whether the worker of one of them has a heartbeat
 * @param handlers functions that their workers serve
 * @param idle uids of those that are ready, take tasks and run none
 * @param starts of the ready pods, by their uids
 */
public record Crew(
        int pods,
        int busyPods,
        long busySlots,
        boolean heard,
        Set<String> handlers,
        Set<String> idle,
        Map<String, Start> starts) {

    /**
     * The start of a ready pod.
     *
     * @param created when it was made
     * @param took from then until it was ready, this time: a pod may have been ready before
     */
    public record Start(Instant created, Duration took) {}

    /** Copies the collections. */
    public Crew {
        handlers = Set.copyOf(handlers);
        idle = Set.copyOf(idle);
        starts = Map.copyOf(starts);
    }
}
