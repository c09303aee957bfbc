package dev.quiver.controller.run;

import java.util.Optional;

import dev.quiver.controller.store.Keyspaces;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The keyspace of a run's state. Pure. */
public final class RunKeyspace {

    private RunKeyspace() {}

    /**
     * Before the run is accepted its pool names the keyspace. From then on the status has it, whatever becomes of the
     * pool: looked for elsewhere, the run would seem to be lost.
     *
     * @param recorded in its status: the keyspace's name
     * @param accepted whether its status shows that it was
     * @param followed where this process has followed it until now
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
