package dev.quiver.controller.store;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.ResourceID;

import dev.quiver.lifecycle.keyspace.Keyspace;

/** Resources that are followed, found by their uid and by their keyspace: a question about one costs nothing of the others. Thread-safe. */
final class ByKeyspace {

    /** A resource that is followed. */
    record Followed(ResourceID id, String uid, Keyspace keyspace) {}

    private final Map<String, Followed> all = new HashMap<>();
    private final Map<Keyspace, Map<String, Followed>> index = new HashMap<>();

    /** From now on; idempotent. */
    synchronized void follow(HasMetadata resource, Keyspace keyspace) {
        String uid = resource.getMetadata().getUid();
        Followed now = new Followed(ResourceID.fromResource(resource), uid, keyspace);
        if (!now.equals(all.get(uid))) {
            unfollow(uid);
            all.put(uid, now);
            index.computeIfAbsent(keyspace, first -> new LinkedHashMap<>()).put(uid, now);
        }
    }

    /** No longer; what it was. */
    synchronized Optional<Followed> unfollow(String uid) {
        Followed gone = all.remove(uid);
        if (gone != null) {
            Map<String, Followed> there = index.get(gone.keyspace());
            there.remove(uid);
            if (there.isEmpty()) {
                index.remove(gone.keyspace());
            }
        }
        return Optional.ofNullable(gone);
    }

    synchronized Optional<Followed> of(String uid) {
        return Optional.ofNullable(all.get(uid));
    }

    synchronized List<Followed> in(Keyspace keyspace) {
        return List.copyOf(index.getOrDefault(keyspace, Map.of()).values());
    }

    synchronized Collection<Keyspace> keyspaces() {
        return Set.copyOf(index.keySet());
    }
}
