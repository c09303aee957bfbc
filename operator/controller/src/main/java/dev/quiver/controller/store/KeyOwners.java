package dev.quiver.controller.store;

import java.util.List;
import java.util.Set;

import io.fabric8.kubernetes.client.CustomResource;

import dev.quiver.lifecycle.keyspace.Keyspace;

/** Resources that have keys in Redis by their uid, for {@link Sweep}. Thread-safe. */
public interface KeyOwners {

    /** The kinds whose resources own them. */
    List<Class<? extends CustomResource<?, ?>>> types();

    /** All uids that have keys in a keyspace. */
    Set<String> present(Keyspace keyspace);

    /** Removes the keys of a uid, even while workers use them. */
    void drop(Keyspace keyspace, String uid);
}
