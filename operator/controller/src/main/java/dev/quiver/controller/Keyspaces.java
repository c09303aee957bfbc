package dev.quiver.controller;

import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.Keyspace;

/** Which keyspace a pool's keys are in. Pure. */
public final class Keyspaces {

    private Keyspaces() {}

    /** The pool's own one where it names one, else that of its namespace. */
    public static Keyspace of(WorkerPool pool) {
        String namespace = pool.getMetadata().getNamespace();
        return pool.getSpec()
                .namedKeyspace()
                .map(name -> Keyspace.of(namespace, name))
                .orElseGet(() -> Keyspace.ofNamespace(namespace));
    }
}
