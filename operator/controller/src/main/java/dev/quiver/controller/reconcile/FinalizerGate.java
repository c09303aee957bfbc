package dev.quiver.controller.reconcile;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;

import dev.quiver.controller.status.Event;
import dev.quiver.controller.status.EventRecorder;

/**
 * Releases the finalizer of a deleted resource as soon as its keys are dropped. Without Redis the drop is tried again
 * until patience ends; then the keys are left to the sweep, with an Event. Thread-safe.
 *
 * @param recorder writes that Event
 * @param patience how long a deletion waits for Redis
 */
public record FinalizerGate(EventRecorder recorder, Duration patience, Clock clock) {

    private static final Duration AGAIN = Duration.ofSeconds(2);

    /**
     * Decides for a resource that has nothing left but its keys.
     *
     * @param dropped whether Redis has dropped them
     * @param name of the resource in the Event
     * @param left run before the finalizer is released with keys left: records work for the sweep
     */
    public DeleteControl pass(HasMetadata resource, boolean dropped, String name, Runnable left) {
        if (dropped) {
            return DeleteControl.defaultDelete();
        }
        Instant deleted = Instant.parse(resource.getMetadata().getDeletionTimestamp());
        if (deleted.plus(patience).isAfter(clock.instant())) {
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(AGAIN);
        }
        left.run();
        recorder.publish(
                resource,
                Event.warning(
                        "KeysLeft",
                        "Redis could not be reached for " + patience.toSeconds() + " s: " + name
                                + " goes, its keys are removed when Redis is back."));
        return DeleteControl.defaultDelete();
    }
}
