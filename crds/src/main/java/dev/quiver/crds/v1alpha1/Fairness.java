package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;

/** Turns that the keys of fairness take. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Fairness(
        @JsonPropertyDescription(
                "How many turns a key gets for one of a key that is not named: at most 256 keys, each once.")
        @Size(max = 256)
        List<FairnessWeight> weights) {

    public Fairness {
        weights = weights == null ? List.of() : List.copyOf(weights);
    }
}
