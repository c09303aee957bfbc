package dev.quiver.controller.leader;

import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Why this process does not hold the Lease any more, in words: the library that renews it does not say.
 *
 * @param client asks the API server
 * @param settings of the Lease
 * @param deadline for how long it could not be renewed
 */
public record LeaseLoss(KubernetesClient client, LeaseSettings settings, Duration deadline) {

    /** The process must end soon, whatever the API server does. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** Asks once, for two seconds at most. */
    public String reason() {
        CompletableFuture<Lease> asked = CompletableFuture.supplyAsync(
                () -> client.leases()
                        .inNamespace(settings.namespace())
                        .withName(settings.name())
                        .get(),
                task -> Thread.ofVirtual().start(task));
        try {
            return reason(asked.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return notRenewed() + ", and the API server gives no answer";
        } catch (ExecutionException | CompletionException e) {
            return notRenewed() + ", and the API server answers: "
                    + e.getCause().getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return notRenewed();
        }
    }

    private String reason(Lease lease) {
        if (lease == null || lease.getSpec() == null) {
            return "Lease " + settings.name() + " was deleted";
        }
        LeaseSpec spec = lease.getSpec();
        if (!settings.identity().equals(spec.getHolderIdentity())) {
            return "Lease " + settings.name() + " is held by " + spec.getHolderIdentity();
        }
        ZonedDateTime last = spec.getRenewTime();
        return notRenewed() + ": the last renewal was at " + last
                + ". The API server was too slow, or this process stood still";
    }

    private String notRenewed() {
        return "Lease " + settings.name() + " could not be renewed for " + deadline.toSeconds() + " s";
    }
}
