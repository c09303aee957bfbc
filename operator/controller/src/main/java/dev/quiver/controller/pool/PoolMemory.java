package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.controller.pool.scaling.ScalingMemory;

/**
 * A leader's memory of a pool between reconciles. Its loss costs only a request, a pod or a cool-down too many.
 *
 * @param backoff when broken pods may be replaced again
 * @param refusal the API server's last refusal
 * @param replaced the pod that was replaced last, until all are ready
 * @param marks what pods were told that stay for now, by uid
 * @param scaling what the last decision on the pool's size remembers
 */
record PoolMemory(
        ReplacementBackoff backoff,
        Optional<Refusal> refusal,
        Optional<ReplacedPod> replaced,
        Map<String, DrainMark> marks,
        ScalingMemory scaling) {

    static final PoolMemory EMPTY =
            new PoolMemory(ReplacementBackoff.NONE, Optional.empty(), Optional.empty(), Map.of(), ScalingMemory.EMPTY);

    /** Copies the marks. */
    PoolMemory {
        marks = Map.copyOf(marks);
    }

    /** The memory after a plan that replaces broken pods. */
    PoolMemory replaced(PoolPlan plan, Instant now) {
        return new PoolMemory(
                backoff.replaced(now), refusal, ReplacedPod.by(plan).or(() -> replaced), marks, scaling);
    }

    /** The memory once all wanted pods are ready. */
    PoolMemory recovered() {
        return new PoolMemory(ReplacementBackoff.NONE, refusal, Optional.empty(), marks, scaling);
    }

    PoolMemory with(Optional<Refusal> next) {
        return new PoolMemory(backoff, next, replaced, marks, scaling);
    }

    /** The memory after a decision on the pool's size. */
    PoolMemory with(ScalingMemory next) {
        return new PoolMemory(backoff, refusal, replaced, marks, next);
    }

    /** The memory after this was told to a pod. */
    PoolMemory told(WorkerPod pod, boolean drains) {
        Map<String, DrainMark> now = new HashMap<>(marks);
        now.put(pod.uid(), new DrainMark(drains, pod.heard()));
        return new PoolMemory(backoff, refusal, replaced, now, scaling);
    }

    /**
     * The memory of these pods, which are all that there are. A mark that was taken back goes once the pod has heard of it.
     * One that the pod does not heed goes, too: then it is told again.
     */
    PoolMemory keeping(List<WorkerPod> pods) {
        Map<String, DrainMark> kept = new HashMap<>();
        for (WorkerPod pod : pods) {
            DrainMark mark = marks.get(pod.uid());
            if (mark != null && pod.live() && !mark.unheeded(pod) && (mark.drains() || pod.draining())) {
                kept.put(pod.uid(), mark);
            }
        }
        return new PoolMemory(backoff, refusal, replaced, kept, scaling);
    }
}
