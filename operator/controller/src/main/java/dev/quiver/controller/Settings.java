package dev.quiver.controller;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.client.utils.Serialization;

import dev.quiver.controller.leader.LeaseSettings;
import dev.quiver.controller.pool.podspec.HistoryEndpoint;
import dev.quiver.controller.pool.probe.ProbeHosts;
import dev.quiver.controller.run.RecordSettings;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.tenancy.Tenancy;

/**
 * Settings of the operator, from its environment. An invalid value is refused with the name of its variable.
 *
 * @param watched namespaces to serve; empty for all
 * @param redis directory with the operator's own endpoint
 * @param redisPolicy name of the NetworkPolicy that lets namespaces reach the chart's Redis; absent where there is none
 * @param tenancy how namespaces reach Redis
 * @param tenants with {@link Tenancy#SECRETS}: a directory for each namespace
 * @param grantedPrefixes the prefix of Redis keys that a namespace may share with other programs
 * @param history whether runs are recorded: then history gets its access to Redis, and namespaces their reader
 * @param packs where supervisors bring large results; absent where nobody takes them
 * @param historyToken file with the operator's own token for history; absent where it asks for nothing there
 * @param probeHosts servers that probes of resources may ask
 * @param workerImage image of supervisor and agent
 * @param pullPolicy of that image
 * @param supervisorResources of supervisors whose pool names none
 * @param statusWritesPerSecond the budget
 * @param storePatience how long a deletion waits for Redis
 * @param httpPort of health and metrics; 0 for any
 * @param lease the place of the Lease and the identity of this process
 */
public record Settings(
        List<String> watched,
        Path redis,
        Optional<String> redisPolicy,
        Tenancy tenancy,
        Optional<Path> tenants,
        Map<String, String> grantedPrefixes,
        boolean history,
        Optional<HistoryEndpoint> packs,
        Optional<Path> historyToken,
        ProbeHosts probeHosts,
        String workerImage,
        String pullPolicy,
        ResourceRequirements supervisorResources,
        int statusWritesPerSecond,
        Duration storePatience,
        int httpPort,
        LeaseSettings lease) {

    /** The image that belongs to this version, built on this machine: a public registry would serve a stranger's. */
    static final String DEFAULT_WORKER_IMAGE = "localhost/quiver/worker:0.1.0";

    /**
     * Reads the process' environment.
     *
     * @throws SettingsException naming a variable and its value when the value is invalid
     */
    public static Settings ofEnvironment(Map<String, String> environment) {
        Variables variables = new Variables(environment);
        String namespace = variables.text("QUIVER_NAMESPACE", "default");
        Tenancy tenancy = variables.parsed("QUIVER_TENANCY", "acl", Tenancy::of);
        Optional<Path> tenants = variables.optional("QUIVER_TENANTS_DIR").map(Path::of);
        if (tenancy == Tenancy.SECRETS && tenants.isEmpty()) {
            throw new SettingsException("QUIVER_TENANTS_DIR is not set, and QUIVER_TENANCY=secrets needs it");
        }
        return new Settings(
                watched(environment),
                Path.of(variables.text("QUIVER_REDIS_DIR", "/quiver/redis")),
                variables.optional("QUIVER_REDIS_POLICY"),
                tenancy,
                tenants,
                variables.parsed("QUIVER_GRANTED_PREFIXES", "{}", GrantedPrefixes::read),
                variables.parsed("QUIVER_HISTORY", "false", Settings::flag),
                variables.optional("QUIVER_HISTORY_URL").map(url -> packs(url, variables)),
                variables.optional("QUIVER_HISTORY_TOKEN").map(Path::of),
                variables.parsed("QUIVER_PROBE_HOSTS", "", ProbeHosts::read),
                variables.text("QUIVER_WORKER_IMAGE", DEFAULT_WORKER_IMAGE),
                variables.text("QUIVER_WORKER_IMAGE_PULL_POLICY", "IfNotPresent"),
                variables.parsed(
                        "QUIVER_SUPERVISOR_RESOURCES",
                        "{}",
                        json -> Serialization.unmarshal(json, ResourceRequirements.class)),
                variables.number("QUIVER_STATUS_WRITES_PER_SECOND", 50, 1, 10_000),
                Duration.ofSeconds(variables.number("QUIVER_STORE_PATIENCE_SECONDS", 60, 0, 3600)),
                variables.number("QUIVER_HTTP_PORT", 8080, 0, 65_535),
                new LeaseSettings(
                        namespace,
                        variables.text("QUIVER_LEASE_NAME", "quiver-operator"),
                        // A container that is started again in its pod is the same holder and need not wait.
                        variables.optional("QUIVER_POD_NAME").orElseGet(() -> "quiver-operator-" + UUID.randomUUID())));
    }

    private static HistoryEndpoint packs(String url, Variables variables) {
        if (!url.startsWith("https://")) {
            throw new SettingsException("QUIVER_HISTORY_URL=" + url + " must begin with https://");
        }
        return new HistoryEndpoint(url, variables.optional("QUIVER_HISTORY_CA").map(Path::of));
    }

    /** Where the record of earlier runs is asked for. */
    Optional<RecordSettings> record() {
        return packs.flatMap(history -> historyToken.map(
                token -> new RecordSettings(URI.create(history.address()), history.authorities(), token)));
    }

    private static boolean flag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("it must be true or false");
        };
    }

    /** The namespaces to serve; empty for all. */
    static List<String> watched(Map<String, String> environment) {
        return Stream.of(new Variables(environment)
                        .text("QUIVER_WATCH_NAMESPACES", "")
                        .split(","))
                .map(String::strip)
                .filter(n -> !n.isEmpty())
                .toList();
    }
}
