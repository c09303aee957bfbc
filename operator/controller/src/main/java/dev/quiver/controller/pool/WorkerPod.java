package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

import dev.quiver.controller.pool.podstatus.LastEnd;
import dev.quiver.controller.pool.podstatus.PodStage;

/**
 * One pod of a pool as the planner sees it: its status in Kubernetes, and its worker's record in Redis.
 *
 * @param hash of the template that the pod was made from
 * @param since for a crashing pod, when its container last ended, absent while it runs again. For a progressing pod,
 *     when it last made progress. For a ready pod, since when it is ready
 * @param busySlots slots that run a task; absent without a heartbeat and while Redis is away
 * @param draining whether its worker takes no more tasks
 * @param violation how its container broke the rules of the slots, as its supervisor reports it
 * @param silent whether its worker had a heartbeat once and has been silent for too long
 * @param lastEnd how the container that runs tasks ended a moment ago, and is started again
 * @param heard its worker's last heartbeat, by the clock of Redis; absent where {@code busySlots} is
 */
public record WorkerPod(
        String name,
        String uid,
        String hash,
        Instant created,
        PodStage stage,
        String message,
        Optional<Instant> since,
        OptionalInt busySlots,
        boolean draining,
        Optional<String> violation,
        boolean silent,
        Optional<LastEnd> lastEnd,
        Optional<Instant> heard) {

    /** The fate of a pod of which no more is known. */
    static final String DELETED = "the pod was deleted";

    /** The fate of a pod that is deleted. */
    String fate() {
        return problem().isEmpty() ? DELETED : problem();
    }

    /** Whether it counts among the pool's replicas. */
    boolean live() {
        return stage != PodStage.TERMINATING;
    }

    /** Whether the pod ended, or its container ends again and again. */
    boolean failed() {
        return stage == PodStage.ENDED || stage == PodStage.CRASHING;
    }

    /** Whether it can take tasks now. */
    boolean available() {
        return stage == PodStage.READY && !silent && violation.isEmpty();
    }

    /** Whether its worker says that it runs a task. */
    boolean busy() {
        return busySlots.orElse(0) > 0;
    }

    /** Why the pod is not ready or is deleted, by whomever; empty without a reason. */
    String problem() {
        return violation
                .map(what -> "its container broke the rules of the slots: " + what)
                .orElse(silent ? "its worker has sent no heartbeat for 30 s" : message);
    }
}
