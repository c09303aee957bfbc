package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** One run of a schedule. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskRun(
        @JsonPropertyDescription("Number of the run, counted from 1; a node finds it as QUIVER_RUN.") @Required @Min(1)
        Long run,

        @JsonPropertyDescription("When it was due: RFC 3339, UTC; a node finds it as QUIVER_SCHEDULED_TIME.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String scheduledTime,

        @JsonPropertyDescription("When it started: RFC 3339, UTC.") @Pattern(Timestamps.PATTERN) @Size(max = 32)
        String startTime,

        @JsonPropertyDescription("When it ended: RFC 3339, UTC; absent while it runs.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String completionTime,

        @JsonPropertyDescription("State of its root.")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        TaskState state,

        @JsonPropertyDescription("How it ended, in one word as in the condition Succeeded; absent while it runs.")
        @Size(min = 1, max = 64)
        @Pattern("^[A-Z][A-Za-z0-9]*$")
        String reason) {}
