package dev.quiver.supervisor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.http.Answer;
import dev.quiver.http.HttpEndpoint;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.slots.Geometry;
import dev.quiver.supervisor.engine.DrainCause;
import dev.quiver.supervisor.engine.Engine;
import dev.quiver.supervisor.engine.EngineSettings;
import dev.quiver.supervisor.engine.session.ResultPacks;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.SlotExecutor;
import dev.quiver.supervisor.metrics.SupervisorMetrics;
import dev.quiver.supervisor.packs.HistoryDoor;
import dev.quiver.supervisor.packs.PackSpool;

/**
 * The supervisor's side of one worker pod, put together: slots, engine, probes. Needs Redis' address to start, not
 * Redis.
 */
final class Pod implements AutoCloseable {

    /** The kubelet reports the end of a container within about two seconds. */
    private static final Duration LOSS_PATIENCE = Duration.ofSeconds(4);

    private static final Logger LOG = LoggerFactory.getLogger(Pod.class);
    /** The engine's time beyond the patience before it gives up, and a little. */
    private static final Duration BEYOND_PATIENCE = Duration.ofSeconds(12);
    /** How often a changed Secret is looked for while Redis refuses. */
    private static final Duration LOOK_AT_SECRET = Duration.ofSeconds(5);

    /** The pool's uid follows: other pods of the cluster reach this port, and must not end work with a guess. */
    static final String DRAIN = "/drain/";

    private final Settings settings;
    private final SlotExecutor slots;
    private final RedisEndpoint endpoint;
    private final RedisStore store;
    private final Optional<PackSpool> packs;
    private final Engine engine;
    private final HttpEndpoint http;
    private volatile boolean outdated;

    private Pod(Settings settings) throws IOException {
        this.settings = settings;
        slots = SlotExecutor.open(
                settings.inDirectory(),
                settings.outDirectory(),
                settings.wholeDirectory(),
                new Geometry(settings.slots(), settings.inputBytes(), settings.outputBytes()),
                settings.podName());
        endpoint = RedisEndpoint.read(settings.redisDirectory());
        store = RedisStore.open(endpoint, settings.podName(), Lifecycle.LIBRARY);
        Lifecycle lifecycle = new Lifecycle(store);
        Keyspace keyspace = new Keyspace(settings.keyspacePrefix());
        packs = settings.history().isPresent()
                ? Optional.of(new PackSpool(new HistoryDoor(settings.history().get(), keyspace)))
                : Optional.empty();
        engine = new Engine(
                lifecycle.sessions(keyspace),
                lifecycle.reaper(keyspace),
                slots,
                engineSettings(settings, slots),
                new StoreTrouble(),
                packs.isPresent() ? packs.get() : ResultPacks.NONE);
        SupervisorMetrics metrics = new SupervisorMetrics();
        metrics.watch(engine);
        packs.ifPresent(metrics::watch);
        http = HttpEndpoint.listen(
                settings.httpAddress(),
                Map.of(
                        "/started",
                        () -> Answer.yes("the volumes are laid out"),
                        "/ready",
                        () -> Probes.ready(engine.status()),
                        "/live",
                        () -> Probes.live(engine.status()),
                        DRAIN + settings.poolUid(),
                        () -> drain(DrainCause.PRE_STOP),
                        "/metrics",
                        () -> new Answer(200, SupervisorMetrics.CONTENT_TYPE, metrics.scrape())));
        engine.start();
        LOG.info(
                "pod {} of pool {}: {} slots, probes at {}, Redis is {}",
                settings.podName(),
                settings.pool(),
                settings.slots(),
                http.address(),
                endpoint);
    }

    /**
     * Lays out the volumes, answers probes and begins to look for work.
     *
     * @throws IOException when the port cannot be bound or the Secret with Redis' address is not there
     */
    static Pod start(Settings settings) throws IOException {
        return new Pod(settings);
    }

    private static EngineSettings engineSettings(Settings settings, SlotExecutor slots) {
        WorkerIdentity worker = new WorkerIdentity(
                settings.pool(),
                settings.poolUid(),
                settings.podName(),
                settings.podUid(),
                settings.node(),
                settings.slots());
        return new EngineSettings(
                worker,
                settings.drain(),
                LOSS_PATIENCE,
                () -> SlotLogs.behind(WorkerLog.ofThisProcess(), slots.slots(), slots::log));
    }

    InetSocketAddress address() {
        return http.address();
    }

    /** Drains and waits for the end of it, at most as long as the settings allow. */
    Answer drain(DrainCause cause) {
        Duration limit = settings.drain().plus(BEYOND_PATIENCE);
        try {
            engine.drain(cause).get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return Answer.yes("drained");
        } catch (TimeoutException | ExecutionException late) {
            return Answer.no("not drained in " + limit.toSeconds() + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.no("interrupted");
        }
    }

    /**
     * Waits until this process has no reason to go on. Its pool is gone and drained, the engine broke, or Redis refuses
     * the credentials of the start and the Secret has others by now.
     */
    void awaitEnd() throws InterruptedException {
        while (!engine.awaitEnd(LOOK_AT_SECRET)) {
            if (engine.status().storeTrouble().isPresent() && addressChanged()) {
                LOG.warn("Redis has another address or password now: this process starts anew with it");
                outdated = true;
                return;
            }
        }
    }

    private boolean addressChanged() {
        try {
            return !RedisEndpoint.read(settings.redisDirectory()).equals(endpoint);
        } catch (IOException e) {
            return false;
        }
    }

    /** Drains if there is a Redis to tell, and closes everything. */
    void end() {
        if (!outdated) {
            drain(DrainCause.TERMINATED);
        }
        LastWords.of(engine.status()).ifPresent(words -> LastWords.leave(words, LastWords.KUBELETS));
        close();
    }

    /** Whether it ended because it could not go on. */
    boolean faulty() {
        return outdated || LastWords.of(engine.status()).isPresent();
    }

    @Override
    public void close() {
        engine.close();
        packs.ifPresent(PackSpool::close);
        http.close();
        slots.close();
        store.close();
    }
}
