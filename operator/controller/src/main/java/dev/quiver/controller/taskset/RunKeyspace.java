package dev.quiver.controller.taskset;

import java.util.Optional;

import dev.quiver.controller.Keyspaces;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Where the state of a run is. Pure. */
final class RunKeyspace {

    private RunKeyspace() {}

    /**
     * Before the run is accepted its pool says where; from then on it stays there, as its status has it, whatever becomes
     * of the pool: looked for elsewhere, it would seem to be lost.
     *
     * @param followed where this process has followed it until now
     */
    static Keyspace of(
            TaskSet set, Optional<TaskSetStatus> status, Optional<WorkerPool> pool, Optional<Keyspace> followed) {
        String namespace = set.getMetadata().getNamespace();
        Optional<String> recorded = status.map(TaskSetStatus::keyspace);
        boolean accepted = status.map(TaskSetStatus::total).isPresent();
        if (recorded.isPresent() || accepted) {
            return Keyspaces.of(namespace, recorded);
        }
        return pool.map(Keyspaces::of).or(() -> followed).orElseGet(() -> Keyspace.ofNamespace(namespace));
    }
}
