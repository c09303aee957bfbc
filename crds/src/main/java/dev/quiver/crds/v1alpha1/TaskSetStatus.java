package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.model.annotation.LabelSelector;
import io.fabric8.kubernetes.model.annotation.StatusReplicas;

/**
 * The operator's report on a {@link TaskSet}: numbers of the whole run and a bounded sample of failures. Its size does
 * not grow with the number of tasks. Times are RFC 3339 in UTC, as Kubernetes writes them.
 */
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskSetStatus(
        @JsonPropertyDescription("The metadata.generation that this status was computed from.") @Min(0)
        Long observedGeneration,

        @JsonPropertyDescription("When the run was accepted, or last resumed: RFC 3339, UTC.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String startTime,

        @JsonPropertyDescription("When the run finished: RFC 3339, UTC.") @Pattern(Timestamps.PATTERN) @Size(max = 32)
        String completionTime,

        @JsonPropertyDescription("When the run will finish at its present pace, an estimate: RFC 3339, UTC.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String estimatedCompletionTime,

        @JsonPropertyDescription("Number of tasks of the run.") @Min(0) @Max(1_000_000)
        Long total,

        @JsonPropertyDescription("Tasks that wait for a slot, those to be tried again included.")
        @Min(0)
        @Max(1_000_000)
        Long queued,

        @JsonPropertyDescription("Tasks that a worker holds now.") @Min(0) @Max(1_000_000)
        Long running,

        @JsonPropertyDescription("Tasks that passed.") @Min(0) @Max(1_000_000)
        Long succeeded,

        @JsonPropertyDescription("Those of the tasks that passed which ended as pending, see failurePolicy.rules.")
        @Min(0)
        @Max(1_000_000)
        Long pending,

        @JsonPropertyDescription("Copies of running tasks that were begun, see speculation.") @Min(0) @Max(100_000_000)
        Long speculated,

        @JsonPropertyDescription("Tasks that failed, all their trials spent.") @Min(0) @Max(1_000_000)
        Long failed,

        @JsonPropertyDescription("Trials that were counted so far, passed and failed.") @Min(0) @Max(100_000_000)
        Long trials,

        @JsonPropertyDescription(
                "Seconds that all counted trials ran, added up: compare with completionTime minus startTime.")
        @Min(0)
        Long taskSeconds,

        @JsonPropertyDescription("Decided tasks (passed and failed) in percent of all, rounded down.") @Min(0) @Max(100)
        Integer percent,

        @JsonPropertyDescription("Decided tasks and all tasks, for people.") @Size(max = 32)
        String progress,

        @JsonPropertyDescription("About how long the run will still take, rounded, for people.") @Size(max = 16)
        String eta,

        @JsonPropertyDescription(
                "Where eta is by earlier runs of taskSetClass: by how many percent of it half of them were off at most.")
        @Min(0)
        @Max(100_000)
        Integer etaErrorPercent,

        @JsonPropertyDescription("Worker pods that are ready for this run and those wanted, for people.")
        @Size(max = 16)
        String workers,

        @JsonPropertyDescription("Worker pods that the run has now; read by the scale subresource.")
        @Min(0)
        @Max(2000)
        @StatusReplicas
        Integer replicas,

        @JsonPropertyDescription(
                "Label selector of the run's own pods, for the scale subresource; empty with workerPoolRef.")
        @Size(max = 512)
        @LabelSelector
        String selector,

        @JsonPropertyDescription("Name of the WorkerPool that does the work.") @Size(max = 45)
        String workerPoolName,

        @JsonPropertyDescription(
                "Name of the keyspace that holds the run's state in Redis: that of its pool when it was accepted. Absent for"
                        + " the keyspace of the namespace.")
        @Size(max = 63)
        String keyspace,

        @JsonPropertyDescription("Hash of the source as it was read when the run was accepted.") @Size(max = 64)
        String sourceHash,

        @JsonPropertyDescription(SchedulingRules.BLOCKED_ON_TEXT) @Size(max = SchedulingRules.MOST_RESOURCES)
        List<@Size(max = SchedulingRules.NAME_LENGTH) String> blockedOn,

        @JsonPropertyDescription(SchedulingRules.BLOCKED_SINCE_TEXT) @Pattern(Timestamps.PATTERN) @Size(max = 32)
        String blockedSince,

        @JsonPropertyDescription(
                "With spec.schedule: its times and latest runs. The numbers are those of the latest run.")
        TaskSetScheduleStatus schedule,

        @JsonPropertyDescription(
                "A sample of failed trials, at most 8; fewer or with shorter messages where the resource would be larger than 8"
                        + " KiB.")
        @Size(max = 8)
        List<TaskFailure> failures,

        @JsonPropertyDescription(
                "Finished, Succeeded, Suspended, StoreReachable, with a handler HandlerAvailable, with resources Blocked, HistoryBacklogged and StatusComplete, at most one of"
                        + " each type; at most 16 in all.")
        @Size(max = 16)
        List<Condition> conditions) {
    public TaskSetStatus {
        blockedOn = blockedOn == null ? List.of() : List.copyOf(blockedOn);
        failures = failures == null ? List.of() : List.copyOf(failures);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }
}
