package dev.quiver.history;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import dev.quiver.history.store.RetentionPolicy;

/**
 * How the program is set up.
 *
 * @param redis folder of the mounted Secret {@code quiver-redis}
 * @param keyspaces folders of the mounted ConfigMaps in which the operator keeps the keyspaces
 * @param database {@code jdbc:postgresql://…}, or the path of a SQLite file
 * @param user of PostgreSQL
 * @param password of PostgreSQL
 * @param port of loopback on which the API listens
 * @param retention of every namespace
 * @param maxBytes of all namespaces together
 */
public record HistorySettings(
        Path redis,
        List<Path> keyspaces,
        String database,
        String user,
        String password,
        int port,
        RetentionPolicy retention,
        long maxBytes) {

    private static final String PORT = "8080";

    /**
     * Reads QUIVER_REDIS_DIR, QUIVER_HISTORY_KEYSPACES (folders, with commas between), QUIVER_HISTORY_DATABASE,
     * QUIVER_HISTORY_USER, QUIVER_HISTORY_PASSWORD, QUIVER_HTTP_PORT, QUIVER_HISTORY_DAYS, QUIVER_HISTORY_RUNS,
     * QUIVER_HISTORY_OUTPUT_DAYS and QUIVER_HISTORY_MAX_BYTES.
     *
     * @throws IllegalArgumentException names the variable that is missing or makes no sense
     */
    public static HistorySettings of(Map<String, String> environment) {
        RetentionPolicy usual = RetentionPolicy.DEFAULT;
        return new HistorySettings(
                Path.of(required(environment, "QUIVER_REDIS_DIR")),
                Arrays.stream(required(environment, "QUIVER_HISTORY_KEYSPACES").split(","))
                        .map(Path::of)
                        .toList(),
                required(environment, "QUIVER_HISTORY_DATABASE"),
                environment.getOrDefault("QUIVER_HISTORY_USER", ""),
                environment.getOrDefault("QUIVER_HISTORY_PASSWORD", ""),
                Integer.parseInt(environment.getOrDefault("QUIVER_HTTP_PORT", PORT)),
                new RetentionPolicy(
                        number(environment, "QUIVER_HISTORY_DAYS", java.time.Duration::ofDays)
                                .orElse(usual.age()),
                        number(environment, "QUIVER_HISTORY_RUNS", Math::toIntExact)
                                .orElse(usual.runsOfClass()),
                        number(environment, "QUIVER_HISTORY_OUTPUT_DAYS", java.time.Duration::ofDays)
                                .orElse(usual.outputAge()),
                        usual.maxBytes()),
                number(environment, "QUIVER_HISTORY_MAX_BYTES", bytes -> bytes).orElse(Long.MAX_VALUE));
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
