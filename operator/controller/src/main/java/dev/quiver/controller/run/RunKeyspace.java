package dev.quiver.controller.run;

import java.util.Optional;

import dev.quiver.controller.store.Keyspaces;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The keyspace of a run's state. Pure. */
public final class RunKeyspace {

    private RunKeyspace() {}

    /**
     * Before the run is accepted, its pool names the keyspace. From then on the status has it, even if the pool
     * changes: in another keyspace the run would seem to be lost.
     *
     * @param recorded the keyspace's name in its status
     * @param accepted whether its status shows that the run was accepted
     * @param followed the keyspace in which this process has followed the run until now
     */
    public static Keyspace of(
            String namespace,
            Optional<String> recorded,
            boolean accepted,
            Optional<WorkerPool> pool,
            Optional<Keyspace> followed) {
        if (recorded.isPresent() || accepted) {
            return Keyspaces.of(namespace, recorded);
        }
        return pool.map(Keyspaces::of).or(() -> followed).orElseGet(() -> Keyspace.ofNamespace(namespace));
    }
}
