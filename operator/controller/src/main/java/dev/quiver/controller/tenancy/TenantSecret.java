package dev.quiver.controller.tenancy;

import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

import dev.quiver.controller.kube.ServerSideApply;
import dev.quiver.crds.v1alpha1.Quiver;

/** Reads and writes the Secret of a name in namespaces with get, create and patch alone. Thread-safe. */
record TenantSecret(KubernetesClient client, String name) {

    /** The content of the Secret; absent when there is none. */
    Optional<Map<String, String>> read(String namespace) {
        Secret secret = client.secrets().inNamespace(namespace).withName(name).get();
        return Optional.ofNullable(secret).map(TenantSecret::decoded);
    }

    /** Makes the Secret; false when it exists by now. */
    boolean create(String namespace, Map<String, String> files) {
        try {
            client.resource(secret(namespace, files)).create();
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                return false;
            }
            throw e;
        }
    }

    /** Changes the content of the Secret. */
    void patch(String namespace, Map<String, String> files) {
        client.resource(secret(namespace, files)).patch(ServerSideApply.FORCED);
    }

    private Secret secret(String namespace, Map<String, String> files) {
        Map<String, String> data = new HashMap<>();
        files.forEach((name, text) ->
                data.put(name, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8))));
        return new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .addToLabels(Quiver.MANAGED_BY_LABEL, Quiver.MANAGED_BY)
                .endMetadata()
                .withType("Opaque")
                .withData(data)
                .build();
    }

    private static Map<String, String> decoded(Secret secret) {
        Map<String, String> files = new HashMap<>();
        if (secret.getData() != null) {
            secret.getData()
                    .forEach((name, text) ->
                            files.put(name, new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8)));
        }
        return files;
    }
}
