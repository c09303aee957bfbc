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
 * Makes and deletes worker pods. Remembers deleted pods until the informer has seen that: a stale cache must not
 * make it take a second pod for the first. Thread-safe.
 */
final class WorkerPods {

    private final KubernetesClient client;
    private final Set<String> deleted = ConcurrentHashMap.newKeySet();

    WorkerPods(KubernetesClient client) {
        this.client = client;
    }

    /** The result of a creation. */
    sealed interface Creation {
        /** It is there. */
        record Made(Pod pod) implements Creation {}

        /** A pod of that name exists: the cache was stale. */
        record Exists() implements Creation {}

        /** Admission, quota or validation refuses it; a retry soon does not help. */
        record Refused(ApiRefusal no) implements Creation {}
    }

    /** Asks for one pod. Any other failure is thrown, for the framework to try again. */
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

    /** Deletes exactly this pod, gracefully: another of the same name stays. Gone already is as good. */
    void delete(String namespace, WorkerPod pod) {
        new PreconditionedDelete(client).ofPod(namespace, pod.name(), pod.uid());
        deleted.add(pod.uid());
    }

    /** Whether this process has deleted it. */
    boolean deleted(String podUid) {
        return deleted.contains(podUid);
    }

    /** Forgets pods that the informer has seen go. */
    void forget(List<String> podUids) {
        podUids.forEach(deleted::remove);
    }
}
