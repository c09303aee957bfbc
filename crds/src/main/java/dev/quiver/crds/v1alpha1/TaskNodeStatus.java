package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** One node of a tree, for people. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskNodeStatus(
        @JsonPropertyDescription(
                "Name of the node, at most 128 characters; of a child made at run time with its number behind it.")
        @Required
        @Size(max = 128)
        String name,

        @JsonPropertyDescription("State of the node.")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        TaskState state,

        @JsonPropertyDescription("Done units of progress and all of them, for people.") @Size(max = 48)
        String progress,

        @JsonPropertyDescription("Which of the node's trials it is, counted from 1.") @Min(1) @Max(1000)
        Integer trial,

        @JsonPropertyDescription("Why it waits or failed, for people: at most 256 characters.") @Size(max = 256)
        String message) {}
