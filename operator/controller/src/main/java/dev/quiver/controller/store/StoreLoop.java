package dev.quiver.controller.store;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.ApiRefusal;
import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.StaleLeaderException;
import dev.quiver.lifecycle.StoreException;
import dev.quiver.lifecycle.StoreRefusedException;

/**
 * The leader's clock: asks Redis at a few fixed rates, all keyspaces of one question at once. One thread; what it does
 * for a keyspace runs on virtual threads, and it waits for them before the next question.
 */
public final class StoreLoop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(StoreLoop.class);

    /** After its last pool and run are gone, a keyspace is still reaped for a while: workers may end without a word. */
    private static final int LINGER_TICKS = 240;

    /**
     * How often it asks what, all but the first in ticks.
     *
     * @param tick between two questions of what changed
     * @param look how Redis is, and the reaper
     * @param roster who works where, and whether the keyspaces are what they were
     * @param beat by which a rewound keyspace is told
     * @param sweep for keys without an owner: a deletion may have given Redis up in the moment when it came back
     */
    public record Rates(Duration tick, int look, int roster, int beat, int sweep) {
        /** 250 ms, 1 s, 2 s, 10 s, 5 min. */
        public static final Rates USUAL = new Rates(Duration.ofMillis(250), 4, 8, 40, 1200);
    }

    /**
     * What the loop drives.
     *
     * @param stale told when Redis has seen a later leader
     */
    public record Parts(
            Store store,
            Runs runs,
            Rosters rosters,
            KeyspaceWatch watch,
            KeptFacts facts,
            Sweep sweep,
            Consumer<StaleLeaderException> stale) {}

    private final Parts parts;
    private final Rates rates;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("store-loop").factory());
    private final ExecutorService hands = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<Keyspace, Long> lastUse = new HashMap<>();
    /** Every keyspace that was in use in this process' time: what is kept beside Redis knows it only after a look. */
    private final Set<Keyspace> seen = ConcurrentHashMap.newKeySet();
    /** What is still to be swept; a keyspace that did not answer stays. */
    private final Set<Keyspace> unswept = ConcurrentHashMap.newKeySet();

    /** Refusals that were logged: a call that is repeated each second is told of once. */
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    private volatile boolean sweepDue;
    private long ticks;

    /** Does nothing before {@link #start}. */
    public StoreLoop(Parts parts, Rates rates) {
        this.parts = parts;
        this.rates = rates;
        parts.store().onUp(() -> sweepDue = true);
        parts.store().onUp(said::clear);
        parts.store().onJudged(this::judged);
    }

    private void judged(Keyspace keyspace) {
        if (parts.store().state(keyspace).up()) {
            said.removeIf(line -> line.startsWith(keyspace.prefix()));
        }
    }

    /** Begins; what the last leader kept is read first. */
    public void start() {
        clock.scheduleWithFixedDelay(this::tick, 0, rates.tick().toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Without it a keyspace that came back with an older past would be taken for what it is now. */
    private boolean remembers() {
        if (parts.facts().loaded()) {
            return true;
        }
        if (ticks % rates.look() != 0) {
            return false;
        }
        try {
            parts.facts().load();
            return true;
        } catch (KubernetesClientException e) {
            if (ticks % rates.beat() == 0) {
                log.warn(
                        "ConfigMap {} cannot be read; until then no loss of Redis is noticed and nothing swept: {}",
                        KeptFacts.CONFIG_MAP,
                        ApiRefusal.words(e));
            }
            return false;
        }
    }

    private void tick() {
        try {
            if (ticks % rates.look() == 0) {
                parts.store().look();
            }
            Collection<Keyspace> withPools = parts.rosters().keyspaces();
            Set<Keyspace> inUse = new HashSet<>(parts.runs().keyspaces());
            inUse.addAll(withPools);
            seen.addAll(inUse);
            if (parts.store().state().up()) {
                ask(withPools, inUse);
            }
        } catch (RuntimeException e) {
            log.error("the store loop failed and goes on", e);
        } finally {
            ticks++;
        }
    }

    private void ask(Collection<Keyspace> withPools, Set<Keyspace> inUse) {
        boolean remembers = remembers();
        if (remembers) {
            compare(withPools, inUse);
        }
        if (ticks % rates.roster() == 0) {
            forEach(withPools, parts.rosters()::poll);
        }
        forEach(parts.runs().keyspaces(), parts.runs()::poll);
        if (ticks % rates.look() == 0) {
            inUse.forEach(keyspace -> lastUse.put(keyspace, ticks));
            lastUse.values().removeIf(last -> ticks - last > LINGER_TICKS);
            forEach(lastUse.keySet(), keyspace -> parts.store().reaper(keyspace).tick());
        }
        if (remembers && ticks % rates.beat() == 0) {
            forEach(inUse, parts.watch()::beat);
            flush();
        }
    }

    /** All that depends on what was kept beside Redis. */
    private void compare(Collection<Keyspace> withPools, Set<Keyspace> inUse) {
        if (sweepDue || ticks % rates.sweep() == 0) {
            sweepDue = false;
            unswept.addAll(parts.facts().keyspaces());
            parts.facts().left().forEach(pool -> unswept.add(pool.keyspace()));
            unswept.addAll(seen);
            sweepPools();
        }
        if (ticks % rates.look() == 0) {
            forEach(List.copyOf(unswept), keyspace -> {
                if (!withPools.contains(keyspace)) {
                    parts.sweep().user(keyspace);
                }
                sweep(keyspace, inUse.contains(keyspace));
            });
        }
        if (ticks % rates.roster() == 0) {
            forEach(inUse, this::look);
        }
    }

    private void look(Keyspace keyspace) {
        try {
            parts.watch().look(keyspace);
            parts.store().accepted(keyspace);
        } catch (StoreRefusedException no) {
            if (!no.passing()) {
                parts.store().refused(keyspace, no);
            }
        }
    }

    private void sweep(Keyspace keyspace, boolean inUse) {
        boolean empty = parts.sweep().of(keyspace);
        if (empty && !inUse && parts.store().health(keyspace).retire()) {
            parts.facts().forget(keyspace);
            seen.remove(keyspace);
        }
        unswept.remove(keyspace);
    }

    private void sweepPools() {
        for (KeptFacts.LeftPool pool : parts.facts().left()) {
            forEach(List.of(pool.keyspace()), keyspace -> {
                parts.store().pools(keyspace).drop(pool.name(), pool.uid());
                parts.facts().removed(pool);
            });
        }
    }

    private void flush() {
        try {
            parts.facts().flush();
        } catch (KubernetesClientException e) {
            log.warn("what is known of the keyspaces could not be kept: {}", ApiRefusal.words(e));
        }
    }

    private void forEach(Collection<Keyspace> keyspaces, Consumer<Keyspace> question) {
        Map<Keyspace, Future<?>> asked = new HashMap<>();
        keyspaces.forEach(keyspace -> asked.put(keyspace, hands.submit(() -> question.accept(keyspace))));
        asked.forEach(this::await);
    }

    private void await(Keyspace keyspace, Future<?> answer) {
        try {
            answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case StaleLeaderException stale -> parts.stale().accept(stale);
                case StoreRefusedException no
                when !no.passing() -> {
                    if (said.add(keyspace.prefix() + " " + no.getMessage())) {
                        log.warn("Redis refuses in keyspace {} {}", keyspace.prefix(), no.getMessage());
                    }
                }
                // The next look says so, once, and in every condition.
                case StoreException away -> log.debug("keyspace {}", keyspace.prefix(), away);
                case KubernetesClientException api ->
                    log.warn(
                            "keyspace {}: the API server did not answer: {}", keyspace.prefix(), ApiRefusal.words(api));
                case null, default -> log.error("keyspace {}", keyspace.prefix(), e.getCause());
            }
        }
    }

    /** Ends it; what is under way is given two seconds. */
    @Override
    public void close() {
        clock.shutdownNow();
        hands.shutdownNow();
        try {
            clock.awaitTermination(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
