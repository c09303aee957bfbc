package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * The input of a {@link MapReduceJob}: exactly one of its fields. The schema requires this by {@code oneOf}, because a rule
 * cannot see a field of any type.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MapReduceInput(
        @JsonPropertyDescription("Any JSON value, as written here: at most 256 KiB as compact JSON.")
        JsonNode json,

        @JsonPropertyDescription(
                "Key of a ConfigMap of the same namespace whose text is the input: as JSON where it is JSON, else as a text. It"
                        + " is read when the job is accepted.")
        ConfigMapKeyRef configMapKeyRef) {

    /** The bytes of an input at most, as compact JSON. */
    public static final int MAX_BYTES = 262_144;

    /** A JSON value. */
    public static MapReduceInput ofJson(JsonNode json) {
        return new MapReduceInput(json, null);
    }
}
