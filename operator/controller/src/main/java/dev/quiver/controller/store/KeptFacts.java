package dev.quiver.controller.store;

import java.net.HttpURLConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

import dev.quiver.controller.status.StatusWriter;
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

    private static final PatchContext APPLY = new PatchContext.Builder()
            .withPatchType(PatchType.SERVER_SIDE_APPLY)
            .withFieldManager(StatusWriter.FIELD_MANAGER)
            .withForce(true)
            .build();

    private static final String LEFT = "left.";

    /** A pool that is gone while its keys are not. */
    public record LeftPool(Keyspace keyspace, String name, String uid) {}

    private final KubernetesClient client;
    private final String namespace;
    private final Set<LeftPool> left = ConcurrentHashMap.newKeySet();
    private final Map<Keyspace, StoreFacts> facts = new ConcurrentHashMap<>();
    private volatile boolean changed;

    /** Kept in that namespace. */
    public KeptFacts(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** Reads what the last leader kept. */
    public void load() {
        ConfigMap map =
                client.configMaps().inNamespace(namespace).withName(CONFIG_MAP).get();
        facts.clear();
        if (map != null && map.getData() != null) {
            map.getData().forEach(this::read);
        }
    }

    private void read(String key, String text) {
        if (key.startsWith(LEFT)) {
            // left.<keyspace>.<pool>: a keyspace's key has no dot, a pool's name may have.
            int dot = key.indexOf('.', LEFT.length());
            left.add(new LeftPool(keyspace(key.substring(LEFT.length(), dot)), key.substring(dot + 1), text));
        } else {
            facts.put(keyspace(key), parse(text));
        }
    }

    /** Notes a pool whose keys are left, at once: nobody else knows of it when its resource is gone. */
    public void leave(LeftPool pool) {
        changed |= left.add(pool);
        flush();
    }

    /** The pools whose keys are left. */
    public Set<LeftPool> left() {
        return Set.copyOf(left);
    }

    /** Its keys are gone. */
    public void removed(LeftPool pool) {
        changed |= left.remove(pool);
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
        changed |= !seen.equals(facts.put(keyspace, seen));
    }

    /** No longer known: nothing of ours is left there. */
    public void forget(Keyspace keyspace) {
        changed |= facts.remove(keyspace) != null;
    }

    /** Writes what changed since the last time: one request or none. */
    public void flush() {
        if (!changed) {
            return;
        }
        changed = false;
        Map<String, String> data = facts.entrySet().stream()
                .collect(Collectors.toMap(e -> key(e.getKey()), e -> text(e.getValue()), (a, b) -> a, HashMap::new));
        left.forEach(pool -> data.put(LEFT + key(pool.keyspace()) + "." + pool.name(), pool.uid()));
        ConfigMap map = new ConfigMapBuilder()
                .withNewMetadata()
                .withName(CONFIG_MAP)
                .withNamespace(namespace)
                .addToLabels("app.kubernetes.io/managed-by", "quiver")
                .endMetadata()
                .withData(data)
                .build();
        try {
            client.resource(map).patch(APPLY);
        } catch (KubernetesClientException e) {
            changed = true;
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

    private static StoreFacts parse(String text) {
        String[] words = text.split(" ");
        return new StoreFacts(
                words[0], Long.parseLong(words[1]), words.length > 2 ? Optional.of(words[2]) : Optional.empty());
    }
}
