package dev.quiver.controller;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.core.metrics.Info;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.http.ProbeServer;
import dev.quiver.controller.http.ReconcileMetrics;
import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.controller.kube.LeanObjects;
import dev.quiver.controller.kube.ServerSideApply;
import dev.quiver.controller.leader.LeaseLoss;
import dev.quiver.controller.leader.LeaseRelease;
import dev.quiver.controller.leader.LeaseTerm;
import dev.quiver.controller.store.StoreLoop;
import dev.quiver.http.Answer;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;

/**
 * One operator, from its start to its end. {@link #start} fills the caches and asks for the Lease. Reconcilers and the
 * loop act only while this process holds the Lease. When the Lease is lost, {@code onLeaseLost} is run once to end the
 * process.
 */
public final class QuiverOperator implements AutoCloseable {

    /** The finalizer of every resource that has keys in Redis. */
    public static final String FINALIZER = "quiver.dev/keys";

    private static final Logger log = LoggerFactory.getLogger(QuiverOperator.class);
    /** A request to the API server times out after 10 s: on a busy machine two in a row must not end the leader. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final Duration RENEW = Duration.ofSeconds(24);
    private static final Duration RETRY = Duration.ofSeconds(2);
    private static final int RECONCILER_THREADS = 16;

    private final Settings settings;
    private final KubernetesClient client;
    private final Wiring wiring;
    private final LeaseTerm term;
    private final StoreLoop loop;
    private final Operator operator;
    private final ProbeServer probes;
    private final Runnable onLeaseLost;
    private final AtomicBoolean ending = new AtomicBoolean();
    private volatile boolean started;
    private volatile boolean leading;

    /**
     * Wires everything; only the probe server runs yet.
     *
     * @param onLeaseLost run once, from any thread, when this process must not lead any longer
     */
    public QuiverOperator(
            Settings settings, KubernetesClient client, PrometheusMeterRegistry metrics, Runnable onLeaseLost)
            throws IOException {
        this(settings, client, metrics, onLeaseLost, StoreLoop.Rates.USUAL);
    }

    /** With other rates than the usual, for tests that cannot wait five minutes. */
    public QuiverOperator(
            Settings settings,
            KubernetesClient client,
            PrometheusMeterRegistry metrics,
            Runnable onLeaseLost,
            StoreLoop.Rates rates)
            throws IOException {
        this.settings = settings;
        this.client = client;
        this.onLeaseLost = onLeaseLost;
        this.term = new LeaseTerm(client, settings.lease());
        this.wiring = Wiring.of(settings, client, metrics, term, this::stale, Clock.systemUTC());
        this.loop = new StoreLoop(wiring.loop(), rates);
        this.operator = new Operator(configuration -> configuration
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .checkingCRDAndValidateLocalModel(false)
                .withStopOnInformerErrorDuringStartup(false)
                .withParseResourceVersions(true)
                .withUseSSAToPatchPrimaryResource(true)
                .withConcurrentReconciliationThreads(RECONCILER_THREADS)
                .withReconciliationTerminationTimeout(Duration.ofSeconds(5))
                .withMetrics(new ReconcileMetrics(metrics))
                .withInformerStoppedHandler((informer, cause) -> informerStopped(cause))
                .withLeaderElectionConfiguration(election()));
        wiring.reconcilers().forEach(this::register);
        gauges(metrics);
        this.probes = ProbeServer.open(settings.httpPort(), checks(), metrics);
    }

    /** Fills the caches and asks for the Lease. Throws when the API server cannot be used. */
    public void start() {
        operator.start();
        started = true;
        log.info("started as {}; http on port {}", settings.lease().identity(), probes.port());
    }

    /** The port of health and metrics. */
    public int httpPort() {
        return probes.port();
    }

    /** Whether this process leads. */
    public boolean leading() {
        return leading;
    }

    /** Ends the running work and gives the Lease back. Idempotent. */
    @Override
    public void close() {
        boolean held = leading;
        ending.set(true);
        leading = false;
        loop.close();
        operator.stop();
        if (held) {
            new LeaseRelease(client, settings.lease()).run();
        }
        wiring.loop().store().admin().close();
        probes.close();
    }

    private void gauges(PrometheusMeterRegistry metrics) {
        Gauge.builder("quiver.leader", this, it -> it.leading ? 1 : 0)
                .description("Whether this process leads")
                .register(metrics);
        Gauge.builder("quiver.leader.term", this, it -> it.leading ? it.term.getAsLong() : 0)
                .description("Number of this leadership")
                .register(metrics);
        // Micrometer keeps the end _info for itself.
        Info.builder()
                .name("quiver_build_info")
                .help("Versions of this operator and of the worker image that it puts into pods")
                .labelNames("version", "worker_image")
                .register(metrics.getPrometheusRegistry())
                .setLabelValues(Main.version(), settings.workerImage());
    }

    private <R extends HasMetadata> void register(Reconciler<R> reconciler) {
        operator.register(reconciler, this::configure);
    }

    private <R extends HasMetadata> void configure(ControllerConfigurationOverrider<R> configuration) {
        configuration
                .withFinalizer(FINALIZER)
                .withFieldManager(ServerSideApply.FIELD_MANAGER)
                .withInformerListLimit(LeanObjects.PAGE)
                .withRetry(new GenericRetry()
                        .setMaxAttempts(-1)
                        .setInitialInterval(1000)
                        .setIntervalMultiplier(2)
                        .setMaxInterval(60_000));
        if (!settings.watched().isEmpty()) {
            configuration.settingNamespaces(Set.copyOf(settings.watched()));
        }
    }

    private LeaderElectionConfiguration election() {
        return new LeaderElectionConfiguration(
                settings.lease().name(),
                settings.lease().namespace(),
                LEASE,
                RENEW,
                RETRY,
                settings.lease().identity(),
                new LeaderCallbacks(this::lead, this::lose, leader -> {}),
                false);
    }

    private void lead() {
        try {
            if (!term.begin()) {
                lose();
                return;
            }
        } catch (KubernetesClientException e) {
            resign("the leader's term cannot be kept: " + ApiRefusal.message(e));
            return;
        }
        leading = true;
        log.info("leading, term {}", term.getAsLong());
        loop.start();
    }

    /** The Lease is another's, or could not be renewed in time. */
    private void lose() {
        if (ending.get()) {
            return;
        }
        leading = false;
        loop.close();
        resign(new LeaseLoss(client, settings.lease(), RENEW).reason());
    }

    private void resign(String why) {
        leading = false;
        if (ending.compareAndSet(false, true)) {
            log.error("this process must not lead any longer and ends: {}", why);
            loop.close();
            onLeaseLost.run();
        }
    }

    /** Without its informer a kind would not be served, and nobody would notice. */
    private void informerStopped(Throwable cause) {
        if (cause != null && started) {
            log.error("an informer has stopped", cause);
            resign("an informer has stopped: " + cause.getMessage());
        }
    }

    /**
     * Handles a keyspace that has seen a higher term. A process that no longer holds the Lease resigns. If it still
     * holds the Lease, no leader can have written that term, and only that keyspace is refused.
     */
    private void stale(StaleLeaderException e) {
        log.warn("{}", e.getMessage());
        try {
            if (!term.holds()) {
                lose();
            } else if (e.own() == term.getAsLong()) {
                wiring.loop().watch().retake(e);
            }
        } catch (KubernetesClientException away) {
            log.warn("the holder of the Lease cannot be read: {}", ApiRefusal.message(away));
        }
    }

    private ProbeServer.Checks checks() {
        return new ProbeServer.Checks(
                () -> Answer.of(started, started ? "started" : "the caches are being filled"),
                () -> Answer.of(started && !ending.get(), leading ? "leading" : "standing by"),
                () -> Answer.of(!ending.get() || !started, ending.get() ? "ending" : "alive"));
    }
}
