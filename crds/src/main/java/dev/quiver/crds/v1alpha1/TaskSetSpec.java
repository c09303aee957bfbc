package dev.quiver.crds.v1alpha1;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.model.annotation.SpecReplicas;

/** A person's wishes for a {@link TaskSet}. */
@ValidationRule(
        value = "oldSelf.hasValue() && !has(self.schedule) || has(self.workerTemplate) != has(self.workerPoolRef)",
        message = "must have exactly one of workerTemplate and workerPoolRef",
        optionalOldSelf = true)
@ValidationRule(
        value =
                "has(self.schedule) || has(self.workerTemplate) == has(oldSelf.workerTemplate) && (!has(self.workerTemplate) || self.workerTemplate == oldSelf.workerTemplate)",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".workerTemplate")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.workerPoolRef) == has(oldSelf.workerPoolRef) && (!has(self.workerPoolRef) || self.workerPoolRef == oldSelf.workerPoolRef)",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".workerPoolRef")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.taskSetClass) == has(oldSelf.taskSetClass) && (!has(self.taskSetClass) || self.taskSetClass == oldSelf.taskSetClass)",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".taskSetClass")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.failurePolicy) == has(oldSelf.failurePolicy) && (!has(self.failurePolicy) || self.failurePolicy == oldSelf.failurePolicy)",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".failurePolicy")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.backoff) == has(oldSelf.backoff) && (!has(self.backoff) || self.backoff == oldSelf.backoff)",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".backoff")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.history) == has(oldSelf.history) && (!has(self.history) || self.history == oldSelf.history)",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".history")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.onlyFailedOf) == has(oldSelf.onlyFailedOf) && (!has(self.onlyFailedOf) || self.onlyFailedOf == oldSelf.onlyFailedOf)",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".onlyFailedOf")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.speculation) == has(oldSelf.speculation) && (!has(self.speculation) || self.speculation == oldSelf.speculation)",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".speculation")
@ValidationRule(
        value = "has(self.schedule) || self.source == oldSelf.source",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".source")
@ValidationRule(
        value = "has(self.schedule) || self.task == oldSelf.task",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".task")
@ValidationRule(
        value = "has(self.schedule) || self.maxTrials == oldSelf.maxTrials",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".maxTrials")
@ValidationRule(
        value = "has(self.schedule) || self.maxFailedTasks == oldSelf.maxFailedTasks",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".maxFailedTasks")
@ValidationRule(
        value = "has(self.schedule) || self.storeLossPolicy == oldSelf.storeLossPolicy",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".storeLossPolicy")
@ValidationRule(
        value = "has(self.schedule) || self.order == oldSelf.order",
        message = Rules.TASK_SET_IS_FIXED,
        fieldPath = ".order")
@ValidationRule(
        value = "has(self.schedule) == has(oldSelf.schedule)",
        message = "cannot be added or removed: make a new TaskSet instead",
        fieldPath = ".schedule")
@ValidationRule(
        value = "!has(self.resources) || has(self.workerPoolRef)",
        message = "needs workerPoolRef: only a WorkerPool declares resources",
        fieldPath = ".resources")
@ValidationRule(
        value = "!has(self.task.timeouts) || has(self.taskSetClass)",
        message = "needs taskSetClass: estimates are those of a class",
        fieldPath = ".task.timeouts")
@ValidationRule(
        value =
                "oldSelf.hasValue() && !has(self.schedule) || has(self.task.handler) || !has(self.source.items) || self.source.items.all(i, !has(i.input))",
        message = "an item may have input only with task.handler: a command takes args and env",
        optionalOldSelf = true,
        fieldPath = ".source.items")
@ValidationRule(
        value =
                "oldSelf.hasValue() && !has(self.schedule) || !has(self.task.handler) || !has(self.source.items) || self.source.items.all(i, !has(i.args) || size(i.args) == 0)",
        message = "an item may not have args with task.handler: a function takes no arguments; use input",
        optionalOldSelf = true,
        fieldPath = ".source.items")
@ValidationRule(
        value =
                "oldSelf.hasValue() && !has(self.schedule) || !has(self.task.handler) || !has(self.workerTemplate) || has(self.workerTemplate.handler)",
        message = "needs workerTemplate.handler.command: the program that serves the function",
        optionalOldSelf = true,
        fieldPath = ".task.handler")
@ValidationRule(
        value =
                "oldSelf.hasValue() && !has(self.schedule) || !has(self.task.input) || !has(self.task.input.base64) || !has(self.workerTemplate) || !isQuantity(string(self.workerTemplate.slots.inputSize)) || size(self.task.input.base64) / 4 * 3 - (self.task.input.base64.endsWith('==') ? 2 : self.task.input.base64.endsWith('=') ? 1 : 0) <= quantity(string(self.workerTemplate.slots.inputSize)).asInteger()",
        message = "must fit into workerTemplate.slots.inputSize: make the slots larger or use a locator",
        optionalOldSelf = true,
        fieldPath = ".task.input.base64")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskSetSpec(
        @JsonPropertyDescription(
                "How many worker pods the run has: 0 to 1000. With workerTemplate they are its own; with"
                        + " workerPoolRef it is the most pods of the shared pool that may work for it at the same time. kubectl"
                        + " scale and autoscalers write it through the scale subresource.")
        @Required
        @Min(0)
        @Max(1000)
        @SpecReplicas
        Integer replicas,

        @JsonPropertyDescription(
                "Workers of the run's own: a WorkerPool named tset-<name of the TaskSet>, removed when the run is"
                        + " finished. Exactly one of workerTemplate and workerPoolRef is set. Cannot be changed, but with schedule.")
        WorkerTemplate workerTemplate,

        @JsonPropertyDescription(
                "A shared WorkerPool of the same namespace that does the work. Exactly one of workerTemplate and"
                        + " workerPoolRef is set. Cannot be changed, but with schedule.")
        WorkerPoolRef workerPoolRef,

        @JsonPropertyDescription(
                "Where the tasks come from: exactly one of items, count, matrix, configMapKeyRef and command. Read once,"
                        + " when the run is accepted. Cannot be changed, but with schedule.")
        @Required
        TaskSource source,

        @JsonPropertyDescription("The program or function that runs each task. Cannot be changed, but with schedule.")
        @Required
        TaskTemplate task,

        @JsonPropertyDescription(
                "How often a task is tried before it counts as failed: 1 to 100. Runs lost with their worker are"
                        + " not counted. Cannot be changed, but with schedule.")
        @Default("3")
        @Min(1)
        @Max(100)
        Integer maxTrials,

        @JsonPropertyDescription(
                "How many tasks may fail, all their trials spent, before the run is stopped early: 0 to 1000000. 0"
                        + " means no limit: every task is run. A failed task makes the run end as failed in any case;"
                        + " this decides only how early. Cannot be changed, but with schedule.")
        @Default("0")
        @Min(0)
        @Max(1_000_000)
        Integer maxFailedTasks,

        @JsonPropertyDescription(
                "What failed trials mean, and whether the first failed task ends the run. Left out, every failed trial counts."
                        + " Cannot be changed, but with schedule.")
        FailurePolicy failurePolicy,

        @JsonPropertyDescription(
                "The waits between the trials of a task that failed. Left out, it is tried again as soon as a slot is free."
                        + " Cannot be changed, but with schedule.")
        Backoff backoff,

        @JsonPropertyDescription(
                "How many tasks of the run may be with workers at the same time: 1 to 128000, those included that a worker has"
                        + " fetched and not begun. Lowered below what runs, it stops nothing: no task is given out until fewer run."
                        + " Left out, the slots of the workers are the only limit.")
        @Min(1)
        @Max(128_000)
        Integer maxParallelTasks,

        @JsonPropertyDescription(
                "How long the run may take, in seconds from its startTime: 1 to 31536000 (a year). After that the run"
                        + " ends with reason DeadlineExceeded, and its running tasks are stopped. Suspending stops the"
                        + " clock; resuming starts it anew. Left out, there is no limit.")
        @Min(1)
        @Max(31_536_000)
        Long activeDeadlineSeconds,

        @JsonPropertyDescription(
                "How long the TaskSet is kept after it finished, in seconds: 0 to 31536000 (a year). Then it is"
                        + " deleted. Left out, it is kept until someone deletes it. Runs of a schedule are kept by its"
                        + " limits instead.")
        @Min(0)
        @Max(31_536_000)
        Long ttlSecondsAfterFinished,

        @JsonPropertyDescription(
                "While true, no task runs. Running tasks are stopped, as a suspended Job's pods are, and go back to the front"
                        + " of the queue without using a trial; the run's own workers are removed. replicas keeps its value.")
        @Default("false")
        Boolean suspend,

        @JsonPropertyDescription(
                "Ends the run for good with reason Cancelled and stops its running tasks. Can be set to true, never"
                        + " back to false.")
        @Default("false")
        @ValidationRule(
                value = Rules.IS_NOT_TAKEN_BACK,
                message = "cannot be taken back: only false to true is allowed; make a new TaskSet instead")
        Boolean cancel,

        @JsonPropertyDescription(
                "Reaction when Redis has lost the state of the run. Fail ends the run with reason StoreLost. Resubmit"
                        + " starts it again from its source, and reads a ConfigMap again; tasks that had passed run"
                        + " once more. Cannot be changed, but with schedule.")
        @Default("Fail")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        StoreLossPolicy storeLossPolicy,

        @JsonPropertyDescription(
                "Name of the runs with which this one has one memory: a DNS label of at most 63 characters. Their tests are"
                        + " compared with each other. Left out, the run stands alone. Cannot be changed, but with schedule.")
        @Size(min = 1, max = MAX_CLASS_LENGTH)
        @ValidationRule(
                value = "self" + Rules.IS_DNS_LABEL,
                message = "must be a DNS label (" + Rules.DNS_LABEL + ") of at most 63 characters")
        String taskSetClass,

        @JsonPropertyDescription(
                "What is recorded of the run, where the installation keeps history. Left out, each trial is, with the output of"
                        + " those that did not pass. Cannot be changed, but with schedule.")
        RunHistory history,

        @JsonPropertyDescription(
                "Runs the set again and again: at each time that is due the operator makes a TaskSet of the same spec, named"
                        + " <name>-<minutes since 1970>. The name of this one has at most 31 characters then. Its replicas,"
                        + " maxParallelTasks, suspend, cancel and activeDeadlineSeconds are those of its runs. Cannot be added or removed"
                        + " later.")
        TaskSchedule schedule,

        @JsonPropertyDescription(
                "Name of a TaskSet of this namespace that has ended and has the same source: only its tasks without a pass are"
                        + " run, with their names and QUIVER_INDEX there, those too that never ran. One with a schedule stands"
                        + " for its latest run. Waits until that set has ended. Cannot be changed, but with schedule.")
        @Size(min = 1, max = 40)
        @ValidationRule(
                value = "self" + Rules.IS_DNS_LABEL,
                message =
                        "must be the name of a TaskSet: a DNS label (" + Rules.DNS_LABEL + ") of at most 40 characters")
        String onlyFailedOf,

        @JsonPropertyDescription(
                "The order in which tasks are given out. LongestFirst begins with tasks of which nothing is known, then takes"
                        + " those that take longest, as earlier runs of taskSetClass tell. It counts with taskSetClass alone, where"
                        + " the installation keeps history. Source takes them as the source has them. Cannot be changed, but with schedule.")
        @Default("LongestFirst")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        TaskOrder order,

        @JsonPropertyDescription(
                "Whether a task that takes long may run a second time at the same time, on another worker. Left out, it may not."
                        + " Cannot be changed, but with schedule.")
        Speculation speculation,

        @JsonPropertyDescription(SchedulingRules.SOURCE_PRIORITY_TEXT)
        @Min(SchedulingRules.LEAST_PRIORITY)
        @Max(SchedulingRules.MOST_PRIORITY)
        Integer relPriority,

        @JsonPropertyDescription(SchedulingRules.SOURCE_TAGS_TEXT) @Size(max = SchedulingRules.MOST_TAGS)
        List<@Size(min = 1, max = SchedulingRules.NAME_LENGTH) @Pattern(SchedulingRules.NAME) String> tags,

        @JsonPropertyDescription(SchedulingRules.SOURCE_RESOURCES_TEXT + " Only with workerPoolRef.")
        @Size(max = SchedulingRules.MOST_RESOURCES)
        List<@Size(min = 1, max = SchedulingRules.NAME_LENGTH) @Pattern(SchedulingRules.NAME) String> resources) {

    /** The characters of {@link #taskSetClass} at most. */
    public static final int MAX_CLASS_LENGTH = 63;

    public TaskSetSpec {
        replicas = replicas == null ? 0 : replicas;
        maxTrials = maxTrials == null ? 3 : maxTrials;
        maxFailedTasks = maxFailedTasks == null ? 0 : maxFailedTasks;
        suspend = suspend != null && suspend;
        cancel = cancel != null && cancel;
        storeLossPolicy = storeLossPolicy == null ? StoreLossPolicy.Fail : storeLossPolicy;
        order = order == null ? TaskOrder.LongestFirst : order;
        tags = tags == null ? List.of() : List.copyOf(tags);
        resources = resources == null ? List.of() : List.copyOf(resources);
    }

    /** Whether a task may run twice at the same time. */
    public boolean speculates() {
        return speculation != null && speculation.mode() == Speculation.Mode.WhenIdle;
    }

    /** The run's own workers, unless it uses a shared pool. */
    public Optional<WorkerTemplate> ownWorkers() {
        return Optional.ofNullable(workerTemplate);
    }

    /** The shared pool, unless the run brings its own workers. */
    public Optional<WorkerPoolRef> sharedPool() {
        return Optional.ofNullable(workerPoolRef);
    }

    /** {@link #taskSetClass}, unless the run stands alone. */
    public Optional<String> namedClass() {
        return Optional.ofNullable(taskSetClass);
    }

    /** {@link #history}, or that of a run whose spec has none. */
    public RunHistory historyOrDefault() {
        return history == null ? RunHistory.DEFAULT : history;
    }

    /** {@link #failurePolicy}, or that of a run whose spec has none. */
    public FailurePolicy failurePolicyOrNone() {
        return failurePolicy == null ? FailurePolicy.NONE : failurePolicy;
    }

    /** {@link #backoff}, where failed tasks wait. */
    public Optional<Backoff> waits() {
        return Optional.ofNullable(backoff);
    }

    /** {@link #maxParallelTasks}, where there is a limit. */
    public Optional<Integer> parallelTasks() {
        return Optional.ofNullable(maxParallelTasks);
    }

    /** {@link #onlyFailedOf}, of a run that repeats a part of another one. */
    public Optional<String> repeats() {
        return Optional.ofNullable(onlyFailedOf);
    }

    /** {@link #schedule}, of a set that is run again and again. */
    public Optional<TaskSchedule> recurrence() {
        return Optional.ofNullable(schedule);
    }

    /** {@link #activeDeadlineSeconds} as a duration, where there is a limit. */
    public Optional<Duration> activeDeadline() {
        return Optional.ofNullable(activeDeadlineSeconds).map(Duration::ofSeconds);
    }

    /** {@link #ttlSecondsAfterFinished} as a duration, where the TaskSet is to be deleted. */
    public Optional<Duration> ttlAfterFinished() {
        return Optional.ofNullable(ttlSecondsAfterFinished).map(Duration::ofSeconds);
    }
}
