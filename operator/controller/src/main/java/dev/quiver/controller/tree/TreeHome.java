package dev.quiver.controller.tree;

import java.util.Optional;
import java.util.function.Supplier;

import io.fabric8.kubernetes.client.CustomResource;

import dev.quiver.controller.run.PoolWatch;
import dev.quiver.controller.run.RunKeyspace;
import dev.quiver.controller.run.RunMemory;
import dev.quiver.controller.status.StatusReporter;
import dev.quiver.crds.v1alpha1.TreeSpec;
import dev.quiver.crds.v1alpha1.TreeStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * The facts that runs of every kind of tree have first: their status, and the keyspace that they are in. Thread-safe.
 *
 * @param <S> their status
 * @param <R> the runs
 * @param reporter of their statuses
 * @param pools that they name
 * @param memory of this process
 * @param none the status of a run that has none: empty components
 */
public record TreeHome<S extends TreeStatus, R extends CustomResource<? extends TreeSpec, S>>(
        StatusReporter<S, R> reporter, PoolWatch<R> pools, RunMemory<S, R> memory, Supplier<S> none) {

    /** The status that readers of the API have; empty components for none. */
    public S current(R run) {
        return reporter.current(run).orElseGet(none);
    }

    /** Where the run is, or would be accepted. */
    public Keyspace keyspace(R run, S status) {
        return RunKeyspace.of(
                run.getMetadata().getNamespace(),
                Optional.ofNullable(status.keyspace()),
                status.workHash() != null,
                pools.pool(run, run.getSpec().workerPoolRef().name()),
                memory.keyspace(run));
    }

    /** Notes what a look at a run has found. Redis is asked about no other layout, and about no schedule, without a look. */
    public void seen(R run, S before, TreeLayout layout, Optional<ObservedTree> tree) {
        boolean one =
                layout instanceof TreeLayout.Own && run.getSpec().recurring().isEmpty();
        memory.seen(run, tree.filter(its -> one && !its.over()).map(_ -> TreeId.of(run, before)));
    }
}
