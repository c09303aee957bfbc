package dev.quiver.lifecycle.worker;

import java.util.Optional;

import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.HistoryEntry.Phase;
import dev.quiver.lifecycle.history.HistoryEntry.WorkerEvent;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.WorkerEvents;
import dev.quiver.lifecycle.redis.BinaryText;

/** A worker's entries for the record, as arguments of scripts. Stateless. */
final class WorkerEntries {

    private static final byte[] NO_LOG = {};

    private WorkerEntries() {}

    /** A session of this worker begins. */
    static String joined(WorkerIdentity worker) {
        return argument(new WorkerEvent(
                Phase.JOIN,
                worker.pool(),
                worker.pod(),
                worker.podUid(),
                worker.node(),
                worker.slots(),
                WorkerState.USUAL_SPEED,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                NO_LOG));
    }

    /**
     * A session ended; the record knows its worker.
     *
     * @param reason in a few words
     */
    static String left(String pool, String reason) {
        return argument(new WorkerEvent(
                Phase.LEAVE,
                pool,
                "",
                "",
                "",
                0,
                0,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(reason),
                NO_LOG));
    }

    /**
     * A worker got ready for a run.
     *
     * @param speedMilli how fast it runs tasks
     * @param tails whether there is room for the end of its log
     */
    static String prepared(WorkerIdentity worker, WorkerPreparation how, int speedMilli, boolean tails) {
        return argument(new WorkerEvent(
                Phase.PREPARE,
                worker.pool(),
                worker.pod(),
                worker.podUid(),
                worker.node(),
                worker.slots(),
                speedMilli,
                Optional.of(how.startedAt()),
                Optional.empty(),
                how.setupFinishedAt(),
                how.finishedAt(),
                Optional.empty(),
                tails ? Tails.pack(how.log(), HistoryBounds.LOG_BYTES) : NO_LOG));
    }

    private static String argument(WorkerEvent event) {
        return BinaryText.marked(WorkerEvents.encode(event));
    }
}
