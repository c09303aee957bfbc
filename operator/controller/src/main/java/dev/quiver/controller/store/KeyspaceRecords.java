package dev.quiver.controller.store;

import java.net.HttpURLConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.kube.ServerSideApply;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.StoreFacts;

/**
 * Records of each keyspace as it was last observed, in ConfigMaps beside the operator: Redis cannot prove its own past.
 * They also list the work of the sweep: keyspaces, and pools whose keys could not be removed at their deletion. A
 * ConfigMap holds at most 1 MiB and tenants name keyspaces. So a full one is followed by the next, and a namespace has
 * a bounded number of records. No other class reads or writes these ConfigMaps. Thread-safe.
 */
public final class KeyspaceRecords {

    /** The first ConfigMap's name, in the operator's namespace; the others append -1, -2 and so on. */
    public static final String CONFIG_MAP = "quiver-store-beats";

    /** Records of one namespace at most: keyspaces, and pools that left keys. */
    public static final int NAMESPACE_RECORDS = RecordRoom.NAMESPACE_RECORDS;

    private static final Logger log = LoggerFactory.getLogger(KeyspaceRecords.class);
    /** A pool that is gone, whose keys are not. */
    public record OrphanedPool(Keyspace keyspace, String name, String uid) {}

    private final KubernetesClient client;
    private final String namespace;
    private final Set<OrphanedPool> orphans = ConcurrentHashMap.newKeySet();
    private final Map<Keyspace, StoreFacts> facts = new ConcurrentHashMap<>();
    private final RecordRoom room = new RecordRoom();
    private final Set<Integer> changed = ConcurrentHashMap.newKeySet();
    private volatile boolean loaded;

    /** Records kept in that namespace. */
    public KeyspaceRecords(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** Whether the records of the last leader were read. */
    public boolean loaded() {
        return loaded;
    }

    /** Reads the records of the last leader, once; newer ones of this process stay. */
    public synchronized void load() {
        if (loaded) {
            return;
        }
        for (int shard = 0; shard < RecordRoom.SHARDS; shard++) {
            int of = shard;
            ConfigMap map = client.configMaps()
                    .inNamespace(namespace)
                    .withName(name(shard))
                    .get();
            if (map != null && map.getData() != null) {
                map.getData().forEach((key, text) -> entry(of, key, text));
            }
        }
        loaded = true;
    }

    private static String name(int shard) {
        return shard == 0 ? CONFIG_MAP : CONFIG_MAP + "-" + shard;
    }

    /** The reason why a keyspace is not served; absent for one that is on record or can be. */
    public Optional<String> problem(Keyspace keyspace) {
        return admits(keyspace)
                ? Optional.empty()
                : Optional.of("namespace " + keyspace.namespace() + " has " + NAMESPACE_RECORDS
                        + " keyspaces, or all namespaces together " + RecordRoom.SHARDS * RecordRoom.SHARD_RECORDS
                        + ", and no more are served; " + keyspace.prefix() + " is one more.");
    }

    /** Whether a keyspace is on record or can be: a namespace gets no records beyond its bound. */
    boolean admits(Keyspace keyspace) {
        return facts.containsKey(keyspace) || room.admits(keyspace.namespace());
    }

    private void entry(int shard, String key, String text) {
        boolean understood;
        try {
            understood = read(shard, key, text);
        } catch (IllegalArgumentException e) {
            understood = false;
        }
        if (!understood) {
            log.warn("ConfigMap {}: key {} makes no sense and is left out: {}", CONFIG_MAP, key, text);
        }
    }

    /**
     * False for an entry that is not ours.
     *
     * @throws IllegalArgumentException for an entry that names no keyspace
     */
    private boolean read(int shard, String key, String text) {
        Optional<OrphanedPool> orphan = RecordText.orphan(key, text);
        Optional<StoreFacts> kept = RecordText.facts(text);
        if (orphan.isPresent()) {
            orphans.add(orphan.get());
        } else if (kept.isPresent()) {
            Keyspace keyspace = RecordText.keyspace(key);
            if (facts.putIfAbsent(keyspace, kept.get()) == null) {
                room.add(keyspace.namespace());
            }
        } else {
            return false;
        }
        room.found(key, shard);
        return true;
    }

    /** Records a pool whose keys stay, at once: its resource is about to go. */
    public void addOrphan(OrphanedPool pool) {
        long ofNamespace = orphans.stream()
                .filter(other ->
                        other.keyspace().namespace().equals(pool.keyspace().namespace()))
                .count();
        if (ofNamespace >= NAMESPACE_RECORDS) {
            log.warn(
                    "the keys of pool {} in {} stay: {} pools of this namespace have left theirs",
                    pool.name(),
                    pool.keyspace().prefix(),
                    ofNamespace);
            return;
        }
        OptionalInt shard = room.place(RecordText.key(pool));
        if (shard.isPresent() && orphans.add(pool)) {
            changed.add(shard.getAsInt());
        }
        flush();
    }

    /** Pools that are gone, whose keys are not. */
    public Set<OrphanedPool> orphans() {
        return Set.copyOf(orphans);
    }

    /** Forgets such a pool: its keys are gone. */
    public void removeOrphan(OrphanedPool pool) {
        if (orphans.remove(pool)) {
            room.free(RecordText.key(pool)).ifPresent(changed::add);
        }
    }

    /** The last record of a keyspace. */
    public Optional<StoreFacts> of(Keyspace keyspace) {
        return Optional.ofNullable(facts.get(keyspace));
    }

    /** Every keyspace on record. */
    public Set<Keyspace> keyspaces() {
        return Set.copyOf(facts.keySet());
    }

    /** Keeps a record, which {@link #flush} writes; ignores a keyspace that is not admitted. */
    public void keep(Keyspace keyspace, StoreFacts seen) {
        OptionalInt shard = admits(keyspace) ? room.place(RecordText.key(keyspace)) : OptionalInt.empty();
        if (shard.isEmpty()) {
            return;
        }
        StoreFacts before = facts.put(keyspace, seen);
        if (before == null) {
            room.add(keyspace.namespace());
        }
        if (!seen.equals(before)) {
            changed.add(shard.getAsInt());
        }
    }

    /** Forgets a keyspace without keys of ours. */
    public void forget(Keyspace keyspace) {
        if (facts.remove(keyspace) != null) {
            room.remove(keyspace.namespace());
            room.free(RecordText.key(keyspace)).ifPresent(changed::add);
        }
    }

    /**
     * Writes the changed records: one request for each ConfigMap with a change. Each is written whole, so the records
     * of the last leader are read before.
     */
    public synchronized void flush() {
        if (changed.isEmpty()) {
            return;
        }
        load();
        for (int shard : Set.copyOf(changed)) {
            changed.remove(shard);
            write(shard);
        }
    }

    private void write(int shard) {
        Map<String, String> data = new HashMap<>();
        facts.forEach((keyspace, seen) -> data.put(RecordText.key(keyspace), RecordText.of(seen)));
        orphans.forEach(pool -> data.put(RecordText.key(pool), pool.uid()));
        data.keySet().removeIf(key -> !room.isIn(key, shard));
        ConfigMap map = new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name(shard))
                .withNamespace(namespace)
                .addToLabels(Quiver.MANAGED_BY_LABEL, Quiver.MANAGED_BY)
                .endMetadata()
                .withData(data)
                .build();
        try {
            client.resource(map).patch(ServerSideApply.FORCED);
        } catch (KubernetesClientException e) {
            changed.add(shard);
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }
}
