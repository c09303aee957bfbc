package dev.quiver.history.persist;

import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.kube.ApiServerException;
import dev.quiver.history.kube.KubernetesApi;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * The keyspaces that the operator has on record: the keys of its ConfigMaps, each a keyspace with {@code _} for a slash.
 * Read every ten seconds. While the API server is away the last known ones stay. Used by one thread.
 */
public final class KeyspaceNames implements Supplier<Collection<Keyspace>> {

    /** ConfigMaps of a server's records: the first has the name, the others append -1 to -7. */
    static final int SHARDS = 8;

    private static final Logger LOG = LoggerFactory.getLogger(KeyspaceNames.class);
    private static final Duration LOOK = Duration.ofSeconds(10);
    /** A pool that left keys is on record there, too. */
    private static final String LEFT = "left.";
    /** Epoch and beat, and what a newer operator appends. */
    private static final Pattern RECORD = Pattern.compile("\\S+ \\d{1,18}( .*)?", Pattern.DOTALL);

    private final KubernetesApi api;
    private final String namespace;
    private final List<String> names;
    private final Clock clock;
    private Set<Keyspace> known = Set.of();
    private long nextLook = Long.MIN_VALUE;
    private boolean away;

    /**
     * Asks nothing yet.
     *
     * @param namespace of the operator
     * @param names of the first ConfigMap of each server
     */
    public KeyspaceNames(KubernetesApi api, String namespace, List<String> names, Clock clock) {
        this.api = api;
        this.namespace = namespace;
        this.names = List.copyOf(names);
        this.clock = clock;
    }

    @Override
    public Collection<Keyspace> get() {
        if (clock.millis() >= nextLook) {
            nextLook = clock.millis() + LOOK.toMillis();
            try {
                known = read();
                away = false;
            } catch (ApiServerException e) {
                if (!away) {
                    LOG.warn("keyspaces stay as they were: {}", e.getMessage());
                }
                away = true;
            }
        }
        return known;
    }

    private Set<Keyspace> read() {
        Set<Keyspace> found = new LinkedHashSet<>();
        for (String name : names) {
            for (int shard = 0; shard < SHARDS; shard++) {
                Optional<JsonNode> map = api.get(
                        "/api/v1/namespaces/" + namespace + "/configmaps/" + (shard == 0 ? name : name + "-" + shard));
                if (map.isPresent()) {
                    map.get()
                            .path("data")
                            .properties()
                            .forEach(record -> of(
                                            record.getKey(), record.getValue().asText())
                                    .ifPresent(found::add));
                }
            }
        }
        return found;
    }

    static Optional<Keyspace> of(String key, String text) {
        if (key.startsWith(LEFT) || key.startsWith(".") || !RECORD.matcher(text).matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Keyspace("quiver:{" + key.replace('_', '/') + "}:"));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
