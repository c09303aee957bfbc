package dev.quiver.controller.pool;

import java.net.HttpURLConnection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.controller.kube.PreconditionedDelete;

/**
 * Makes and deletes worker pods. Remembers deleted pods until the informer no longer has them: with a stale cache, one
 * deletion must not lead to a second. Thread-safe.
 */
final class WorkerPods {

    private final KubernetesClient client;
    private final Set<String> deleted = ConcurrentHashMap.newKeySet();

    WorkerPods(KubernetesClient client) {
        this.client = client;
    }

    /** The result of a creation. */
    sealed interface Creation {
        /** The pod was made. */
        record Made(Pod pod) implements Creation {}

        /** A pod of that name exists: the cache was stale. */
        record Exists() implements Creation {}

        /** Admission, quota or validation refuses the pod; an early retry does not help. */
        record Refused(ApiRefusal no) implements Creation {}
    }

    /** Makes one pod. Any other failure is thrown, so that the framework tries again. */
    Creation create(Pod pod) {
        try {
            return new Creation.Made(client.resource(pod).create());
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                return new Creation.Exists();
            }
            return new Creation.Refused(ApiRefusal.of(e).orElseThrow(() -> e));
        }
    }

    /** Deletes exactly this pod, gracefully: another of the same name stays. A pod that is already gone is no error. */
    void delete(String namespace, WorkerPod pod) {
        new PreconditionedDelete(client).ofPod(namespace, pod.name(), pod.uid());
        deleted.add(pod.uid());
    }

    /** Whether this process has deleted the pod. */
    boolean deleted(String podUid) {
        return deleted.contains(podUid);
    }

    /** Forgets pods whose deletion the informer has seen. */
    void forget(List<String> podUids) {
        podUids.forEach(deleted::remove);
    }
}
