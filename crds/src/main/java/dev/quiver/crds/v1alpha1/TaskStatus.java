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
 * The operator's report on a {@link Task}. Its size does not grow with the number of nodes. If the resource without its
 * spec would be larger than 8 KiB, {@link #tree} is shortened first. Times are RFC 3339 in UTC. With a schedule the
 * numbers are those of the latest run. An empty or null {@link #result} is a result, too; one that is not there is null
 * in Java alone.
 */
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskStatus(
        @JsonPropertyDescription("The metadata.generation that this status was computed from.") @Min(0)
        Long observedGeneration,

        @JsonPropertyDescription("State of the root.")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        TaskState state,

        @JsonPropertyDescription("When it was accepted, or last resumed: RFC 3339, UTC.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String startTime,

        @JsonPropertyDescription("When it finished: RFC 3339, UTC.") @Pattern(Timestamps.PATTERN) @Size(max = 32)
        String completionTime,

        @JsonPropertyDescription("How many nodes are in which state, children made at run time included.")
        TaskNodeCounts nodes,

        @JsonPropertyDescription("Done units of progress and all of them, for people.") @Size(max = 48)
        String progress,

        @JsonPropertyDescription("Done units of progress in percent of all, rounded down.") @Min(0) @Max(100)
        Integer percent,

        @JsonPropertyDescription(
                "Result of the root, where it is JSON of at most 4096 bytes; a larger one is only in Redis.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        JsonNode result,

        @JsonPropertyDescription("Size of the root's result in bytes, also of one that is not shown.") @Min(0)
        Long resultSize,

        @JsonPropertyDescription(
                "Resources that its queued nodes wait for, the first one first: at most 8. The first 256 nodes that name"
                        + " any are looked at, and 256 that a forEach or an iterator made.")
        @Size(max = SchedulingRules.MOST_RESOURCES)
        List<@Size(max = SchedulingRules.NAME_LENGTH) String> blockedOn,

        @JsonPropertyDescription("Since when it has been seen to wait for a resource: RFC 3339, UTC.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String blockedSince,

        @JsonPropertyDescription("The first final error.") TaskError error,

        @JsonPropertyDescription(
                "A part of the tree, at most 32 nodes: the root, then failed, then running ones, then others breadth first."
                        + " Fewer where the resource would be larger than 8 KiB.")
        @Size(max = TaskStatus.MAX_TREE)
        List<TaskNodeStatus> tree,

        @JsonPropertyDescription("What would undo it, with undo: true, once it has ended or was undone.")
        TaskUndo undo,

        @JsonPropertyDescription("What became of the schedule so far.")
        TaskScheduleStatus schedule,

        @JsonPropertyDescription(
                "Name of the keyspace that holds the state in Redis: that of the pool when it was accepted. Absent for the"
                        + " keyspace of the namespace.")
        @Size(max = 63)
        String keyspace,

        @JsonPropertyDescription(
                "What the keys of the tree begin with, with wire: Idoit: the prefix that the namespace had when it was"
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

    /** How many nodes are shown at most. */
    public static final int MAX_TREE = 32;

    /** The largest result that is shown, in bytes of compact JSON. */
    public static final int MAX_RESULT_BYTES = 4096;

    public TaskStatus {
        blockedOn = blockedOn == null ? List.of() : List.copyOf(blockedOn);
        tree = tree == null ? List.of() : List.copyOf(tree);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }
}
