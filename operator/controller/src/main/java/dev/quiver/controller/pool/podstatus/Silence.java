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
 * Remembers when each worker was last heard and tells which have been silent for too long. Silence is judged only when
 * Redis has been there for as long and the pool's registry was read: an outage must not look like a thousand dead workers.
 * A ready pod that this leader never heard counts as heard when first seen. Thread-safe.
 */
public final class Silence {

    /** Without a heartbeat for this long, a worker is taken for dead. */
    public static final Duration TOO_LONG = Duration.ofSeconds(30);

    private final Map<String, Instant> heard = new ConcurrentHashMap<>();
    /**
     * Those not heard since a registry that was read. A pool in which nothing happens is looked at once a minute, and at
     * once when a worker is no longer heard: until shortly before, it was.
     */
    private final Set<String> quiet = ConcurrentHashMap.newKeySet();

    /** Notes what the registry says of a pod, and tells whether it has been silent too long. */
    public boolean silent(
            String podUid, PodStage stage, Optional<WorkerRegistry> registry, StoreState store, Instant now) {
        boolean heardNow = registry.flatMap(r -> r.heard(podUid)).isPresent();
        if (heardNow) {
            heard.put(podUid, registry.orElseThrow().at());
            quiet.remove(podUid);
        } else {
            if (stage == PodStage.READY) {
                heard.putIfAbsent(podUid, now);
            }
            registry.ifPresent(r -> quiet(podUid, r));
        }
        return registry.isPresent()
                && !heardNow
                && deadline(podUid, store).filter(at -> !at.isAfter(now)).isPresent();
    }

    private void quiet(String podUid, WorkerRegistry registry) {
        if (heard.containsKey(podUid) && quiet.add(podUid)) {
            heard.merge(podUid, registry.at().minus(WorkerRegistry.HEARD_WITHIN), Silence::later);
        }
    }

    /** When a pod will have been silent too long, if it stays so; absent for one never heard and while Redis is away. */
    public Optional<Instant> deadline(String podUid, StoreState store) {
        Instant last = heard.get(podUid);
        if (last == null || !(store instanceof StoreState.Up(Instant since))) {
            return Optional.empty();
        }
        return Optional.of(later(last, since).plus(TOO_LONG));
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    public void forget(String podUid) {
        heard.remove(podUid);
        quiet.remove(podUid);
    }
}
