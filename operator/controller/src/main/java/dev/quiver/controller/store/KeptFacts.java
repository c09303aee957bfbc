package dev.quiver.controller.store;

import java.net.HttpURLConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.status.StatusWriter;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.StoreFacts;

/**
 * What was last seen of each keyspace, kept in a ConfigMap beside the operator: Redis cannot be the witness of its own
 * past. It is also the list of what the sweep looks through: keyspaces, and pools whose keys could not be removed when
 * they were deleted. Thread-safe.
 */
public final class KeptFacts {

    /** The ConfigMap's name, in the operator's namespace. */
    public static final String CONFIG_MAP = "quiver-store-beats";

    private static final Logger log = LoggerFactory.getLogger(KeptFacts.class);
    private static final String LEFT = "left.";
    /** epoch, beat, and the run id of the server where it was known. */
    private static final Pattern FACTS = Pattern.compile("(\\S+) (\\d{1,18})(?: (\\S+))?");
    /** left.keyspace.pool: a keyspace's key has no dot, a pool's name may have. */
    private static final Pattern LEFT_KEY = Pattern.compile("left\\.([^.]+)\\.(.+)");

    /** A pool that is gone while its keys are not. */
    public record LeftPool(Keyspace keyspace, String name, String uid) {}

    private final KubernetesClient client;
    private final String namespace;
    private final Set<LeftPool> left = ConcurrentHashMap.newKeySet();
    private final Map<Keyspace, StoreFacts> facts = new ConcurrentHashMap<>();
    private final AtomicBoolean changed = new AtomicBoolean();
    private volatile boolean loaded;

    /** Kept in that namespace. */
    public KeptFacts(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** Whether what the last leader kept is known. */
    public boolean loaded() {
        return loaded;
    }

    /** Reads what the last leader kept, once; what was noted since is newer and stays. */
    public synchronized void load() {
        if (loaded) {
            return;
        }
        ConfigMap map =
                client.configMaps().inNamespace(namespace).withName(CONFIG_MAP).get();
        if (map != null && map.getData() != null) {
            map.getData().forEach(this::entry);
        }
        loaded = true;
    }

    private void entry(String key, String text) {
        boolean understood;
        try {
            understood = read(key, text);
        } catch (IllegalArgumentException e) {
            understood = false;
        }
        if (!understood) {
            log.warn("ConfigMap {}: key {} makes no sense and is left out: {}", CONFIG_MAP, key, text);
        }
    }

    /**
     * False where it is no entry of ours.
     *
     * @throws IllegalArgumentException where it names no keyspace
     */
    private boolean read(String key, String text) {
        Matcher leftKey = LEFT_KEY.matcher(key);
        Matcher seen = FACTS.matcher(text);
        if (leftKey.matches()) {
            left.add(new LeftPool(keyspace(leftKey.group(1)), leftKey.group(2), text));
            return true;
        }
        if (seen.matches()) {
            facts.putIfAbsent(
                    keyspace(key),
                    new StoreFacts(seen.group(1), Long.parseLong(seen.group(2)), Optional.ofNullable(seen.group(3))));
            return true;
        }
        return false;
    }

    /** Notes a pool whose keys are left, at once: nobody else knows of it when its resource is gone. */
    public void leave(LeftPool pool) {
        if (left.add(pool)) {
            changed.set(true);
        }
        flush();
    }

    /** The pools whose keys are left. */
    public Set<LeftPool> left() {
        return Set.copyOf(left);
    }

    /** Its keys are gone. */
    public void removed(LeftPool pool) {
        if (left.remove(pool)) {
            changed.set(true);
        }
    }

    /** What was last seen of a keyspace. */
    public Optional<StoreFacts> of(Keyspace keyspace) {
        return Optional.ofNullable(facts.get(keyspace));
    }

    /** Every keyspace ever seen and not yet empty. */
    public Set<Keyspace> keyspaces() {
        return Set.copyOf(facts.keySet());
    }

    /** Notes what is there now; on record after {@link #flush}. */
    public void keep(Keyspace keyspace, StoreFacts seen) {
        if (!seen.equals(facts.put(keyspace, seen))) {
            changed.set(true);
        }
    }

    /** No longer known: nothing of ours is left there. */
    public void forget(Keyspace keyspace) {
        if (facts.remove(keyspace) != null) {
            changed.set(true);
        }
    }

    /**
     * Writes what changed since the last time: one request or none. The map is written whole, so what was kept before is
     * read first where it is not known yet.
     */
    public synchronized void flush() {
        if (!changed.get()) {
            return;
        }
        load();
        changed.set(false);
        Map<String, String> data = facts.entrySet().stream()
                .collect(Collectors.toMap(e -> key(e.getKey()), e -> text(e.getValue()), (a, b) -> a, HashMap::new));
        left.forEach(pool -> data.put(LEFT + key(pool.keyspace()) + "." + pool.name(), pool.uid()));
        ConfigMap map = new ConfigMapBuilder()
                .withNewMetadata()
                .withName(CONFIG_MAP)
                .withNamespace(namespace)
                .addToLabels(Quiver.MANAGED_BY_LABEL, Quiver.MANAGED_BY)
                .endMetadata()
                .withData(data)
                .build();
        try {
            client.resource(map).patch(StatusWriter.APPLY);
        } catch (KubernetesClientException e) {
            changed.set(true);
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }

    /** {@code quiver:{team/nightly}:} is kept under {@code team_nightly}: a namespace has no underscore. */
    static String key(Keyspace keyspace) {
        String prefix = keyspace.prefix();
        return prefix.substring("quiver:{".length(), prefix.length() - "}:".length())
                .replace('/', '_');
    }

    static Keyspace keyspace(String key) {
        return new Keyspace("quiver:{" + key.replace('_', '/') + "}:");
    }

    private static String text(StoreFacts seen) {
        return seen.epoch() + " " + seen.beat()
                + seen.runId().map(id -> " " + id).orElse("");
    }
}
