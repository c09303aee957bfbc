package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;

/**
 * The operator's report on a {@link MapReduceJob}. Its size does not grow with the number of chunks: the resource stays
 * below 8 KiB, the spec aside. Times are RFC 3339 in UTC. With a schedule the numbers are those of the latest run. An
 * empty or null {@link #result} is a result, too; one that is not there is null in Java alone.
 */
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MapReduceJobStatus(
        @JsonPropertyDescription("The metadata.generation that this status was computed from.") @Min(0)
        Long observedGeneration,

        @JsonPropertyDescription("Where the job is: postponed, pending, mapping, aggregating, reducing or finished.")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        MapReduceJobState state,

        @JsonPropertyDescription("When it was accepted, or last resumed: RFC 3339, UTC.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String startTime,

        @JsonPropertyDescription("When it finished: RFC 3339, UTC.") @Pattern(Timestamps.PATTERN) @Size(max = 32)
        String completionTime,

        @JsonPropertyDescription("How many chunks and combines are in which state; absent before the chunks are known.")
        MapReduceChunkCounts chunks,

        @JsonPropertyDescription("Ended chunks and all of them, for people.") @Size(max = 32)
        String progress,

        @JsonPropertyDescription("Ended chunks in percent of all, rounded down.") @Min(0) @Max(100)
        Integer percent,

        @JsonPropertyDescription("About how long the chunks will still take, rounded, for people.") @Size(max = 16)
        String eta,

        @JsonPropertyDescription("Numbers of chunks that were skipped, counted from 0: the first 32.")
        @Size(max = MapReduceJobStatus.MAX_SKIPPED)
        List<@Min(0) @Max(99_999) Integer> skipped,

        @JsonPropertyDescription(
                "A sample of failed trials of chunks and combines, at most 8; fewer or with shorter messages where the resource"
                        + " would be larger than 8 KiB.")
        @Size(max = 8)
        List<TaskFailure> failures,

        @JsonPropertyDescription(
                "Result of the job, where it is JSON of at most 4096 bytes; a larger one is only in Redis.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        JsonNode result,

        @JsonPropertyDescription("Size of the result in bytes, also of one that is not shown.") @Min(0)
        Long resultSize,

        @JsonPropertyDescription("The error that ended the job.")
        TaskError error,

        @JsonPropertyDescription(SchedulingRules.BLOCKED_ON_TEXT) @Size(max = SchedulingRules.MOST_RESOURCES)
        List<@Size(max = SchedulingRules.NAME_LENGTH) String> blockedOn,

        @JsonPropertyDescription(SchedulingRules.BLOCKED_SINCE_TEXT) @Pattern(Timestamps.PATTERN) @Size(max = 32)
        String blockedSince,

        @JsonPropertyDescription("What became of the schedule so far.")
        TaskScheduleStatus schedule,

        @JsonPropertyDescription(
                "Name of the keyspace that holds the state in Redis: that of the pool when it was accepted. Absent for the"
                        + " keyspace of the namespace.")
        @Size(max = 63)
        String keyspace,

        @JsonPropertyDescription(
                "What the keys of the job begin with, with wire: Queue: the prefix that the namespace had when it was"
                        + " accepted. At most 64 characters.")
        @Size(max = GrantedPrefix.MAX_LENGTH)
        String grantedPrefix,

        @JsonPropertyDescription("Hash of the work as it was accepted; with schedule the work of the next run.")
        @Size(max = 64)
        String workHash,

        @JsonPropertyDescription(
                "How often it was begun again because Redis had lost its state. The id of its tree in Redis is the resource's"
                        + " uid, and after that many losses <uid>-r<number>.")
        @Min(1)
        Integer resubmissions,

        @JsonPropertyDescription(
                "Finished, Succeeded, Suspended, StoreReachable, with handlers HandlerAvailable, with resources Blocked, HistoryBacklogged and StatusComplete, at most one of each"
                        + " type; at most 16 in all.")
        @Size(max = 16)
        List<Condition> conditions)
        implements TreeStatus {

    /** Skipped chunks that are shown at most. */
    public static final int MAX_SKIPPED = 32;

    /** The largest result that is shown, in bytes of compact JSON. */
    public static final int MAX_RESULT_BYTES = 4096;

    public MapReduceJobStatus {
        blockedOn = blockedOn == null ? List.of() : List.copyOf(blockedOn);
        skipped = skipped == null ? List.of() : List.copyOf(skipped);
        failures = failures == null ? List.of() : List.copyOf(failures);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }
}
