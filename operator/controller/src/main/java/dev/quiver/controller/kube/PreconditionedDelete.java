package dev.quiver.controller.kube;

import java.net.HttpURLConnection;

import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Preconditions;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * Deletes exactly one object. Its uid is the precondition, so another object that took the name meanwhile stays. An
 * object that is already gone is no error. Idempotent.
 *
 * @param client asks the API server
 */
public record PreconditionedDelete(KubernetesClient client) {

    /** Deletes a resource of a group, in the background. */
    public void of(HasMetadata resource) {
        String path = "/apis/" + resource.getApiVersion() + "/namespaces/"
                + resource.getMetadata().getNamespace() + "/" + resource.getPlural() + "/"
                + resource.getMetadata().getName();
        delete(path, resource.getMetadata().getUid());
    }

    /** Deletes a pod, gracefully. */
    public void ofPod(String namespace, String name, String uid) {
        delete("/api/v1/namespaces/" + namespace + "/pods/" + name, uid);
    }

    private void delete(String path, String uid) {
        var options = new DeleteOptionsBuilder()
                .withPreconditions(new Preconditions(null, uid))
                .withPropagationPolicy("Background")
                .build();
        try {
            client.raw(path, "DELETE", options);
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND && e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
        }
    }
}
