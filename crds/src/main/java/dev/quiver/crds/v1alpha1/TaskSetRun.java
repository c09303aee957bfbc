package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** One run of a TaskSet's schedule. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskSetRun(
        @JsonPropertyDescription("Name of its TaskSet.") @Required @Size(min = 1, max = 40)
        String name,

        @JsonPropertyDescription("When it was due: RFC 3339, UTC; a task finds it as QUIVER_SCHEDULED_TIME.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String scheduledTime,

        @JsonPropertyDescription("When it started: RFC 3339, UTC; absent before it is accepted.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String startTime,

        @JsonPropertyDescription("When it ended: RFC 3339, UTC; absent while it runs.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String completionTime,

        @JsonPropertyDescription("Decided tasks and all tasks, for people.") @Size(max = 32)
        String progress,

        @JsonPropertyDescription("How it stands or ended, in one word as in its condition Finished.")
        @Size(min = 1, max = 64)
        @Pattern("^[A-Z][A-Za-z0-9]*$")
        String reason) {}
