package dev.quiver.lifecycle.history;

import java.util.Optional;

import dev.quiver.lifecycle.history.HistoryEntry.Phase;
import dev.quiver.lifecycle.history.HistoryEntry.WorkerEvent;

/** The body of an entry about a worker. Stateless. */
public final class WorkerEvents {

    private static final int VERSION = 1;

    private WorkerEvents() {}

    /** The body of its entry. */
    public static byte[] encode(WorkerEvent event) {
        ByteWriter to = new ByteWriter(256 + event.log().length)
                .put(VERSION)
                .put(event.phase().ordinal());
        to.text(event.pool(), HistoryBounds.NAME_BYTES).text(event.pod(), HistoryBounds.NAME_BYTES);
        to.text(event.podUid(), HistoryBounds.ID_BYTES).text(event.node(), HistoryBounds.NAME_BYTES);
        to.number(event.slots()).number(event.speedMilli());
        to.number(event.startedAt().orElse(0L)).number(event.rsyncFinishedAt().orElse(0L));
        to.number(event.setupFinishedAt().orElse(0L)).number(event.finishedAt().orElse(0L));
        return to.text(event.reason().orElse(""), HistoryBounds.MESSAGE_BYTES)
                .bytes(event.log())
                .toBytes();
    }

    static WorkerEvent decode(byte[] body) throws MalformedEntryException {
        ByteReader from = new ByteReader(body);
        from.version(VERSION, "a worker's entry");
        int phase = from.octet();
        if (phase >= Phase.values().length) {
            throw MalformedEntryException.newer("no phase of a worker has the number " + phase);
        }
        String pool = from.text(HistoryBounds.NAME_BYTES, "pool");
        String pod = from.text(HistoryBounds.NAME_BYTES, "pod");
        String podUid = from.text(HistoryBounds.ID_BYTES, "pod uid");
        String node = from.text(HistoryBounds.NAME_BYTES, "node");
        int slots = from.count(HistoryBounds.SLOTS, "slots");
        long speed = from.number(1_000_000, "speed");
        Optional<Long> started = from.time();
        Optional<Long> rsync = from.time();
        Optional<Long> setup = from.time();
        Optional<Long> finished = from.time();
        Optional<String> reason = from.optionalText(HistoryBounds.MESSAGE_BYTES, "reason");
        byte[] log = from.bytes(HistoryBounds.PACKED_LOG_BYTES, "log");
        from.end("a worker's entry");
        return new WorkerEvent(
                Phase.values()[phase],
                pool,
                pod,
                podUid,
                node,
                slots,
                speed,
                started,
                rsync,
                setup,
                finished,
                reason,
                log);
    }
}
