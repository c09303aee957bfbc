package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A tag, and how much it adds to the priority of Tasks. */
public record PriorityBoost(
        @JsonPropertyDescription("The tag: 1 to 128 printable characters without blanks.")
        @Required
        @Size(min = 1, max = SchedulingRules.NAME_LENGTH)
        @Pattern(SchedulingRules.NAME)
        String tag,

        @JsonPropertyDescription("What it adds: -10000000 to 10000000.") @Required @Min(-10_000_000) @Max(10_000_000)
        Integer boost) {

    /** Tags of a pool at most. */
    static final int MOST = 256;
}
