package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.ResourceRequirements;

/** The sidecar that the operator adds to each worker pod. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Supervisor(
        @JsonPropertyDescription(
                "CPU and memory of the supervisor, the sidecar that claims tasks. Left out, it asks for 50m CPU"
                        + " and 192Mi of memory; the memory of the slots' inputs is added to its request and limit either way.")
        ResourceRequirements resources) {
    /** A supervisor with the operator's own requests. */
    public static final Supervisor DEFAULT = new Supervisor(null);
}
