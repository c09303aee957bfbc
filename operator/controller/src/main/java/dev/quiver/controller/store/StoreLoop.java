package dev.quiver.controller.store;

import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.controller.store.KeyspaceRound.Question;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/**
 * The leader's clock: asks Redis at a few fixed rates. One thread starts the questions that are due. It looks at Redis
 * as a whole, within the bounds of {@link StoreWatch#look}, and waits for nothing else. Each keyspace is asked on a thread
 * of its own ({@link KeyspaceRound}), and so is the API server. A keyspace whose round still runs is skipped. A
 * keyspace that refused or did not answer is asked less often.
 */
public final class StoreLoop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(StoreLoop.class);

    /**
     * The rate of each question, all but the first in ticks.
     *
     * @param tick between two questions for changed runs
     * @param look at the state of Redis; the reaper; the work and the workers of pools that follow their work
     * @param registry of the other workers; also shows an emptied or rewound keyspace
     * @param beat shows a rewound keyspace; the figures of pools
     * @param sweep for keys without an owner. A deletion may have given Redis up in the moment when Redis came back
     */
    public record Rates(Duration tick, int look, int registry, int beat, int sweep) {
        /** 250 ms, 1 s, 2 s, 10 s, 5 min. */
        public static final Rates USUAL = new Rates(Duration.ofMillis(250), 4, 8, 40, 1200);
    }

    /**
     * The parts that the loop calls.
     *
     * @param probes of resources of pools
     * @param resources of pools
     * @param users removes the Redis user of a namespace that has no pool any more
     * @param upkeep the requests to the API server, about once a second on one thread at a time: the Leases of
     *     namespaces, and history's access to Redis
     * @param stale called when Redis has seen a later leader
     */
    public record Parts(
            Store store,
            Follower runs,
            WorkerRegistries registries,
            PoolLoads loads,
            PoolQueues queues,
            Follower probes,
            Follower resources,
            KeyspaceWatch watch,
            KeyspaceRecords records,
            Sweep sweep,
            Consumer<String> users,
            Runnable upkeep,
            Consumer<StaleLeaderException> stale) {}

    private final Parts parts;
    private final Rates rates;
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("store-loop").factory());
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final BackgroundAct records = new BackgroundAct(StoreLoop::recordsFailed);
    private final BackgroundAct upkeep =
            new BackgroundAct(e -> log.error("Leases of namespaces, or history's access to Redis", e));
    private final Map<Keyspace, KeyspaceRound> rounds = new HashMap<>();
    private final KeyspaceUse use = new KeyspaceUse();
    private final PendingSweeps sweeps;
    private volatile boolean sweepDue;
    /** Keyspaces with pools that follow their work. */
    private Collection<Keyspace> followed = Set.of();

    private boolean recordsWereLoaded;
    private boolean lookNow;
    private long ticks;

    /** Does nothing before {@link #start}. */
    public StoreLoop(Parts parts, Rates rates) {
        this.parts = parts;
        this.rates = rates;
        this.sweeps = new PendingSweeps(parts, use);
        parts.store().watch().onUp(() -> sweepDue = true);
    }

    /** Begins; the records of the last leader are read first. */
    public void start() {
        scheduler.scheduleWithFixedDelay(this::tick, 0, rates.tick().toMillis(), TimeUnit.MILLISECONDS);
    }

    private void tick() {
        try {
            if (every(rates.look())) {
                parts.store().watch().look();
                upkeep.begin(parts.upkeep()); // while Redis is away as well
            }
            Set<Keyspace> refused = new HashSet<>();
            use.set(
                    served(parts.registries().keyspaces(), refused),
                    served(parts.runs().keyspaces(), refused));
            parts.store().rooms().keyspaces(use.used().size());
            parts.store().backlogs().forgetBut(use.used());
            sweeps.seen(use.used());
            boolean recordsLoaded = recordsLoaded();
            lookNow = recordsLoaded && !recordsWereLoaded || every(rates.registry());
            recordsWereLoaded = recordsLoaded;
            if (parts.store().watch().state().up()) {
                ask(recordsLoaded);
            }
            refused.addAll(asked());
            parts.store().keyspaces().forgetBut(refused);
            if (recordsLoaded && every(rates.beat())) {
                records.begin(parts.records()::flush);
            }
        } catch (RuntimeException e) {
            if (!scheduler.isShutdown()) {
                log.error("the store loop failed and goes on", e);
            }
        } finally {
            ticks++;
        }
    }

    /** The keyspaces that are served. The others are not asked; only their refusal is remembered. */
    private Set<Keyspace> served(Collection<Keyspace> named, Set<Keyspace> refused) {
        Set<Keyspace> served = new HashSet<>();
        for (Keyspace keyspace : named) {
            Optional<String> problem = parts.records().problem(keyspace);
            if (problem.isEmpty()) {
                served.add(keyspace);
            } else {
                refused.add(keyspace);
                parts.store()
                        .keyspaces()
                        .refused(
                                keyspace,
                                new StoreRefusedException(StoreRefusedException.Kind.OTHER, problem.get(), null));
            }
        }
        return served;
    }

    private boolean every(int rate) {
        return ticks % rate == 0;
    }

    /** Without records a keyspace that came back with an older past would pass as unchanged. */
    private boolean recordsLoaded() {
        if (parts.records().loaded()) {
            return true;
        }
        if (every(rates.look())) {
            records.begin(parts.records()::load);
        }
        return false;
    }

    private static void recordsFailed(RuntimeException e) {
        if (e instanceof KubernetesClientException refused) {
            log.warn(
                    "ConfigMap {} cannot be read or written; without it no loss of Redis is noticed and nothing swept: {}",
                    KeyspaceRecords.CONFIG_MAP,
                    ApiRefusal.message(refused));
        } else {
            log.error("ConfigMap {}", KeyspaceRecords.CONFIG_MAP, e);
        }
    }

    /** The keyspaces that are asked anything. */
    private Set<Keyspace> asked() {
        Set<Keyspace> asked = new HashSet<>(use.lingering());
        asked.addAll(use.used());
        asked.addAll(sweeps.keyspaces());
        return asked;
    }

    private void ask(boolean recordsLoaded) {
        if (recordsLoaded && (sweepDue || every(rates.sweep()))) {
            sweepDue = false;
            sweeps.begin();
            executor.submit(() -> parts.store()
                    .calls()
                    .tryRun(() -> parts.store()
                            .admin()
                            .dropOldFunctions(parts.registries().libraries())));
        }
        if (every(rates.look())) {
            use.note(ticks);
        }
        followed = parts.loads().keyspaces();
        Set<Keyspace> asked = asked();
        rounds.keySet().retainAll(asked);
        for (Keyspace keyspace : asked) {
            KeyspaceRound round = rounds.computeIfAbsent(keyspace, first -> new KeyspaceRound(first, parts, this::ask));
            dueNow(keyspace, recordsLoaded).forEach(round::due);
            if (!round.failed() || every(rates.registry())) {
                round.begin().ifPresent(questions -> executor.submit(() -> round.run(questions)));
            }
        }
    }

    private Set<Question> dueNow(Keyspace keyspace, boolean recordsLoaded) {
        Set<Question> due = EnumSet.noneOf(Question.class);
        boolean used = use.isUsed(keyspace);
        if (recordsLoaded && used && lookNow) {
            due.add(Question.LOOK);
        }
        boolean follows = followed.contains(keyspace);
        if (use.hasPools(keyspace) && every(follows ? rates.look() : rates.registry())) {
            due.add(Question.PROBES);
            due.add(Question.REGISTRY);
        }
        if (follows && every(rates.look())) {
            due.add(Question.LOAD);
        }
        if (use.hasPools(keyspace) && every(rates.beat())) {
            due.add(Question.QUEUES);
        }
        if (use.hasRuns(keyspace)) {
            due.add(Question.RUNS);
        }
        if (use.lingering().contains(keyspace) && every(rates.look())) {
            due.add(Question.REAP);
        }
        if (recordsLoaded && used && every(rates.beat())) {
            due.add(Question.BEAT);
        }
        if (recordsLoaded && sweeps.keyspaces().contains(keyspace) && every(rates.look())) {
            due.add(Question.SWEEP);
        }
        return due;
    }

    private void ask(Question question, Keyspace keyspace) {
        switch (question) {
            case LOOK -> {
                parts.watch().look(keyspace);
                parts.store().backlogs().look(keyspace);
            }
            case PROBES -> parts.probes().poll(keyspace);
            case REGISTRY -> {
                parts.registries().poll(keyspace);
                parts.resources().poll(keyspace);
            }
            case LOAD -> parts.loads().poll(keyspace);
            case QUEUES -> parts.queues().poll(keyspace);
            case RUNS -> parts.runs().poll(keyspace);
            case REAP -> parts.store().controls().reaper(keyspace).tick();
            case BEAT -> parts.watch().beat(keyspace);
            case SWEEP -> sweeps.sweep(keyspace);
        }
    }

    /** Ends the loop; running calls get two seconds. */
    @Override
    public void close() {
        scheduler.shutdownNow();
        executor.shutdownNow();
        records.close();
        upkeep.close();
        try {
            scheduler.awaitTermination(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
