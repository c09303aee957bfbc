package dev.quiver.controller.taskset;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;

import dev.quiver.controller.Doors;
import dev.quiver.controller.ExactDeletion;
import dev.quiver.controller.status.Announcement;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** What happens to a run's remains: its keys at deletion, itself when its time to live is over. Thread-safe. */
record RunCleanup(Doors doors, OwnPool ownPool, Clock clock) {

    private static final Duration AGAIN = Duration.ofSeconds(2);

    /** Tombstone and keys first, so that late words of workers are refused; then the workers. */
    DeleteControl forget(TaskSet set, Optional<WorkerPool> own, Keyspace keyspace) {
        boolean dropped = doors.store()
                .tell(() ->
                        doors.control().apply(keyspace).drop(set.getMetadata().getUid()));
        own.ifPresent(ownPool::remove);
        if (dropped) {
            return DeleteControl.defaultDelete();
        }
        Instant deleted = Instant.parse(set.getMetadata().getDeletionTimestamp());
        if (deleted.plus(doors.storePatience()).isAfter(clock.instant())) {
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(AGAIN);
        }
        doors.announcer()
                .tell(
                        set,
                        Announcement.warning(
                                "KeysLeft",
                                "Redis could not be reached for "
                                        + doors.storePatience().toSeconds()
                                        + " s: the TaskSet goes, its keys are removed when Redis is back."));
        return DeleteControl.defaultDelete();
    }

    /** Deletes a finished run whose time is over; how long it still has otherwise, absent for one that is kept. */
    Optional<Duration> afterTtl(RunView view) {
        Optional<Instant> end = view.spec()
                .ttlAfterFinished()
                .flatMap(ttl -> Optional.ofNullable(view.before().completionTime())
                        .map(Instant::parse)
                        .map(at -> at.plus(ttl)));
        if (end.isEmpty()) {
            return Optional.empty();
        }
        Duration left = Duration.between(view.now(), end.get());
        if (left.isPositive()) {
            return Optional.of(left);
        }
        new ExactDeletion(doors.kubernetes()).of(view.set());
        return Optional.empty();
    }
}
