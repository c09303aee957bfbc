package dev.quiver.history;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import dev.quiver.history.store.RetentionPolicy;

/**
 * How the program is set up.
 *
 * @param kubernetes the API server, which decides who may read
 * @param account folder with the token of this pod and the authority of the API server
 * @param redis folder of the mounted Secret {@code quiver-redis}
 * @param namespace of the operator
 * @param keyspaces names of the operator's ConfigMaps with its keyspaces, the first one of each server
 * @param database {@code jdbc:postgresql://…}, or the path of a SQLite file
 * @param user of PostgreSQL
 * @param password of PostgreSQL
 * @param ports on which it listens
 * @param pod its own, for Events; absent: it writes none
 * @param emptyDir whether the database is on a volume that ends with the pod
 * @param retention of every namespace
 * @param maxBytes of all namespaces together
 */
public record HistorySettings(
        URI kubernetes,
        Path account,
        Path redis,
        String namespace,
        List<String> keyspaces,
        String database,
        String user,
        String password,
        Ports ports,
        Optional<Pod> pod,
        boolean emptyDir,
        RetentionPolicy retention,
        long maxBytes) {

    private static final int MOST_PORT = 65_535;

    /**
     * Where it listens.
     *
     * @param http of loopback alone, for API and page
     * @param tls of all addresses, for the API
     * @param certificate folder with {@code tls.crt} and {@code tls.key}; without it nothing listens on {@code tls}
     * @param probe of all addresses, for probes and metrics
     */
    public record Ports(int http, int tls, Optional<Path> certificate, int probe) {}

    /** A pod in the program's namespace. */
    public record Pod(String name, String uid) {}

    private static final String ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

    /**
     * Reads the settings from the environment.
     *
     * <ul>
     *   <li>API server: KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and QUIVER_KUBERNETES_DIR (for tests).
     *   <li>Redis: QUIVER_REDIS_DIR and QUIVER_HISTORY_KEYSPACES (folders, with commas between).
     *   <li>Database: QUIVER_HISTORY_DATABASE, QUIVER_HISTORY_USER, QUIVER_HISTORY_PASSWORD and
     *       QUIVER_HISTORY_EMPTY_DIR.
     *   <li>Ports: QUIVER_HTTP_PORT, QUIVER_PROBE_PORT and QUIVER_HISTORY_TLS_PORT with QUIVER_HISTORY_TLS_DIR.
     *   <li>Pod: QUIVER_POD_NAME and QUIVER_POD_UID.
     *   <li>Retention: QUIVER_HISTORY_DAYS, QUIVER_HISTORY_RUNS, QUIVER_HISTORY_OUTPUT_DAYS and
     *       QUIVER_HISTORY_MAX_BYTES.
     * </ul>
     *
     * @throws IllegalArgumentException names the variable that is missing or makes no sense
     */
    public static HistorySettings of(Map<String, String> environment) {
        RetentionPolicy usual = RetentionPolicy.DEFAULT;
        return new HistorySettings(
                kubernetes(environment),
                Path.of(environment.getOrDefault("QUIVER_KUBERNETES_DIR", ACCOUNT)),
                Path.of(required(environment, "QUIVER_REDIS_DIR")),
                required(environment, "QUIVER_NAMESPACE"),
                List.of(environment
                        .getOrDefault("QUIVER_HISTORY_KEYSPACES", "quiver-store-beats")
                        .split(",")),
                required(environment, "QUIVER_HISTORY_DATABASE"),
                environment.getOrDefault("QUIVER_HISTORY_USER", ""),
                environment.getOrDefault("QUIVER_HISTORY_PASSWORD", ""),
                new Ports(
                        port(environment, "QUIVER_HTTP_PORT", 8080),
                        port(environment, "QUIVER_HISTORY_TLS_PORT", 8443),
                        Optional.ofNullable(environment.get("QUIVER_HISTORY_TLS_DIR"))
                                .filter(folder -> !folder.isEmpty())
                                .map(Path::of),
                        port(environment, "QUIVER_PROBE_PORT", 8081)),
                pod(environment),
                emptyDir(environment),
                new RetentionPolicy(
                        number(environment, "QUIVER_HISTORY_DAYS", java.time.Duration::ofDays)
                                .orElse(usual.age()),
                        number(environment, "QUIVER_HISTORY_RUNS", Math::toIntExact)
                                .orElse(usual.runsOfClass()),
                        number(environment, "QUIVER_HISTORY_OUTPUT_DAYS", java.time.Duration::ofDays)
                                .orElse(usual.outputAge())),
                number(environment, "QUIVER_HISTORY_MAX_BYTES", bytes -> bytes).orElse(Long.MAX_VALUE));
    }

    /** Bytes that a record without a bound is to have room for. */
    private static final long LEAST_BYTES = 1L << 30;

    /** Bytes that the volume is to have room for, or people are told. */
    public long wantedBytes() {
        return maxBytes == Long.MAX_VALUE ? LEAST_BYTES : maxBytes;
    }

    /** Bytes of a SQLite file at most: the bound of all namespaces, and half of it for indexes and for what is removed. */
    public long fileBytes() {
        return maxBytes > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : maxBytes + maxBytes / 2;
    }

    private static Optional<Pod> pod(Map<String, String> environment) {
        String name = environment.getOrDefault("QUIVER_POD_NAME", "");
        return name.isEmpty()
                ? Optional.empty()
                : Optional.of(new Pod(name, environment.getOrDefault("QUIVER_POD_UID", "")));
    }

    private static int port(Map<String, String> environment, String name, int usual) {
        long port = number(environment, name, value -> value).orElse((long) usual);
        if (port < 1 || port > MOST_PORT) {
            throw new IllegalArgumentException(name + " is no port: " + port);
        }
        return (int) port;
    }

    private static boolean emptyDir(Map<String, String> environment) {
        String word = environment.getOrDefault("QUIVER_HISTORY_EMPTY_DIR", "");
        return switch (word) {
            case "true" -> true;
            case "false", "" -> false;
            default ->
                throw new IllegalArgumentException("QUIVER_HISTORY_EMPTY_DIR is neither true nor false: " + word);
        };
    }

    private static URI kubernetes(Map<String, String> environment) {
        String host = required(environment, "KUBERNETES_SERVICE_HOST");
        String port = required(environment, "KUBERNETES_SERVICE_PORT");
        return URI.create("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    }

    private static String required(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name))
                .filter(value -> !value.isEmpty())
                .orElseThrow(() -> new IllegalArgumentException(name + " is not set"));
    }

    private static <T> Optional<T> number(Map<String, String> environment, String name, Function<Long, T> as) {
        try {
            return Optional.ofNullable(environment.get(name))
                    .filter(value -> !value.isEmpty())
                    .map(Long::parseLong)
                    .map(as);
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw new IllegalArgumentException(name + " is no number: " + environment.get(name), e);
        }
    }
}
