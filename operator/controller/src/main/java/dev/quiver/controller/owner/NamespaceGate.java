package dev.quiver.controller.owner;

import java.time.Duration;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.quiver.controller.status.Event;
import dev.quiver.controller.status.EventRecorder;

/**
 * Asked before each act: a resource in a namespace of another installation is left alone, with an Event. Thread-safe.
 *
 * @param leases who owns which namespace
 * @param recorder writes that Event
 */
public record NamespaceGate(NamespaceLeases leases, EventRecorder recorder) {

    /** The wait before the next look where another installation serves the resource; absent where this one does. */
    public Optional<Duration> left(HasMetadata resource) {
        String namespace = resource.getMetadata().getNamespace();
        if (!(leases.of(namespace) instanceof Standing.Others(String holder))) {
            return Optional.empty();
        }
        recorder.publish(
                resource,
                Event.warning(
                        "NamespaceOwnedByAnother",
                        "Installation " + leases.installation()
                                + " watches this namespace as well and does nothing here: " + holder
                                + " serves it and holds Lease " + NamespaceLease.NAME + "."));
        return Optional.of(leases.recheck());
    }

    /** The message of the condition while a second installation watches a namespace that this one serves. */
    public Optional<String> second(String namespace) {
        return leases.of(namespace) instanceof Standing.Ours(Optional<String> second)
                ? second.map(
                        other -> "Installation " + other + " watches this namespace as well and does nothing here: "
                                + leases.installation() + " serves it and holds Lease " + NamespaceLease.NAME + ".")
                : Optional.empty();
    }
}
