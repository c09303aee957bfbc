package dev.quiver.controller.store;

import java.net.HttpURLConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    /** ConfigMaps at most: the operator's rights name each. */
    static final int SHARDS = 8;

    /** Records of one ConfigMap: each takes less than 250 bytes, unless its names have the greatest length. */
    static final int SHARD_RECORDS = 2500;

    /** Records of one namespace at most: keyspaces, and pools that left keys. */
    public static final int NAMESPACE_RECORDS = 64;

    private static final Logger log = LoggerFactory.getLogger(KeyspaceRecords.class);
    private static final String LEFT = "left.";
    /** epoch, beat, and the run id of the server where it was known. */
    private static final Pattern FACTS = Pattern.compile("(\\S+) (\\d{1,18})(?: (\\S+))?");
    /** left.keyspace.pool: a keyspace's key has no dot, a pool's name may have. */
    private static final Pattern LEFT_KEY = Pattern.compile("left\\.([^.]+)\\.(.+)");

    /** A pool that is gone, whose keys are not. */
    public record OrphanedPool(Keyspace keyspace, String name, String uid) {}

    private final KubernetesClient client;
    private final String namespace;
    private final Set<OrphanedPool> orphans = ConcurrentHashMap.newKeySet();
    private final Map<Keyspace, StoreFacts> facts = new ConcurrentHashMap<>();
    /** Which ConfigMap has a record, by its key there. */
    private final Map<String, Integer> shardOf = new HashMap<>();

    private final int[] recordsIn = new int[SHARDS];
    private final Map<String, Integer> keyspacesOf = new HashMap<>();
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
        for (int shard = 0; shard < SHARDS; shard++) {
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

    /** The ConfigMap of a record; a new one gets the first with room. Negative when there is none. */
    private int shard(String key, int wanted) {
        synchronized (shardOf) {
            Integer known = shardOf.get(key);
            if (known != null) {
                return known;
            }
            for (int shard = Math.max(0, wanted); shard < SHARDS; shard++) {
                if (wanted >= 0 || recordsIn[shard] < SHARD_RECORDS) {
                    shardOf.put(key, shard);
                    recordsIn[shard]++;
                    return shard;
                }
            }
            return -1;
        }
    }

    private void unshard(String key) {
        synchronized (shardOf) {
            Integer shard = shardOf.remove(key);
            if (shard != null) {
                recordsIn[shard]--;
                changed.add(shard);
            }
        }
    }

    /** The reason why a keyspace is not served; absent for one that is on record or can be. */
    public Optional<String> problem(Keyspace keyspace) {
        return admits(keyspace)
                ? Optional.empty()
                : Optional.of("namespace " + keyspace.namespace() + " has " + NAMESPACE_RECORDS
                        + " keyspaces, or all namespaces together " + SHARDS * SHARD_RECORDS
                        + ", and no more are served; " + keyspace.prefix() + " is one more.");
    }

    /** Whether a keyspace is on record or can be: a namespace gets no records beyond its bound. */
    boolean admits(Keyspace keyspace) {
        if (facts.containsKey(keyspace)) {
            return true;
        }
        synchronized (shardOf) {
            boolean room = false;
            for (int records : recordsIn) {
                room |= records < SHARD_RECORDS;
            }
            return room && keyspacesOf.getOrDefault(keyspace.namespace(), 0) < NAMESPACE_RECORDS;
        }
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
        Matcher leftKey = LEFT_KEY.matcher(key);
        Matcher seen = FACTS.matcher(text);
        if (leftKey.matches()) {
            orphans.add(new OrphanedPool(keyspace(leftKey.group(1)), leftKey.group(2), text));
            shard(key, shard);
            return true;
        }
        if (seen.matches()) {
            Keyspace keyspace = keyspace(key);
            StoreFacts kept =
                    new StoreFacts(seen.group(1), Long.parseLong(seen.group(2)), Optional.ofNullable(seen.group(3)));
            if (facts.putIfAbsent(keyspace, kept) == null) {
                count(keyspace, 1);
            }
            shard(key, shard);
            return true;
        }
        return false;
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
        int shard = shard(key(pool), -1);
        if (shard >= 0 && orphans.add(pool)) {
            changed.add(shard);
        }
        flush();
    }

    private static String key(OrphanedPool pool) {
        return LEFT + key(pool.keyspace()) + "." + pool.name();
    }

    private void count(Keyspace keyspace, int more) {
        synchronized (shardOf) {
            keyspacesOf.merge(keyspace.namespace(), more, (a, b) -> a + b == 0 ? null : Integer.valueOf(a + b));
        }
    }

    /** Pools that are gone, whose keys are not. */
    public Set<OrphanedPool> orphans() {
        return Set.copyOf(orphans);
    }

    /** Forgets such a pool: its keys are gone. */
    public void removeOrphan(OrphanedPool pool) {
        if (orphans.remove(pool)) {
            unshard(key(pool));
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
        int shard = admits(keyspace) ? shard(key(keyspace), -1) : -1;
        if (shard < 0) {
            return;
        }
        StoreFacts before = facts.put(keyspace, seen);
        if (before == null) {
            count(keyspace, 1);
        }
        if (!seen.equals(before)) {
            changed.add(shard);
        }
    }

    /** Forgets a keyspace without keys of ours. */
    public void forget(Keyspace keyspace) {
        if (facts.remove(keyspace) != null) {
            count(keyspace, -1);
            unshard(key(keyspace));
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
        facts.forEach((keyspace, seen) -> data.put(key(keyspace), text(seen)));
        orphans.forEach(pool -> data.put(key(pool), pool.uid()));
        synchronized (shardOf) {
            data.keySet().removeIf(key -> !Integer.valueOf(shard).equals(shardOf.get(key)));
        }
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
