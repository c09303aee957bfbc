package dev.quiver.crds.v1alpha1;

import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * A person's wishes for a {@link Task}. {@link TaskGraph} has what the API server cannot check of the nodes.
 *
 * @param cleanup the name of the node that runs at the end; {@code finally} in the resource
 */
@ValidationRule(
        value = TaskRules.SAME_WORK
                + " || (has(self.task) ? 1 : 0) + (has(self.nodes) ? 1 : 0) + (has(self.undoOf) ? 1 : 0) == 1",
        message =
                "must have exactly one of task (one unit of work), nodes (a tree) and undoOf (the Task that it undoes)",
        optionalOldSelf = true)
@ValidationRule(
        value = "oldSelf.hasValue() || !has(self.undo) || !self.undo || has(self.undoOf)"
                + " || has(self.task) && has(self.task.plan) && self.task.plan"
                + " || has(self.nodes) && self.nodes.exists(n, has(n.plan) && n.plan)",
        message = "true needs plan: true of task, or of one of nodes: only a plan says what would undo it",
        optionalOldSelf = true,
        fieldPath = ".undo")
@ValidationRule(
        value = "oldSelf.hasValue() || !has(self.schedule) || !has(self.undo) || !self.undo",
        message = "must be false or absent with schedule: its runs come and go, and one Task is undone as a whole",
        optionalOldSelf = true,
        fieldPath = ".undo")
@ValidationRule(
        value = "oldSelf.hasValue() || !has(self.schedule) || !has(self.undoOf)",
        message = "must be absent with schedule: a Task is undone once",
        optionalOldSelf = true,
        fieldPath = ".undoOf")
@ValidationRule(
        value = "oldSelf.hasValue() || self.wire != 'Idoit' || !has(self.undo) || !self.undo",
        message = "must be false or absent with wire: Idoit, whose programs know no plans",
        optionalOldSelf = true,
        fieldPath = ".undo")
@ValidationRule(
        value = "oldSelf.hasValue() || self.wire != 'Idoit' || !has(self.undoOf)",
        message = "must be absent with wire: Idoit, whose Tasks cannot be undone",
        optionalOldSelf = true,
        fieldPath = ".undoOf")
@ValidationRule(
        value = "(has(self.undo) && self.undo) == (has(oldSelf.undo) && oldSelf.undo)",
        message = TaskRules.IS_FIXED,
        fieldPath = ".undo")
@ValidationRule(
        value = "has(self.undoOf) == has(oldSelf.undoOf) && (!has(self.undoOf) || self.undoOf == oldSelf.undoOf)",
        message = TaskRules.IS_FIXED,
        fieldPath = ".undoOf")
@ValidationRule(
        value = TaskRules.SAME_WORK
                + " || !has(self.root) || has(self.nodes) && self.nodes.exists(n, n.name == self.root)",
        message = "must be the name of one of nodes",
        optionalOldSelf = true,
        fieldPath = ".root")
@ValidationRule(
        value = TaskRules.SAME_WORK
                + " || !has(self.finally) || has(self.nodes) && self.nodes.exists(n, n.name == self.finally)",
        message = "must be the name of one of nodes",
        optionalOldSelf = true,
        fieldPath = ".finally")
@ValidationRule(
        value = TaskRules.SAME_WORK + " || !has(self.finally) || !has(self.root) || self.finally != self.root",
        message = "must be another node than root: it runs once after root has ended",
        optionalOldSelf = true,
        fieldPath = ".finally")
@ValidationRule(
        value = TaskRules.SAME_WORK
                + " || self.wire == 'Idoit' || !has(self.nodes) || self.nodes.all(n, !has(n.foreignPool))",
        message = "may have foreignPool only with wire: Idoit",
        optionalOldSelf = true,
        fieldPath = ".nodes")
@ValidationRule(
        value = TaskRules.SAME_WORK + " || self.wire != 'Idoit' || !has(self.task) || !has(self.task.command)",
        message = "must be absent with wire: Idoit, which knows functions alone: use handler",
        optionalOldSelf = true,
        fieldPath = ".task.command")
@ValidationRule(
        value = TaskRules.SAME_WORK + " || self.wire != 'Idoit' || !has(self.nodes) || self.nodes.all(n, "
                + TaskRules.IDOIT_HAS + ")",
        message =
                "may have neither command, forEach, mapReduce, onChildError: Continue, relPriority, tags, fairnessKey, resources, plan,"
                        + " contingency nor once with wire: Idoit, which knows none of them",
        optionalOldSelf = true,
        fieldPath = ".nodes")
@ValidationRule(
        value = TaskRules.SAME_WORK + " || self.wire != 'Idoit' || !has(self.task) || !has(self.task.plan)",
        message = "must be absent with wire: Idoit, whose programs know no plans",
        optionalOldSelf = true,
        fieldPath = ".task.plan")
@ValidationRule(
        value = TaskRules.SAME_WORK + " || self.wire != 'Idoit' || !has(self.task) || !has(self.task.contingency)",
        message = "must be absent with wire: Idoit, whose programs know no contingencies",
        optionalOldSelf = true,
        fieldPath = ".task.contingency")
@ValidationRule(
        value = TaskRules.SAME_WORK + " || self.wire != 'Idoit' || !has(self.task) || !has(self.task.once)",
        message = "must be absent with wire: Idoit, whose programs know no such names",
        optionalOldSelf = true,
        fieldPath = ".task.once")
@ValidationRule(
        value = TaskRules.SAME_WORK + " || self.wire != 'Idoit' || !has(self.finally)",
        message = "must be absent with wire: Idoit, which does not know it",
        optionalOldSelf = true,
        fieldPath = ".finally")
@ValidationRule(
        value =
                "self.wire != 'Idoit' || !has(self.relPriority) && !has(self.tags) && !has(self.fairnessKey) && !has(self.resources)",
        message = "must be absent with wire: Idoit, whose queues know no order but that of arrival",
        fieldPath = ".relPriority")
@ValidationRule(
        value = "self.wire != 'Idoit' || !self.suspend || oldSelf.hasValue() && oldSelf.value().suspend",
        message = "must be false with wire: Idoit, which cannot suspend",
        optionalOldSelf = true,
        fieldPath = ".suspend")
@ValidationRule(
        value = "oldSelf.hasValue() || self.wire != 'Idoit' || !has(self.schedule)",
        message = "must be absent with wire: Idoit, whose programs have schedules of their own",
        optionalOldSelf = true,
        fieldPath = ".schedule")
@ValidationRule(
        value = "oldSelf.hasValue() || !has(self.notBefore) || !has(self.postponeSeconds)",
        message = "must be absent with notBefore: either a time or a wait",
        optionalOldSelf = true,
        fieldPath = ".postponeSeconds")
@ValidationRule(
        value = "oldSelf.hasValue() || !has(self.schedule) || !has(self.notBefore) && !has(self.postponeSeconds)",
        message = "must be absent with notBefore or postponeSeconds: cron alone decides when it runs",
        optionalOldSelf = true,
        fieldPath = ".schedule")
@ValidationRule(
        value = "has(self.schedule) == has(oldSelf.schedule)",
        message = TaskRules.SCHEDULE_STAYS,
        fieldPath = ".schedule")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.task) == has(oldSelf.task) && (!has(self.task) || self.task == oldSelf.task)",
        message = TaskRules.WORK_IS_FIXED,
        fieldPath = ".task")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.nodes) == has(oldSelf.nodes) && (!has(self.nodes) || self.nodes == oldSelf.nodes)",
        message = TaskRules.WORK_IS_FIXED,
        fieldPath = ".nodes")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.root) == has(oldSelf.root) && (!has(self.root) || self.root == oldSelf.root)",
        message = TaskRules.WORK_IS_FIXED,
        fieldPath = ".root")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.finally) == has(oldSelf.finally) && (!has(self.finally) || self.finally == oldSelf.finally)",
        message = TaskRules.WORK_IS_FIXED,
        fieldPath = ".finally")
@ValidationRule(
        value =
                "has(self.schedule) || (has(self.fairnessKey) ? self.fairnessKey : '') == (has(oldSelf.fairnessKey) ? oldSelf.fairnessKey : '')",
        message = TaskRules.WORK_IS_FIXED,
        fieldPath = ".fairnessKey")
@ValidationRule(
        value =
                "has(self.notBefore) == has(oldSelf.notBefore) && (!has(self.notBefore) || self.notBefore == oldSelf.notBefore)",
        message = TaskRules.IS_FIXED,
        fieldPath = ".notBefore")
@ValidationRule(
        value =
                "has(self.postponeSeconds) == has(oldSelf.postponeSeconds) && (!has(self.postponeSeconds) || self.postponeSeconds == oldSelf.postponeSeconds)",
        message = TaskRules.IS_FIXED,
        fieldPath = ".postponeSeconds")
@ValidationRule(
        value = "has(self.history) == has(oldSelf.history)",
        message = TaskRules.IS_FIXED,
        fieldPath = ".history")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskSpec(
        @JsonPropertyDescription(
                "The shared WorkerPool of the same namespace that does the work: of task, of each node that names no other,"
                        + " and of the children of iterators. Its keyspace holds the state. Cannot be changed.")
        @Required
        @ValidationRule(value = "self == oldSelf", message = TaskRules.IS_FIXED)
        WorkerPoolRef workerPoolRef,

        @JsonPropertyDescription(
                "One unit of work. Exactly one of task, nodes and undoOf is set. Cannot be changed, but with schedule: the next run"
                        + " takes it.")
        TaskUnit task,

        @JsonPropertyDescription(
                "A tree of work: 1 to 1000 nodes with distinct names, at most 262144 bytes as JSON. Each but root and"
                        + " finally is named once, by a chain, a group or a forEach. They are at most 16 deep; a node that is"
                        + " wrong ends the Task as GraphInvalid. Cannot be changed, but with schedule: the next run takes them.")
        @Size(min = 1, max = TaskNode.MAX_NODES)
        List<TaskNode> nodes,

        @JsonPropertyDescription(
                "Name of the node whose end is that of the Task, at most 63 characters. Left out, it is the only node that"
                        + " no other names. Cannot be changed, but with schedule.")
        @Size(min = 1, max = TaskNode.MAX_NAME_LENGTH)
        @Pattern(TaskNode.NAME)
        String root,

        @JsonProperty("finally")
        @JsonPropertyDescription(
                "Name of a node that no other names, at most 63 characters. It runs once after root has ended for whatever"
                        + " reason, cancel and deadline included, with {state, result} as its last argument, or"
                        + " {state, error} where root failed. Deleting the Task does not run it. Cannot be changed, but with"
                        + " schedule.")
        @Size(min = 1, max = TaskNode.MAX_NAME_LENGTH)
        @Pattern(TaskNode.NAME)
        String cleanup,

        @JsonPropertyDescription(
                "Whether the tasks are kept that plans leave to undo what they changed: 256 KiB of them in all, until the Task"
                        + " is deleted. A Task with undoOf runs them. True needs a node with plan: true. Not with schedule."
                        + " Cannot be changed.")
        Boolean undo,

        @JsonPropertyDescription(
                "Name of another Task of this namespace with undo: true, which this one undoes, once and for all. It waits until"
                        + " that one has ended, and cancels one that has not begun. Then it runs what the plans left, those of the"
                        + " node that was planned last first. Its workerPoolRef has the same keyspace. Cannot be changed.")
        @Size(min = 1, max = Task.MAX_NAME_LENGTH)
        @ValidationRule(
                value = "self" + Rules.IS_DNS_LABEL,
                message = "must be the name of a Task: a DNS label (" + Rules.DNS_LABEL + ") of at most 63 characters")
        String undoOf,

        @JsonPropertyDescription(
                SchedulingRules.PRIORITY_TEXT + SchedulingRules.OF_ALL_TEXT + SchedulingRules.MOVES_TEXT)
        @Min(SchedulingRules.LEAST_PRIORITY)
        @Max(SchedulingRules.MOST_PRIORITY)
        Integer relPriority,

        @JsonPropertyDescription(SchedulingRules.TAGS_TEXT + SchedulingRules.OF_ALL_TEXT + SchedulingRules.MOVES_TEXT)
        @Size(max = SchedulingRules.MOST_TAGS)
        List<@Size(min = 1, max = SchedulingRules.NAME_LENGTH) @Pattern(SchedulingRules.NAME) String> tags,

        @JsonPropertyDescription(
                SchedulingRules.FAIRNESS_TEXT + SchedulingRules.OF_ALL_TEXT + SchedulingRules.FIXED_TEXT)
        @Size(min = 1, max = SchedulingRules.NAME_LENGTH)
        @Pattern(SchedulingRules.NAME)
        String fairnessKey,

        @JsonPropertyDescription(
                SchedulingRules.RESOURCES_TEXT + SchedulingRules.OF_ALL_TEXT + SchedulingRules.MOVES_TEXT)
        @Size(max = SchedulingRules.MOST_RESOURCES)
        List<@Size(min = 1, max = SchedulingRules.NAME_LENGTH) @Pattern(SchedulingRules.NAME) String> resources,

        @JsonPropertyDescription(
                "Layout of the state in Redis. Quiver is the own one. Idoit is that of npm's idoit, under a prefix that the"
                        + " pool was granted, for work shared with its programs. Cannot be changed.")
        @Default("Quiver")
        @ValidationRule(value = "self == oldSelf", message = TaskRules.IS_FIXED)
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        Wire wire,

        @JsonPropertyDescription(
                "Not to start before this time: RFC 3339. At most one of notBefore and postponeSeconds is set, neither with"
                        + " schedule. Cannot be changed.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 40)
        String notBefore,

        @JsonPropertyDescription(
                "How long to wait after it was accepted, in seconds: 0 to 31536000 (a year). At most one of notBefore and"
                        + " postponeSeconds is set, neither with schedule. Cannot be changed.")
        @Min(0)
        @Max(31_536_000)
        Integer postponeSeconds,

        @JsonPropertyDescription(
                "Runs the work again and again. Each run is a tree of its own. Only with wire: Quiver. Cannot be added or removed"
                        + " later.")
        TaskSchedule schedule,

        @JsonPropertyDescription(
                "While true, no node runs and no run of the schedule begins. Running ones are stopped, go back to the front"
                        + " of the queue and use no trial.")
        @Default("false")
        Boolean suspend,

        @JsonPropertyDescription(
                "Ends the Task for good with reason Cancelled, its schedule too, and stops its running nodes. Can be set to"
                        + " true, never back to false.")
        @Default("false")
        @ValidationRule(
                value = Rules.IS_NOT_TAKEN_BACK,
                message = "cannot be taken back: only false to true is allowed; make a new Task instead")
        Boolean cancel,

        @JsonPropertyDescription(
                "How long it may take, in seconds from its startTime: 1 to 31536000 (a year); with schedule each run. After"
                        + " that it ends with reason DeadlineExceeded, and its running nodes are stopped. Suspending stops the"
                        + " clock; resuming starts it anew. Left out, there is no limit.")
        @Min(1)
        @Max(31_536_000)
        Long activeDeadlineSeconds,

        @JsonPropertyDescription(
                "How long the Task is kept after it finished, in seconds: 0 to 31536000 (a year). Then it is deleted. Left"
                        + " out, it is kept until someone deletes it.")
        @Min(0)
        @Max(31_536_000)
        Long ttlSecondsAfterFinished,

        @JsonPropertyDescription(
                "Reaction when Redis has lost the state of the Task. Fail ends it with reason StoreLost. Resubmit starts it"
                        + " again; nodes that had succeeded run once more. Cannot be changed.")
        @Default("Fail")
        @ValidationRule(value = "self == oldSelf", message = TaskRules.IS_FIXED)
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        StoreLossPolicy storeLossPolicy,

        @JsonPropertyDescription(
                "What is recorded of each run, where the installation keeps history. Left out, each trial is, with the output"
                        + " of those that did not succeed. Cannot be changed.")
        @ValidationRule(value = "self == oldSelf", message = TaskRules.IS_FIXED)
        @ValidationRule(
                value = TaskRules.HISTORY_FORGETS,
                message = TaskRules.HISTORY_CANNOT_WAIT,
                fieldPath = ".whenFull")
        RunHistory history)
        implements TreeSpec {

    public TaskSpec {
        nodes = nodes == null ? List.of() : List.copyOf(nodes);
        tags = tags == null ? List.of() : List.copyOf(tags);
        resources = resources == null ? List.of() : List.copyOf(resources);
        wire = wire == null ? Wire.Quiver : wire;
        suspend = suspend != null && suspend;
        cancel = cancel != null && cancel;
        undo = undo != null && undo;
        storeLossPolicy = storeLossPolicy == null ? StoreLossPolicy.Fail : storeLossPolicy;
    }

    /** The one unit of work, unless there are nodes. */
    public Optional<TaskUnit> unit() {
        return Optional.ofNullable(task);
    }

    /** All nodes; of one unit of work that one, which is called {@value TaskGraph#UNIT}. */
    public List<TaskNode> allNodes() {
        return unit().map(unit -> List.of(unit.asNode(TaskGraph.UNIT))).orElse(nodes);
    }

    /** The name of the Task that it undoes, where it undoes one. */
    public Optional<String> undone() {
        return Optional.ofNullable(undoOf);
    }

    /** The name of the root, where it is named. */
    public Optional<String> rootName() {
        return Optional.ofNullable(root);
    }

    /** The name of the node that runs at the end, where there is one. */
    public Optional<String> cleanupName() {
        return Optional.ofNullable(cleanup);
    }
}
