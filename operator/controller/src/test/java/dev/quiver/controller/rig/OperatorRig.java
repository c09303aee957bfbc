package dev.quiver.controller.rig;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import dev.quiver.controller.QuiverOperator;
import dev.quiver.controller.Settings;
import dev.quiver.controller.kube.LeanObjects;
import dev.quiver.controller.leader.LeaseSettings;
import dev.quiver.controller.pool.podspec.HistoryEndpoint;
import dev.quiver.controller.pool.probe.ProbeHosts;
import dev.quiver.controller.run.RecordSettings;
import dev.quiver.controller.store.StoreLoop.Rates;
import dev.quiver.controller.tenancy.Tenancy;

/**
 * A real operator in this JVM, with the rights that DESIGN.md names and no other. It works over one namespace of a
 * real API server and one real Redis.
 */
public final class OperatorRig implements AutoCloseable {

    /** A beat each 200 ms, a sweep each second. */
    public static final Rates QUICK = new Rates(Duration.ofMillis(50), 4, 8, 4, 20);

    /** How often an operator of this rig lost its Lease. */
    public final AtomicInteger lost = new AtomicInteger();

    private final KubernetesClient client;
    private final Settings settings;
    private final Rates rates;
    private Optional<QuiverOperator> running = Optional.empty();
    private PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private OperatorRig(KubernetesClient client, Settings settings, Rates rates) {
        this.client = client;
        this.settings = settings;
        this.rates = rates;
    }

    /** Not started yet. */
    public static OperatorRig of(Config cluster, String namespace, String redisUri) {
        return of(cluster, namespace, redisUri, Rates.USUAL);
    }

    /** Asking Redis that often. */
    public static OperatorRig of(Config cluster, String namespace, String redisUri, Rates rates) {
        return of(cluster, namespace, redisUri, "op-" + UUID.randomUUID(), rates);
    }

    /** As that holder of the Lease. */
    public static OperatorRig of(Config cluster, String namespace, String redisUri, String identity) {
        return of(cluster, namespace, redisUri, identity, Rates.USUAL);
    }

    /** Over several namespaces; it lives in the first. */
    public static OperatorRig over(Config cluster, List<String> namespaces, String redisUri) {
        return of(
                cluster,
                namespaces,
                redisUri,
                "op-" + UUID.randomUUID(),
                Rates.USUAL,
                Tenancy.ACL,
                Optional.empty(),
                Map.of());
    }

    /** Whose namespace was granted a prefix of Redis keys. */
    public static OperatorRig withPrefix(Config cluster, String namespace, String redisUri, String prefix) {
        return of(
                cluster,
                List.of(namespace),
                redisUri,
                "op-" + UUID.randomUUID(),
                Rates.USUAL,
                Tenancy.ACL,
                Optional.empty(),
                Map.of(namespace, prefix));
    }

    /** That asks history for earlier runs. */
    public static OperatorRig withRecord(Config cluster, String namespace, String redisUri, RecordSettings record) {
        return of(
                cluster,
                List.of(namespace),
                redisUri,
                "op-" + UUID.randomUUID(),
                Rates.USUAL,
                Tenancy.ACL,
                Optional.empty(),
                Map.of(),
                Optional.of(record));
    }

    /** Whose namespaces get the Secrets that lie in a directory, and no users. */
    public static OperatorRig withTenants(Config cluster, String namespace, String redisUri, Path tenants) {
        return of(
                cluster,
                List.of(namespace),
                redisUri,
                "op-" + UUID.randomUUID(),
                Rates.USUAL,
                Tenancy.SECRETS,
                Optional.of(tenants),
                Map.of());
    }

    private static OperatorRig of(Config cluster, String namespace, String redisUri, String identity, Rates rates) {
        return of(cluster, List.of(namespace), redisUri, identity, rates, Tenancy.ACL, Optional.empty(), Map.of());
    }

    private static OperatorRig of(
            Config cluster,
            List<String> namespaces,
            String redisUri,
            String identity,
            Rates rates,
            Tenancy tenancy,
            Optional<Path> tenants,
            Map<String, String> prefixes) {
        return of(cluster, namespaces, redisUri, identity, rates, tenancy, tenants, prefixes, Optional.empty());
    }

    private static OperatorRig of(
            Config cluster,
            List<String> namespaces,
            String redisUri,
            String identity,
            Rates rates,
            Tenancy tenancy,
            Optional<Path> tenants,
            Map<String, String> prefixes,
            Optional<RecordSettings> record) {
        String namespace = namespaces.getFirst();
        return new OperatorRig(
                new KubernetesClientBuilder()
                        .withConfig(Rights.grant(cluster, namespace))
                        .withKubernetesSerialization(LeanObjects.serialization())
                        .build(),
                new Settings(
                        namespaces,
                        endpointDirectory(redisUri),
                        Optional.empty(),
                        tenancy,
                        tenants,
                        prefixes,
                        true,
                        Optional.of(record.map(
                                        its -> new HistoryEndpoint(its.address().toString(), its.authorities()))
                                .orElseGet(() ->
                                        new HistoryEndpoint("https://history.system.svc:8443", Optional.empty()))),
                        record.map(RecordSettings::token),
                        new ProbeHosts(true, List.of("127.0.0.1")),
                        "quiver/worker:test",
                        "IfNotPresent",
                        new ResourceRequirements(),
                        50,
                        Duration.ofSeconds(3),
                        0,
                        new LeaseSettings(namespace, "quiver-operator", identity)),
                rates);
    }

    /** Starts an operator. */
    public OperatorRig start() {
        try {
            metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            QuiverOperator operator = new QuiverOperator(settings, client, metrics, lost::incrementAndGet, rates);
            running = Optional.of(operator);
            operator.start();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The one that runs. */
    public QuiverOperator operator() {
        return running.orElseThrow();
    }

    /** The text that Prometheus reads of the one that runs. */
    public String metrics() {
        return metrics.scrape();
    }

    /** Ends it as TERM does. */
    public void stop() {
        running.ifPresent(QuiverOperator::close);
        running = Optional.empty();
    }

    @Override
    public void close() {
        stop();
        client.close();
        try (Stream<Path> endpoint = Files.walk(settings.redis())) {
            endpoint.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path endpointDirectory(String uri) {
        try {
            Path directory = Files.createTempDirectory("quiver-endpoint");
            Files.writeString(directory.resolve("uri"), uri);
            Files.writeString(directory.resolve("mode"), "standalone");
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
