package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** The turns of one key of fairness. */
public record FairnessWeight(
        @JsonPropertyDescription("The key: 1 to 128 printable characters without blanks.")
        @Required
        @Size(min = 1, max = SchedulingRules.NAME_LENGTH)
        @Pattern(SchedulingRules.NAME)
        String key,

        @JsonPropertyDescription("Its turns in a round: 1 to 1000.") @Required @Min(1) @Max(1000)
        Integer weight) {}
