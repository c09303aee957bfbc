package dev.quiver.controller.pool.podstatus;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.store.WorkerRegistry;

/**
 * Finds workers without a heartbeat for too long. Silence counts only while Redis has been there for as long and the
 * pool's registry was read. Otherwise an outage would look like a thousand dead workers. A ready pod that has not
 * registered counts as alive when this leader first sees it. Thread-safe.
 */
public final class Silence {

    /** A worker without a heartbeat for this long counts as dead. */
    public static final Duration TOO_LONG = Duration.ofSeconds(30);

    private final Map<String, Instant> lastSeen = new ConcurrentHashMap<>();
    /**
     * Pods without a live record in the last registry. A quiet pool is reconciled once a minute, and at once when a
     * worker is no longer alive. So such a pod was alive until shortly before.
     */
    private final Set<String> quiet = ConcurrentHashMap.newKeySet();

    /** Notes a pod's record, and returns whether it has been silent too long. */
    public boolean silent(
            String podUid, PodStage stage, Optional<WorkerRegistry> registry, StoreState store, Instant now) {
        boolean aliveNow = registry.flatMap(r -> r.alive(podUid)).isPresent();
        if (aliveNow) {
            lastSeen.put(podUid, registry.orElseThrow().at());
            quiet.remove(podUid);
        } else {
            if (stage == PodStage.READY) {
                lastSeen.putIfAbsent(podUid, now);
            }
            registry.ifPresent(r -> quiet(podUid, r));
        }
        return registry.isPresent()
                && !aliveNow
                && deadline(podUid, store).filter(at -> !at.isAfter(now)).isPresent();
    }

    private void quiet(String podUid, WorkerRegistry registry) {
        if (lastSeen.containsKey(podUid) && quiet.add(podUid)) {
            lastSeen.merge(podUid, registry.at().minus(WorkerRegistry.HEARTBEAT_TIMEOUT), Silence::later);
        }
    }

    /**
     * When a pod will have been silent too long, without a further heartbeat; absent for one that was never alive and
     * while Redis is away.
     */
    public Optional<Instant> deadline(String podUid, StoreState store) {
        Instant last = lastSeen.get(podUid);
        if (last == null || !(store instanceof StoreState.Up(Instant since))) {
            return Optional.empty();
        }
        return Optional.of(later(last, since).plus(TOO_LONG));
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    public void forget(String podUid) {
        lastSeen.remove(podUid);
        quiet.remove(podUid);
    }
}
