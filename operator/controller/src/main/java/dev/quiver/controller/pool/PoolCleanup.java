package dev.quiver.controller.pool;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.function.Supplier;

import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;

import dev.quiver.controller.Doors;
import dev.quiver.controller.Keyspaces;
import dev.quiver.controller.status.Announcement;
import dev.quiver.controller.store.KeptFacts;
import dev.quiver.crds.v1alpha1.WorkerPool;

/** Removes a pool's keys before its finalizer goes; without Redis it waits a minute, then leaves them to the sweep. */
record PoolCleanup(Doors doors, LeavingPools leaving, Clock clock) {

    private static final Duration AGAIN = Duration.ofSeconds(2);

    /**
     * Forgets a pool whose pods are gone.
     *
     * @param known uids of the pools in its namespace at this moment, its own among them or not
     */
    DeleteControl forget(WorkerPool pool, Supplier<Collection<String>> known) {
        String namespace = pool.getMetadata().getNamespace();
        // In a keyspace that is not served there is nothing to drop, and the call itself would leave a key.
        boolean dropped = doors.facts().objection(Keyspaces.of(pool)).isPresent()
                || doors.store()
                        .tell(() -> doors.store()
                                .pools(Keyspaces.of(pool))
                                .drop(
                                        pool.getMetadata().getName(),
                                        pool.getMetadata().getUid()));
        if (dropped) {
            leaving.leaves(namespace, pool.getMetadata().getUid());
            doors.tenants().releaseUnless(() -> !leaving.isLast(namespace, known.get()), namespace);
            return DeleteControl.defaultDelete();
        }
        Instant deleted = Instant.parse(pool.getMetadata().getDeletionTimestamp());
        if (deleted.plus(doors.storePatience()).isAfter(clock.instant())) {
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(AGAIN);
        }
        leaving.leaves(namespace, pool.getMetadata().getUid());
        doors.facts()
                .leave(new KeptFacts.LeftPool(
                        Keyspaces.of(pool),
                        pool.getMetadata().getName(),
                        pool.getMetadata().getUid()));
        doors.announcer()
                .tell(
                        pool,
                        Announcement.warning(
                                "KeysLeft",
                                "Redis could not be reached for "
                                        + doors.storePatience().toSeconds()
                                        + " s: the pool goes, its keys are removed when Redis is back."));
        return DeleteControl.defaultDelete();
    }
}
