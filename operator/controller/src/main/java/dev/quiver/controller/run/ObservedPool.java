package dev.quiver.controller.run;

import java.util.Optional;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.WorkerPool;

/** The pool that works for a run, as the informer has it. Pure. */
public sealed interface ObservedPool {

    /** The run's own pool; absent while it has still to be made. */
    record Own(Optional<WorkerPool> pool) implements ObservedPool {}

    /** A pool shared with others. */
    record Shared(WorkerPool pool) implements ObservedPool {}

    /** The pool that the run refers to does not exist. */
    record Missing(String name) implements ObservedPool {}

    /** A pool has the name of the run's own one and another owner. */
    record NameTaken(String name) implements ObservedPool {}

    /**
     * A pool has the name of the run's own one and is being deleted. Usually it belongs to an earlier run of the same
     * name.
     */
    record Terminating(String name) implements ObservedPool {}

    /** Looks at the pool of that name, which the run shares with others. */
    static ObservedPool shared(String poolName, Optional<WorkerPool> pool) {
        return pool.<ObservedPool>map(Shared::new).orElseGet(() -> new Missing(poolName));
    }

    /** Looks at the pool of that name, which is to be the run's own. */
    static ObservedPool own(HasMetadata run, String poolName, Optional<WorkerPool> pool) {
        Optional<WorkerPool> foreign = pool.filter(p -> !ownedBy(run, p));
        if (foreign.isEmpty()) {
            return new Own(pool);
        }
        return terminating(run, foreign.get()) ? new Terminating(poolName) : new NameTaken(poolName);
    }

    /** The pool itself, where it serves this run. */
    default Optional<WorkerPool> serving() {
        return switch (this) {
            case Own(var pool) -> pool;
            case Shared(var pool) -> Optional.of(pool);
            case Missing _, NameTaken _, Terminating _ -> Optional.empty();
        };
    }

    /** Pods ready for tasks. */
    default int ready() {
        return serving()
                .map(WorkerPool::getStatus)
                .map(s -> s.readyReplicas() == null ? 0 : s.readyReplicas())
                .orElse(0);
    }

    /** Pods that exist. */
    default int replicas() {
        return serving()
                .map(WorkerPool::getStatus)
                .map(s -> s.replicas() == null ? 0 : s.replicas())
                .orElse(0);
    }

    /**
     * The label selector of the run's own pods; null for a shared pool, which this run does not scale. An empty text would
     * not come back from the API server, and a new leader would write each status anew.
     */
    default String selector(String poolName) {
        return this instanceof Own ? Quiver.POOL_LABEL + "=" + poolName : null;
    }

    /**
     * Whether the pool is being deleted. The pool of a deleted run is deleted with it, even if the informer has not
     * seen that yet.
     */
    private static boolean terminating(HasMetadata run, WorkerPool pool) {
        return pool.isMarkedForDeletion()
                || pool.getMetadata().getOwnerReferences().stream()
                        .anyMatch(o -> o.getKind().equals(run.getKind())
                                && o.getName().equals(run.getMetadata().getName()));
    }

    private static boolean ownedBy(HasMetadata run, WorkerPool pool) {
        return pool.getMetadata().getOwnerReferences().stream()
                .anyMatch(o -> o.getUid().equals(run.getMetadata().getUid()));
    }
}
