package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;

/** The state of a TaskSet's schedule so far. */
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskSetScheduleStatus(
        @JsonPropertyDescription("When the last run was due that began: RFC 3339, UTC.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String lastScheduleTime,

        @JsonPropertyDescription("When the next run is due: RFC 3339, UTC; absent while suspended.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String nextScheduleTime,

        @JsonPropertyDescription("When a run last succeeded: RFC 3339, UTC.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String lastSuccessfulTime,

        @JsonPropertyDescription("Up to this time each run that was due has begun or counts as missed: RFC 3339, UTC.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String settledTime,

        @JsonPropertyDescription("Runs that were due and did not begin.") @Min(0)
        Long missed,

        @JsonPropertyDescription("The latest runs, newest first: at most 10.")
        @Size(max = TaskSetScheduleStatus.MAX_RUNS)
        List<TaskSetRun> runs) {

    /** How many runs are listed at most. */
    public static final int MAX_RUNS = 10;

    public TaskSetScheduleStatus {
        runs = runs == null ? List.of() : List.copyOf(runs);
    }
}
