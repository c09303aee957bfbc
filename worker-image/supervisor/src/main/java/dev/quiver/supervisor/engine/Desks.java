package dev.quiver.supervisor.engine;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.quiver.lifecycle.taskset.ExecutionSpec;

/** The task sets that one session works at, in the order in which it came to them. Belongs to the engine's thread. */
final class Desks {

    private final Map<String, Desk> byUid = new LinkedHashMap<>();
    /** Read from the threads of calls, too. */
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** Whether the set has a desk; from any thread. */
    boolean knows(String uid) {
        return known.contains(uid);
    }

    Optional<Desk> find(String uid) {
        return Optional.ofNullable(byUid.get(uid));
    }

    /** The desk of this set, a new one if it has none. */
    Desk open(String uid, ExecutionSpec spec, Handlers handlers) {
        return byUid.computeIfAbsent(uid, set -> {
            Desk desk = new Desk(set, spec);
            desk.served(handlers);
            known.add(set);
            return desk;
        });
    }

    Collection<Desk> all() {
        return byUid.values();
    }

    /** The set to claim from: the first that has work, until it has none. */
    Optional<Desk> claiming() {
        for (Desk desk : byUid.values()) {
            if (desk.claims()) {
                return Optional.of(desk);
            }
        }
        return Optional.empty();
    }

    /** Results that Redis has not counted and that no call carries. */
    int unsettled() {
        int results = 0;
        for (Desk desk : byUid.values()) {
            results += desk.results();
        }
        return results;
    }

    /** Forgets the sets of which nothing is left to do here. */
    void clearIdle() {
        byUid.values().removeIf(desk -> desk.idle() && known.remove(desk.uid()));
    }
}
