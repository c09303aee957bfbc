package dev.quiver.controller.pool.probe;

import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.pool.probe.ProbeRound.Verdict;
import dev.quiver.controller.store.Follower;
import dev.quiver.crds.v1alpha1.ExecProbe;
import dev.quiver.crds.v1alpha1.HttpGetProbe;
import dev.quiver.crds.v1alpha1.PoolResource;
import dev.quiver.crds.v1alpha1.ResourceProbe;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.tree.FunctionProbe;

/**
 * The probes of all pools. Each look at a keyspace begins the requests that are due. It writes what the ended ones say,
 * where that differs from the last word in Redis. While Redis is away nothing is asked, and while the operator is away the
 * last word stays. Its memory may be lost. Thread-safe; {@link #poll} is for one thread at a time and keyspace.
 */
public final class ResourceProbes implements Follower {

    /** Requests under way at once, in all, and of one namespace, so that slow servers of one leave the others room. */
    private static final int MOST_AT_ONCE = 64;

    private static final int MOST_OF_NAMESPACE = 4;

    /** Calls that Redis is asked about at once. */
    private static final int MOST_ASKED = 1000;

    /** Characters of an address in a reason at most, so that the reason has room behind it. */
    private static final int ADDRESS = 120;

    private static final Logger log = LoggerFactory.getLogger(ResourceProbes.class);

    /** Closes and opens resources of a keyspace as the owner of probes. */
    public interface Gate {
        /** Says which resources of a pool are there, and answers those of which Redis did not take it: say it again. */
        Set<String> set(String pool, Map<String, Boolean> there);
    }

    /** The word in Redis since an announcement of the pool. */
    private record Told(long announcement, boolean there) {}

    private static final class Probed {
        private final ResourceProbe probe;
        /** The call of a function that has not ended. */
        private Optional<String> question = Optional.empty();

        private final ProbeRound round;
        private final Optional<ProbeTimes> times;
        private Optional<Told> told = Optional.empty();
        private volatile String why = "";
        /** Set when nobody waits for its requests any more. */
        private volatile boolean gone;

        private Probed(ResourceProbe probe) {
            this.probe = probe;
            this.round = new ProbeRound(probe);
            this.times = Optional.ofNullable(probe.schedule()).map(ProbeTimes::of);
        }

        private Optional<String> open() {
            synchronized (round) {
                return question;
            }
        }
    }

    /**
     * Functions of a keyspace at one look.
     *
     * @param over calls that have ended
     */
    private record Calls(FunctionProbe functions, Set<String> over) {}

    private record Pool(ResourceID id, String uid, Keyspace keyspace, Map<String, Probed> resources) {}

    private final Function<Keyspace, Gate> gates;
    private final Function<Keyspace, FunctionProbe> functions;
    private final Function<String, Optional<Long>> announcements;
    private final ProbeHosts hosts;
    private final HttpCheck http = new HttpCheck();
    private final Clock clock;
    private final Map<String, Pool> pools = new ConcurrentHashMap<>();
    /** Kept for as long as the operator leads: there are no more than namespaces. */
    private final Map<String, Semaphore> ofNamespace = new ConcurrentHashMap<>();

    private final Semaphore all = new Semaphore(MOST_AT_ONCE);
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private final List<Consumer<Collection<ResourceID>>> listeners = new CopyOnWriteArrayList<>();
    private final ExecutorService waiting = Executors.newVirtualThreadPerTaskExecutor();
    /** A name is looked up in native code, where a virtual thread would keep one of the few carriers. */
    private final ExecutorService asking = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("probe-", 0).factory());

    /**
     * Follows no pool yet.
     *
     * @param gates of a keyspace, under the leader's present term
     * @param functions of a keyspace's pools, likewise
     * @param announcements when a pool was last announced in Redis, by its uid; absent until it was
     * @param hosts that probes may ask
     */
    public ResourceProbes(
            Function<Keyspace, Gate> gates,
            Function<Keyspace, FunctionProbe> functions,
            Function<String, Optional<Long>> announcements,
            ProbeHosts hosts,
            Clock clock) {
        this.gates = gates;
        this.functions = functions;
        this.announcements = announcements;
        this.hosts = hosts;
        this.clock = clock;
    }

    /** Follows the probes of a pool from now on. One that is as before keeps what is known of it. Idempotent. */
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
        replace(
                uid,
                Optional.of(new Pool(ResourceID.fromResource(pool), uid, keyspace, now))
                        .filter(_ -> !now.isEmpty()));
    }

    /** Stops following a pool. */
    public void unfollow(String uid) {
        replace(uid, Optional.empty());
        refused.remove(uid);
    }

    /** Waits for what is being told of the pool as it was: so nothing is told any more of a probe that is gone. */
    private void replace(String uid, Optional<Pool> now) {
        Pool before = pools.get(uid);
        if (before == null) {
            now.ifPresent(pool -> pools.put(uid, pool));
            return;
        }
        synchronized (before) {
            now.ifPresentOrElse(pool -> pools.put(uid, pool), () -> pools.remove(uid));
        }
        Collection<Probed> kept = now.map(Pool::resources).orElse(Map.of()).values();
        before.resources().values().stream()
                .filter(probed -> !kept.contains(probed))
                .forEach(probed -> probed.gone = true);
    }

    /** Why resources of a pool are missing, by name; without those that their probes found, or have not looked at. */
    public Map<String, String> reasons(String uid) {
        return Optional.ofNullable(pools.get(uid))
                .map(pool -> pool.resources().entrySet().stream()
                        .filter(resource -> !resource.getValue().why.isEmpty())
                        .collect(Collectors.toMap(Map.Entry::getKey, resource -> resource.getValue().why)))
                .orElse(Map.of());
    }

    /** Called with pools of which other reasons are known. */
    public void onChange(Consumer<Collection<ResourceID>> listener) {
        listeners.add(listener);
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
        FunctionProbe functions = this.functions.apply(keyspace);
        Calls calls = new Calls(functions, over(functions, here));
        for (Pool pool : here) {
            announcements.apply(pool.uid()).ifPresent(announcement -> look(pool, announcement, gate, calls));
        }
    }

    /** The calls of these pools that have ended: a call to Redis for a thousand, whoever waits. */
    private static Set<String> over(FunctionProbe functions, List<Pool> here) {
        List<String> open = here.stream()
                .flatMap(pool -> pool.resources().values().stream())
                .flatMap(probed -> probed.open().stream())
                .toList();
        Set<String> over = new HashSet<>();
        for (int from = 0; from < open.size(); from += MOST_ASKED) {
            over.addAll(functions.over(open.subList(from, Math.min(open.size(), from + MOST_ASKED))));
        }
        return over;
    }

    private void look(Pool pool, long announcement, Gate gate, Calls calls) {
        Map<String, String> before = reasons(pool.uid());
        try {
            tellNews(pool, announcement, gate, calls);
        } finally {
            if (!before.equals(reasons(pool.uid()))) {
                listeners.forEach(listener -> listener.accept(List.of(pool.id())));
            }
        }
    }

    private void tellNews(Pool pool, long announcement, Gate gate, Calls calls) {
        Map<String, Told> news = new HashMap<>();
        for (Map.Entry<String, Probed> resource : pool.resources().entrySet()) {
            Probed probed = resource.getValue();
            Optional<Verdict> verdict = verdict(pool, resource.getKey(), probed, calls);
            if (verdict.isPresent()) {
                Told wanted = new Told(announcement, verdict.get().there());
                if (probed.told.filter(wanted::equals).isEmpty()) {
                    news.put(resource.getKey(), wanted);
                }
                probed.why = verdict.get().why();
            }
        }
        if (!news.isEmpty()) {
            synchronized (pool) {
                if (pools.get(pool.uid()) == pool) {
                    tell(pool, news, gate);
                }
            }
        }
    }

    /** A pool that Redis refuses for good, for a tenant may write its keys, hinders no other, and is told at the next look. */
    private void tell(Pool pool, Map<String, Told> news, Gate gate) {
        Map<String, Boolean> there = new HashMap<>();
        news.forEach((name, word) -> there.put(name, word.there()));
        try {
            Set<String> untold = gate.set(pool.id().getName(), there);
            news.forEach((name, word) -> {
                if (!untold.contains(name)) {
                    pool.resources().get(name).told = Optional.of(word);
                }
            });
            refused.remove(pool.uid());
        } catch (StoreException e) {
            complain(pool, forGood(e).orElseThrow(() -> e));
        }
    }

    private Optional<Verdict> verdict(Pool pool, String resource, Probed probed, Calls calls) {
        if (probed.times.isPresent()) {
            return Optional.of(probed.times.get().at(clock.instant()));
        }
        if (probed.probe.exec() != null) {
            return call(pool, resource, probed, calls);
        }
        HttpGetProbe asks = probed.probe.httpGet();
        if (asks == null) { // one of a later version
            return Optional.of(new Verdict(false, "its probe has none of httpGet, exec and schedule"));
        }
        String namespace = pool.keyspace().namespace();
        Optional<ProbeHosts.Target> target = hosts.target(asks.host(), namespace);
        if (target.isEmpty()) {
            return Optional.of(new Verdict(
                    false,
                    shortened(asks.host())
                            + " is no Service of this namespace that the operator may ask, and no host of"
                            + " its setting probeHosts"));
        }
        synchronized (probed.round) {
            if (probed.round.begin(clock.instant())) {
                Semaphore own = ofNamespace.computeIfAbsent(namespace, _ -> new Semaphore(MOST_OF_NAMESPACE));
                waiting.execute(() -> ask(probed, own, target.get()));
            }
            return probed.round.verdict();
        }
    }

    /**
     * Begins a call that is due, or reads how the last one ended. One that no worker took in time says nothing. The same
     * goes for one that Redis lost, or whose keys a tenant wrote: this hinders no other pool.
     */
    private Optional<Verdict> call(Pool pool, String resource, Probed probed, Calls calls) {
        ExecProbe what = probed.probe.exec();
        ProbeRound round = probed.round;
        synchronized (round) {
            try {
                if (probed.question.isEmpty() && !probed.gone && round.begin(clock.instant())) {
                    probed.question = Optional.of(calls.functions()
                            .ask(pool.id().getName(), resource, what.handler(), what.args(), probed.probe.timeout()));
                } else if (probed.question.filter(calls.over()::contains).isPresent()) {
                    FunctionProbe.Answer answer = calls.functions().answer(probed.question.get());
                    forget(probed);
                    if (answer.given()) {
                        round.ended(answer.failure().map(why -> what.handler() + ": " + why));
                    }
                }
            } catch (StoreException e) {
                Optional<StoreRefusedException> forGood = forGood(e);
                if (forGood.isPresent() || probed.question.isEmpty()) { // else it is read when Redis answers again
                    forget(probed);
                }
                complain(pool, forGood.orElseThrow(() -> e));
            } catch (IllegalArgumentException noTask) {
                round.ended(Optional.of(what.handler() + ": " + noTask.getMessage()));
            }
            return round.verdict();
        }
    }

    private static void forget(Probed probed) {
        probed.question = Optional.empty();
        probed.round.lost();
    }

    private static Optional<StoreRefusedException> forGood(StoreException e) {
        return e instanceof StoreRefusedException refusal && !refusal.passing()
                ? Optional.of(refusal)
                : Optional.empty();
    }

    private void complain(Pool pool, StoreRefusedException refusal) {
        if (refused.add(pool.uid())) {
            log.warn("Redis refuses the probes of WorkerPool {}: {}", pool.id(), refusal.getMessage());
        }
    }

    private void ask(Probed probed, Semaphore own, ProbeHosts.Target target) {
        Optional<String> failure;
        try {
            own.acquire();
            try {
                all.acquire();
                try {
                    if (probed.gone) {
                        return;
                    }
                    failure = asking.submit(() -> http.failure(probed.probe.httpGet(), target, probed.probe.timeout()))
                            .get();
                } finally {
                    all.release();
                }
            } finally {
                own.release();
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            return;
        } catch (ExecutionException | RuntimeException | OutOfMemoryError e) { // such as no memory for a thread
            failure = Optional.of("the operator could not ask: " + e);
        }
        synchronized (probed.round) {
            probed.round.ended(failure.map(why -> describe(probed.probe.httpGet(), why)));
        }
    }

    /** Without the query, which may have what is not for every reader of a status. */
    private static String describe(HttpGetProbe asks, String why) {
        String path = asks.path().replaceFirst("[?].*", "");
        return "GET "
                + shortened(
                        asks.scheme().name().toLowerCase(Locale.ROOT) + "://" + asks.host() + ":" + asks.port() + path)
                + ": " + why;
    }

    private static String shortened(String address) {
        return address.length() <= ADDRESS ? address : address.substring(0, ADDRESS) + "…";
    }
}
