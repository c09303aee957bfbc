package dev.quiver.lifecycle.worker;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One session of a pool as it said of itself at its last heartbeat.
 *
 * @param session its id
 * @param worker its pod
 * @param busySlots slots that run a task
 * @param draining whether it takes no more work
 * @param handlers names that its handler processes serve, at most {@value WorkerState#MAX_HANDLERS}
 * @param trouble what is wrong with the pod in its supervisor's words, absent when nothing
 * @param library the {@link dev.quiver.lifecycle.redis.ScriptLibrary} that it calls; absent for a worker that knows none
 * @param speedMilli how fast it runs tasks, 1 to {@value WorkerState#MOST_SPEED}; 1,000 is the usual speed, and one not
 *     known
 * @param openedAt when the session began
 * @param lastHeartbeat when it last renewed its lease
 * @param storeTime the time of Redis at this look
 */
public record WorkerRecord(
        String session,
        WorkerIdentity worker,
        int busySlots,
        boolean draining,
        List<String> handlers,
        Optional<String> trouble,
        Optional<String> library,
        int speedMilli,
        Instant openedAt,
        Instant lastHeartbeat,
        Instant storeTime) {

    /** Bytes of the trouble's words at most. */
    public static final int MAX_TROUBLE_BYTES = 128;
}
