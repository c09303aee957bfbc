package dev.quiver.controller.pool.probe;

import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.pool.probe.ProbeRound.Verdict;
import dev.quiver.controller.store.Follower;
import dev.quiver.crds.v1alpha1.HttpGetProbe;
import dev.quiver.crds.v1alpha1.PoolResource;
import dev.quiver.crds.v1alpha1.ResourceProbe;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/**
 * The probes of all pools. Each look at a keyspace begins the requests that are due, and writes what the ended ones say,
 * where that differs from the last word in Redis. While Redis is away nothing is asked, and while the operator is away the
 * last word stays. Its memory may be lost. Thread-safe; {@link #poll} is for one thread at a time and keyspace.
 */
public final class ResourceProbes implements Follower {

    /** Requests under way at once, in all and of one namespace: a slow server of one keeps no other waiting. */
    private static final int MOST_AT_ONCE = 64;

    private static final int MOST_OF_NAMESPACE = 4;

    private static final Logger log = LoggerFactory.getLogger(ResourceProbes.class);

    /** Closes and opens resources of a keyspace as the owner of probes. */
    public interface Gate {
        /** Says in Redis whether a resource of a pool is there. */
        void set(String pool, String resource, boolean there);
    }

    /** The word in Redis since an announcement of the pool. */
    private record Told(long announcement, boolean there) {}

    private static final class Probed {
        private final ResourceProbe probe;
        private final ProbeRound round;
        private Optional<Told> told = Optional.empty();
        private volatile String why = "";
        private boolean refused;

        private Probed(ResourceProbe probe) {
            this.probe = probe;
            this.round = new ProbeRound(probe);
        }
    }

    private record Pool(String name, String uid, Keyspace keyspace, Map<String, Probed> resources) {}

    private final Function<Keyspace, Gate> gates;
    private final Function<String, Optional<Long>> announcements;
    private final ProbeHosts hosts;
    private final HttpCheck http = new HttpCheck();
    private final Clock clock;
    private final Map<String, Pool> pools = new ConcurrentHashMap<>();
    private final Map<String, Semaphore> ofNamespace = new ConcurrentHashMap<>();
    private final Semaphore all = new Semaphore(MOST_AT_ONCE);
    private final ExecutorService waiting = Executors.newVirtualThreadPerTaskExecutor();
    /** A name is looked up in native code, where a virtual thread would keep one of the few carriers. */
    private final ExecutorService asking = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("probe-", 0).factory());

    /**
     * Follows no pool yet.
     *
     * @param gates of a keyspace
     * @param announcements when a pool was last announced in Redis, by its uid; absent until it was
     * @param hosts that probes may ask
     */
    public ResourceProbes(
            Function<Keyspace, Gate> gates,
            Function<String, Optional<Long>> announcements,
            ProbeHosts hosts,
            Clock clock) {
        this.gates = gates;
        this.announcements = announcements;
        this.hosts = hosts;
        this.clock = clock;
    }

    /** Follows the probes of a pool from now on. What is known of one that is as before stays. Idempotent. */
    public void follow(WorkerPool pool, Keyspace keyspace) {
        String uid = pool.getMetadata().getUid();
        Map<String, Probed> before =
                Optional.ofNullable(pools.get(uid)).map(Pool::resources).orElse(Map.of());
        Map<String, Probed> now = new HashMap<>();
        for (PoolResource resource : pool.getSpec().resources()) {
            if (resource.probe() != null) {
                Probed same = before.get(resource.name());
                now.put(
                        resource.name(),
                        same != null && same.probe.equals(resource.probe()) ? same : new Probed(resource.probe()));
            }
        }
        if (now.isEmpty()) {
            unfollow(uid);
        } else {
            replace(uid, Optional.of(new Pool(pool.getMetadata().getName(), uid, keyspace, now)));
        }
    }

    /** Waits for what is being told of the pool as it was: so nothing is told any more of a probe that is gone. */
    private Optional<Pool> replace(String uid, Optional<Pool> now) {
        Pool before = pools.get(uid);
        synchronized (before == null ? this : before) {
            now.ifPresentOrElse(pool -> pools.put(uid, pool), () -> pools.remove(uid));
        }
        return Optional.ofNullable(before);
    }

    /** Stops following a pool. */
    public void unfollow(String uid) {
        replace(uid, Optional.empty()).map(gone -> gone.keyspace().namespace()).ifPresent(namespace -> {
            if (pools.values().stream()
                    .noneMatch(pool -> pool.keyspace().namespace().equals(namespace))) {
                ofNamespace.remove(namespace);
            }
        });
    }

    /** Why resources of a pool are missing, by name; without those that their probes found, or have not looked at. */
    public Map<String, String> reasons(String uid) {
        return Optional.ofNullable(pools.get(uid))
                .map(pool -> pool.resources().entrySet().stream()
                        .filter(resource -> !resource.getValue().why.isEmpty())
                        .collect(Collectors.toMap(Map.Entry::getKey, resource -> resource.getValue().why)))
                .orElse(Map.of());
    }

    @Override
    public Collection<Keyspace> keyspaces() {
        return pools.values().stream().map(Pool::keyspace).collect(Collectors.toSet());
    }

    @Override
    public void poll(Keyspace keyspace) {
        List<Pool> here = pools.values().stream()
                .filter(pool -> pool.keyspace().equals(keyspace))
                .toList();
        if (here.isEmpty()) {
            return;
        }
        Gate gate = gates.apply(keyspace);
        for (Pool pool : here) {
            announcements.apply(pool.uid()).ifPresent(announcement -> look(pool, announcement, gate));
        }
    }

    private void look(Pool pool, long announcement, Gate gate) {
        pool.resources()
                .forEach((name, probed) -> verdict(pool, probed).ifPresent(verdict -> {
                    Told wanted = new Told(announcement, verdict.there());
                    if (probed.told.filter(wanted::equals).isEmpty()) {
                        synchronized (pool) {
                            if (pools.get(pool.uid()) == pool) {
                                tell(pool, name, probed, verdict, gate);
                                probed.told = Optional.of(wanted);
                            }
                        }
                    }
                    probed.why = verdict.why();
                }));
    }

    /** One that Redis refuses is told again with the next verdict, and hinders no other. */
    private static void tell(Pool pool, String name, Probed probed, Verdict verdict, Gate gate) {
        try {
            gate.set(pool.name(), name, verdict.there());
            probed.refused = false;
        } catch (StoreRefusedException refusal) {
            if (!probed.refused) {
                probed.refused = true;
                log.warn(
                        "the probe of resource {} of WorkerPool {}/{} cannot be told: {}",
                        name,
                        pool.keyspace().namespace(),
                        pool.name(),
                        refusal.getMessage());
            }
        }
    }

    private Optional<Verdict> verdict(Pool pool, Probed probed) {
        if (probed.probe.schedule() != null) {
            return Optional.of(ProbeTimes.at(probed.probe.schedule(), clock.instant()));
        }
        HttpGetProbe asks = probed.probe.httpGet();
        if (asks == null) { // one of a later version
            return Optional.of(new Verdict(false, "its probe has neither httpGet nor schedule"));
        }
        String namespace = pool.keyspace().namespace();
        Optional<ProbeHosts.Target> target = hosts.target(asks.host(), namespace);
        if (target.isEmpty()) {
            return Optional.of(new Verdict(
                    false,
                    asks.host()
                            + " is no Service of this namespace that the operator may ask, and no host of its setting"
                            + " probeHosts"));
        }
        synchronized (probed.round) {
            if (probed.round.begin(clock.instant())) {
                begin(probed, namespace, target.get());
            }
            return probed.round.verdict();
        }
    }

    private void begin(Probed probed, String namespace, ProbeHosts.Target target) {
        Semaphore own = ofNamespace.computeIfAbsent(namespace, _ -> new Semaphore(MOST_OF_NAMESPACE));
        waiting.execute(() -> ask(probed, own, target));
    }

    private void ask(Probed probed, Semaphore own, ProbeHosts.Target target) {
        try {
            Optional<String> failure;
            own.acquire();
            try {
                all.acquire();
                try {
                    ResourceProbe probe = probed.probe;
                    failure = asking.submit(() -> http.failure(probe.httpGet(), target, probe.timeout()))
                            .get();
                } finally {
                    all.release();
                }
            } finally {
                own.release();
            }
            synchronized (probed.round) {
                probed.round.ended(failure.map(why -> describe(probed.probe.httpGet(), why)));
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            synchronized (probed.round) {
                probed.round.ended(
                        Optional.of(describe(probed.probe.httpGet(), "the operator could not ask: " + e.getCause())));
            }
        }
    }

    private static String describe(HttpGetProbe asks, String why) {
        return "GET " + asks.scheme().name().toLowerCase(Locale.ROOT) + "://" + asks.host() + ":" + asks.port()
                + asks.path() + ": " + why;
    }
}
