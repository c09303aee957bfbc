package dev.quiver.controller.store;

import java.util.Optional;

import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The keyspace of a pool, and its name. Pure. */
public final class Keyspaces {

    private Keyspaces() {}

    /** The pool's own one where it names one, else that of its namespace. */
    public static Keyspace of(WorkerPool pool) {
        return of(pool.getMetadata().getNamespace(), pool.getSpec().namedKeyspace());
    }

    /** The keyspace of that name in a namespace; without a name, the namespace's own one. */
    public static Keyspace of(String namespace, Optional<String> name) {
        return name.map(n -> Keyspace.of(namespace, n)).orElseGet(() -> Keyspace.ofNamespace(namespace));
    }

    /** Its name within the namespace; absent for the namespace's own one. */
    public static Optional<String> name(Keyspace keyspace) {
        String prefix = keyspace.prefix();
        int slash = prefix.indexOf('/');
        return slash < 0 ? Optional.empty() : Optional.of(prefix.substring(slash + 1, prefix.length() - "}:".length()));
    }
}
