package dev.quiver.controller.store;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The bounded room that the records of {@link KeyspaceRecords} have: which of the ConfigMaps holds a record, and how many
 * keyspaces a namespace has on record. A full ConfigMap is followed by the next. Thread-safe.
 */
final class RecordRoom {

    /** ConfigMaps at most: the operator's rights name each. */
    static final int SHARDS = 8;

    /** Records of one ConfigMap: each takes less than 250 bytes, unless its names have the greatest length. */
    static final int SHARD_RECORDS = 2500;

    /** Records of one namespace at most: keyspaces, and pools that left keys. */
    static final int NAMESPACE_RECORDS = 64;

    private final Map<String, Integer> shardOf = new HashMap<>();
    private final int[] recordsIn = new int[SHARDS];
    private final Map<String, Integer> keyspacesOf = new HashMap<>();

    /** The ConfigMap of a record, by its key there; a new one gets the first with room. Absent when there is none. */
    synchronized OptionalInt place(String key) {
        Integer known = shardOf.get(key);
        if (known != null) {
            return OptionalInt.of(known);
        }
        for (int shard = 0; shard < SHARDS; shard++) {
            if (recordsIn[shard] < SHARD_RECORDS) {
                found(key, shard);
                return OptionalInt.of(shard);
            }
        }
        return OptionalInt.empty();
    }

    /** A record was read in that ConfigMap. One that is known already stays where it is. */
    synchronized void found(String key, int shard) {
        if (shardOf.putIfAbsent(key, shard) == null) {
            recordsIn[shard]++;
        }
    }

    /** Gives the room of a record back. Returns the ConfigMap that had it; absent for one that has none. */
    synchronized OptionalInt free(String key) {
        Integer shard = shardOf.remove(key);
        if (shard == null) {
            return OptionalInt.empty();
        }
        recordsIn[shard]--;
        return OptionalInt.of(shard);
    }

    /** Whether that ConfigMap holds the record. */
    synchronized boolean isIn(String key, int shard) {
        return Integer.valueOf(shard).equals(shardOf.get(key));
    }

    /** Whether there is room for one more keyspace of a namespace. */
    synchronized boolean admits(String namespace) {
        return keyspacesOf.getOrDefault(namespace, 0) < NAMESPACE_RECORDS && hasRoom();
    }

    private boolean hasRoom() {
        for (int records : recordsIn) {
            if (records < SHARD_RECORDS) {
                return true;
            }
        }
        return false;
    }

    /** A keyspace of the namespace is on record from now on. */
    synchronized void add(String namespace) {
        keyspacesOf.merge(namespace, 1, Integer::sum);
    }

    /** A keyspace of the namespace is on record no more. */
    synchronized void remove(String namespace) {
        keyspacesOf.computeIfPresent(namespace, (_, count) -> count == 1 ? null : count - 1);
    }
}
