package dev.quiver.controller.kube;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * Reads resources without {@code metadata.managedFields}, which nothing here looks at. The caches hold each resource that
 * is watched, and that list is half of a waiting TaskSet.
 */
public final class LeanObjects {

    /** Resources in one answer of the API server: a list of ten thousand at once would be a heap of its own. */
    public static final long PAGE = 500;

    @JsonIgnoreProperties("managedFields")
    private abstract static class WithoutManagers {}

    private LeanObjects() {}

    /** For a client that reads and writes such resources. */
    public static KubernetesSerialization serialization() {
        ObjectMapper mapper = new ObjectMapper();
        mapper.addMixIn(ObjectMeta.class, WithoutManagers.class);
        return new KubernetesSerialization(mapper, true);
    }
}
