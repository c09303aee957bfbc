package dev.quiver.controller.run;

import java.util.Collection;
import java.util.Optional;

import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.crds.v1alpha1.Autoscaling;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Messages about a pool in the conditions of a run. Pure. */
public final class PoolMessages {

    private PoolMessages() {}

    /**
     * The message for a pool that was made again in another keyspace: its workers do not see the run.
     *
     * @param keyspace of the run
     * @param kind of the run
     */
    public static Optional<String> elsewhere(WorkerPool pool, Keyspace keyspace, String kind) {
        return Optional.of(Keyspaces.of(pool))
                .filter(of -> !of.equals(keyspace))
                .map(of -> "WorkerPool " + name(pool) + " has " + describe(of)
                        + " now, and the tasks of this run are in " + describe(keyspace)
                        + ", which its workers do not serve: make the pool as it was, or a new " + kind + ".");
    }

    /** A keyspace for people. */
    public static String describe(Keyspace keyspace) {
        return Keyspaces.name(keyspace).map(name -> "keyspace " + name).orElse("the keyspace of the namespace");
    }

    /**
     * Repeats the pool's Ready condition, which a person who looks at the run needs; may be empty. A pool that follows its
     * work and has no pod is ready for what comes, so its figures are repeated.
     */
    public static String whyNotReady(WorkerPool pool) {
        boolean follows = pool.getSpec()
                .follows()
                .filter(how -> how.mode() == Autoscaling.Mode.Scale)
                .isPresent();
        if (pool.getSpec().replicas() == 0 && !follows) {
            return "WorkerPool " + name(pool) + " has spec.replicas: 0.";
        }
        Optional<WorkerPoolStatus> status = Optional.ofNullable(pool.getStatus());
        boolean atZero = follows
                && status.filter(it -> it.replicas() != null && it.replicas() == 0)
                        .isPresent();
        return status.flatMap(it -> Conditions.find(
                        it.conditions(), atZero && isReady(it) ? ConditionType.Autoscaling : ConditionType.Ready))
                .map(c -> "WorkerPool " + name(pool) + ": " + c.getReason() + ": " + c.getMessage())
                .orElse("");
    }

    private static boolean isReady(WorkerPoolStatus status) {
        return Conditions.isTrue(status.conditions(), ConditionType.Ready);
    }

    /** Why the first of these pools without a ready worker has none, as above; empty where none of them says so. */
    public static Optional<String> whyNoneReady(Collection<ObservedPool> pools) {
        return pools.stream()
                .filter(pool -> pool.ready() == 0)
                .map(ObservedPool::serving)
                .flatMap(Optional::stream)
                .map(PoolMessages::whyNotReady)
                .filter(words -> !words.isEmpty())
                .findFirst();
    }

    /** Whether slots of the pool are busy. */
    public static boolean isBusy(WorkerPool pool) {
        return pool.getStatus() != null
                && pool.getStatus().busySlots() != null
                && pool.getStatus().busySlots() > 0;
    }

    private static String name(WorkerPool pool) {
        return pool.getMetadata().getName();
    }
}
