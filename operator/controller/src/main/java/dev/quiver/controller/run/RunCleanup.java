package dev.quiver.controller.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.controller.kube.PreconditionedDelete;

/** Deletes finished runs whose time to live has passed. Thread-safe. */
public record RunCleanup(KubernetesClient client) {

    /**
     * Deletes a run that has been finished for so long.
     *
     * @param ttl absent for a run that is kept
     * @param end when the run finished
     * @return its remaining time; absent for a run that is kept, and for one that was deleted
     */
    public Optional<Duration> afterTtl(HasMetadata run, Optional<Duration> ttl, Optional<Instant> end, Instant now) {
        Optional<Duration> left = ttl.flatMap(t -> end.map(at -> Duration.between(now, at.plus(t))));
        if (left.filter(l -> !l.isPositive()).isPresent()) {
            new PreconditionedDelete(client).of(run);
            return Optional.empty();
        }
        return left;
    }
}
