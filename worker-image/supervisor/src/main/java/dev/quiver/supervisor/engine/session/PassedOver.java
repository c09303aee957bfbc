package dev.quiver.supervisor.engine.session;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

import dev.quiver.lifecycle.worker.WorkerSession;

/** Sets whose handler this pod does not serve, so that a pick passes them over. Belongs to the engine's thread. */
final class PassedOver {

    private final LinkedHashSet<String> uids = new LinkedHashSet<>();

    /** Remembers one; false when the oldest was forgotten for it, since a pick can pass over no more. */
    boolean add(String uid) {
        boolean full = uids.size() >= WorkerSession.MAX_SKIPPED;
        if (full) {
            uids.removeFirst();
        }
        uids.add(uid);
        return !full;
    }

    boolean isEmpty() {
        return uids.isEmpty();
    }

    /** A copy for a pick, with these, as far as there is room. */
    Set<String> uids(Set<String> more) {
        Set<String> all = new HashSet<>(uids);
        more.stream().limit(WorkerSession.MAX_SKIPPED - uids.size()).forEach(all::add);
        return all;
    }

    /** The pod serves other handlers now. */
    void clear() {
        uids.clear();
    }
}
