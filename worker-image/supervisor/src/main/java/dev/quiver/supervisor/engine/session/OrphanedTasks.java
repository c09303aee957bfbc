package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import dev.quiver.lifecycle.worker.Place;
import dev.quiver.supervisor.execution.ExecutorEvent;

/**
 * Tasks that an earlier supervisor of this pod left in the slots, until Redis has answered which of them are ours. Ends
 * that come meanwhile are kept. Belongs to the engine's thread.
 */
final class OrphanedTasks {

    /** How long the executor may take to say what it found, from the first session on. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** How long Redis leaves them to us: the patience, and time for the calls. */
    static final Duration LEFT = PATIENCE.multipliedBy(3);

    /**
     * One of them.
     *
     * @param end what became of it, absent while it runs
     */
    record OrphanedTask(int slot, long token, Optional<ExecutorEvent> end) {}

    private final Map<Integer, OrphanedTask> bySlot = new TreeMap<>();
    private int expected = -1;

    /** The executor says how many it will name. */
    void expect(int found) {
        expected = found;
    }

    void add(int slot, long token) {
        bySlot.put(slot, new OrphanedTask(slot, token, Optional.empty()));
    }

    /** Whether all of them are known. */
    boolean complete() {
        return expected >= 0 && bySlot.size() >= expected;
    }

    /** Keeps the end of one of them; false when it is none. */
    boolean ended(int slot, long token, ExecutorEvent end) {
        if (!runs(slot, token)) {
            return false;
        }
        bySlot.put(slot, new OrphanedTask(slot, token, Optional.of(end)));
        return true;
    }

    /** Forgets what was in the slot. */
    void forget(int slot) {
        bySlot.remove(slot);
    }

    /** Whether this use of the slot is one of them. */
    boolean runs(int slot, long token) {
        OrphanedTask orphan = bySlot.get(slot);
        return orphan != null && orphan.token() == token;
    }

    /** Removes and returns the one in this place. */
    Optional<OrphanedTask> take(Place place) {
        return runs(place.slot(), place.generation()) ? Optional.of(bySlot.remove(place.slot())) : Optional.empty();
    }

    /** Removes and returns all. */
    List<OrphanedTask> takeAll() {
        List<OrphanedTask> all = new ArrayList<>(bySlot.values());
        bySlot.clear();
        return all;
    }
}
