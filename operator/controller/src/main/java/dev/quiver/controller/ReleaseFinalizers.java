package dev.quiver.controller;

import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

/**
 * Removes the operator's finalizer from every resource, so that namespaces can be deleted after the operator is gone.
 * Needs no Redis. The operator is scaled to 0 first, since it would add the finalizers again. Idempotent; a kind that
 * is gone is no error.
 */
@Command(
        name = "release-finalizers",
        description =
                "Takes Quiver's finalizer off every TaskSet, Task, MapReduceJob and WorkerPool; for uninstalling.")
final class ReleaseFinalizers implements Callable<Integer> {

    private static final Logger log = LoggerFactory.getLogger(ReleaseFinalizers.class);
    private static final Duration STOPS_WITHIN = Duration.ofSeconds(30);
    private static final long LOOK_NANOS = Duration.ofMillis(500).toNanos();

    @Override
    public Integer call() {
        Map<String, String> environment = System.getenv();
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            Optional.ofNullable(environment.get("QUIVER_OPERATOR_DEPLOYMENT"))
                    .filter(name -> !name.isBlank())
                    .ifPresent(name -> stop(client, environment.getOrDefault("QUIVER_NAMESPACE", "default"), name));
            List<String> watched = Settings.watched(environment);
            Kinds.ALL.forEach(kind -> release(client, kind, watched));
            return 0;
        }
    }

    /** Releases the resources of one kind, in those namespaces or in all. */
    static <T extends CustomResource<?, ?>> void release(KubernetesClient client, Class<T> kind, List<String> watched) {
        try {
            List<T> all = watched.isEmpty()
                    ? client.resources(kind).inAnyNamespace().list().getItems()
                    : watched.stream()
                            .flatMap(n -> client.resources(kind).inNamespace(n).list().getItems().stream())
                            .toList();
            List<T> held = all.stream()
                    .filter(r -> r.hasFinalizer(QuiverOperator.FINALIZER))
                    .toList();
            held.forEach(resource -> release(client, kind, resource));
            log.info("released {} of {} {}", held.size(), all.size(), HasMetadata.getPlural(kind));
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
            log.info("there are no {}", HasMetadata.getPlural(kind));
        }
    }

    private static <T extends CustomResource<?, ?>> void release(KubernetesClient client, Class<T> kind, T resource) {
        List<String> others = resource.getMetadata().getFinalizers().stream()
                .filter(f -> !f.equals(QuiverOperator.FINALIZER))
                .map(f -> "\"" + f + "\"")
                .toList();
        // With the version that was read, so that a finalizer that another client adds meanwhile is not lost.
        String patch = "{\"metadata\":{\"finalizers\":[" + String.join(",", others) + "],\"resourceVersion\":\""
                + resource.getMetadata().getResourceVersion() + "\"}}";
        try {
            client.resources(kind)
                    .inNamespace(resource.getMetadata().getNamespace())
                    .withName(resource.getMetadata().getName())
                    .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                T fresh = client.resources(kind)
                        .inNamespace(resource.getMetadata().getNamespace())
                        .withName(resource.getMetadata().getName())
                        .get();
                if (fresh != null) {
                    release(client, kind, fresh);
                }
            } else if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }

    /** Scales to 0 and waits until no replica is left, or for half a minute. */
    static void stop(KubernetesClient client, String namespace, String name) {
        var deployment = client.apps().deployments().inNamespace(namespace).withName(name);
        try {
            deployment.subresource("scale").patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"replicas\":0}}");
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return;
            }
            throw e;
        }
        long until = System.nanoTime() + STOPS_WITHIN.toNanos();
        Deployment seen = deployment.get();
        while (seen != null && replicas(seen) > 0 && System.nanoTime() < until) {
            LockSupport.parkNanos(LOOK_NANOS);
            seen = deployment.get();
        }
        if (seen != null && replicas(seen) > 0) {
            log.warn(
                    "the operator still has {} replicas after {} s: it may put finalizers back; run this again",
                    replicas(seen),
                    STOPS_WITHIN.toSeconds());
        }
    }

    private static int replicas(Deployment deployment) {
        return deployment.getStatus() == null || deployment.getStatus().getReplicas() == null
                ? 0
                : deployment.getStatus().getReplicas();
    }
}
