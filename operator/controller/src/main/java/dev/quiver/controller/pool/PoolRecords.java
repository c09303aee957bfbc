package dev.quiver.controller.pool;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import dev.quiver.controller.store.RunRecording;
import dev.quiver.controller.store.WorkerRegistries;
import dev.quiver.crds.v1alpha1.PoolHistory;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.PoolControl.QueueRecord;

/**
 * Brings into Redis how the trees of a pool that have no resource are recorded. Each pool is dealt with once after it was
 * announced there, and at each change. Its memory may be lost. Thread-safe.
 */
final class PoolRecords {

    /** The rules of recording in Redis since an announcement. */
    private record Present(long announcement, PoolHistory.Keep keep) {}

    private final PoolCalls calls;
    private final RunRecording recording;
    private final WorkerRegistries registries;
    private final Map<String, Present> present = new ConcurrentHashMap<>();

    PoolRecords(PoolCalls calls, RunRecording recording, WorkerRegistries registries) {
        this.calls = calls;
        this.recording = recording;
        this.registries = registries;
    }

    /**
     * Brings Redis to what a pool wants.
     *
     * @return false when Redis did not take it: call again. A pool that is not announced yet is woken when it is
     */
    boolean sync(WorkerPool pool, Keyspace keyspace) {
        String uid = pool.getMetadata().getUid();
        Optional<Long> announcement = registries.announcement(uid);
        if (announcement.isEmpty()) {
            return true;
        }
        Optional<String> namespace = recording.of(keyspace.namespace());
        PoolHistory.Keep keep =
                namespace.isPresent() ? pool.getSpec().historyOrDefault().keep() : PoolHistory.Keep.None;
        Present wanted = new Present(announcement.get(), keep);
        if (wanted.equals(present.get(uid))) {
            return true;
        }
        boolean done = calls.tryRun(
                pool,
                control -> control.record(
                        pool.getMetadata().getName(),
                        uid,
                        recording(keep).map(how -> new QueueRecord(how, opening(pool, namespace.orElseThrow())))));
        if (done) {
            present.put(uid, wanted);
        }
        return done;
    }

    /** The reader adds the hour, and when it began. */
    private static RunOpening opening(WorkerPool pool, String namespaceUid) {
        String name = pool.getMetadata().getName();
        return RunOpening.of(RunKind.QUEUE, name, 0, 0).within(namespaceUid).on(name);
    }

    private static Optional<Recording> recording(PoolHistory.Keep keep) {
        return switch (keep) {
            case None -> Optional.empty();
            case All -> Optional.of(Recording.DEFAULT);
            case Failures ->
                Optional.of(
                        new Recording(Recording.Keep.FAILURES, Recording.Output.FAILED, Recording.Results.NONE, false));
        };
    }

    void forget(String uid) {
        present.remove(uid);
    }
}
