package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;

/** How many nodes are in which state; each node counts once, but failed ones in finished, too. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskNodeCounts(
        @JsonPropertyDescription("Nodes whose turn has not come.") @Min(0)
        Long waiting,

        @JsonPropertyDescription("Nodes that have children which are not all done.") @Min(0)
        Long idle,

        @JsonPropertyDescription("Nodes that are queued for a slot.") @Min(0)
        Long startable,

        @JsonPropertyDescription("Nodes that a worker holds now.") @Min(0)
        Long locked,

        @JsonPropertyDescription("Nodes that failed and wait for their next trial.") @Min(0)
        Long restart,

        @JsonPropertyDescription("Nodes that have ended, well or not.") @Min(0)
        Long finished,

        @JsonPropertyDescription("Nodes that have ended with an error, also those that finished counts.") @Min(0)
        Long failed) {}
