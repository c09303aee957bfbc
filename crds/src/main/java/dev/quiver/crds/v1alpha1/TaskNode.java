package dev.quiver.crds.v1alpha1;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * One node of a {@link Task}: exactly one of command, handler, chain, group, forEach, iterator and mapReduce.
 *
 * <p>The numbers have no default in the schema: it would write them into each of 1,000 nodes, also where they mean
 * nothing. The accessors that end in {@code OrDefault} know them.
 */
@ValidationRule(
        value =
                "(has(self.command) ? 1 : 0) + (has(self.handler) ? 1 : 0) + (has(self.chain) ? 1 : 0) + (has(self.group) ? 1 : 0) + (has(self.forEach) ? 1 : 0) + (has(self.iterator) ? 1 : 0) + (has(self.mapReduce) ? 1 : 0) == 1",
        message = "must have exactly one of command, handler, chain, group, forEach, iterator and mapReduce")
@ValidationRule(
        value = "!has(self.env) || " + TaskRules.RUNS,
        message = "needs command or handler: children and iterators have their own",
        fieldPath = ".env")
@ValidationRule(
        value = "!has(self.workingDir) || has(self.command)",
        message = TaskRules.WORKING_DIR_NEEDS_COMMAND,
        fieldPath = ".workingDir")
@ValidationRule(
        value = "!has(self.maxTrials) || " + TaskRules.RUNS_OR_ITERATES,
        message = "needs command, handler or iterator: each child has its own trials",
        fieldPath = ".maxTrials")
@ValidationRule(
        value = "!has(self.backoff) || " + TaskRules.RUNS_OR_ITERATES,
        message = "needs command, handler or iterator: each child has its own backoff",
        fieldPath = ".backoff")
@ValidationRule(
        value = "!has(self.total) || " + TaskRules.RUNS,
        message = "needs command or handler: that of others is the sum of their children's",
        fieldPath = ".total")
@ValidationRule(
        value = "!has(self.activeDeadlineSeconds) || !" + TaskRules.RUNS + " || self.activeDeadlineSeconds <= 604800",
        message = "must be at most 604800 (a week) for a command or handler",
        fieldPath = ".activeDeadlineSeconds")
@ValidationRule(
        value = "!has(self.onChildError) || " + TaskRules.HAS_CHILDREN,
        message = "needs chain, group, forEach or iterator: others have no children",
        fieldPath = ".onChildError")
@ValidationRule(
        value = "!has(self.workerPoolRef) || " + TaskRules.RUNS_OR_ITERATES,
        message = "needs command, handler or iterator: each child names its own pool",
        fieldPath = ".workerPoolRef")
@ValidationRule(
        value = "!has(self.foreignPool) || !has(self.workerPoolRef)",
        message = "must be absent with workerPoolRef: the node runs in one pool",
        fieldPath = ".foreignPool")
@ValidationRule(
        value = "!has(self.foreignPool) || has(self.handler) || has(self.iterator)",
        message = "needs handler or iterator: each child names its own pool",
        fieldPath = ".foreignPool")
@ValidationRule(
        value =
                "!has(self.foreignPool) || !has(self.maxTrials) && !has(self.backoff) && !has(self.activeDeadlineSeconds)"
                        + " && !has(self.env) && !has(self.plan) && !has(self.contingency)",
        message =
                "must stand without maxTrials, backoff, activeDeadlineSeconds, env, plan and contingency: the programs of that"
                        + " pool decide",
        fieldPath = ".foreignPool")
@ValidationRule(value = TaskRules.IS_PLAN_OF_HANDLER, message = TaskRules.PLAN_NEEDS_HANDLER, fieldPath = ".plan")
@ValidationRule(
        value = TaskRules.IS_TIME_OF_PLAN,
        message = TaskRules.PLAN_SECONDS_NEED_PLAN,
        fieldPath = ".planSeconds")
@ValidationRule(
        value = TaskRules.IS_CONTINGENCY_OF_HANDLER,
        message = TaskRules.CONTINGENCY_NEEDS_HANDLER,
        fieldPath = ".contingency")
@ValidationRule(value = TaskRules.IS_REQUEST, message = TaskRules.REQUEST_NEEDS_PLAN, fieldPath = ".complexKey")
@ValidationRule(
        value = "!has(self.complexKey) || (!has(self.contingency) || !self.contingency) && !has(self.resources)",
        message = "must stand without contingency and resources: the markers of a complex task have their own",
        fieldPath = ".complexKey")
@ValidationRule(value = TaskRules.IS_ONCE_OF_TASK, message = TaskRules.ONCE_NEEDS_TASK, fieldPath = ".once.until")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskNode(
        @JsonPropertyDescription(
                "Name of the node: a DNS label of at most 63 characters, once in a Task. Others refer to it; the status"
                        + " shows it.")
        @Required
        @Size(min = 1, max = TaskNode.MAX_NAME_LENGTH)
        @ValidationRule(
                value = "self" + Rules.IS_DNS_LABEL,
                message = "must be a DNS label: " + Rules.DNS_LABEL + ", at most 63 characters")
        String name,

        @JsonPropertyDescription(TaskRules.COMMAND_TEXT + TaskRules.COMMAND_INPUT_TEXT)
        @Size(min = 1, max = 64)
        @ValidationRule(value = Rules.IS_COMMAND, message = Rules.COMMAND)
        List<@Size(max = 16384) String> command,

        @JsonPropertyDescription(TaskRules.HANDLER_TEXT + TaskRules.HANDLER_INPUT_TEXT)
        @Size(min = 1, max = 128)
        @ValidationRule(value = Rules.IS_HANDLER, message = Rules.HANDLER)
        String handler,

        @JsonPropertyDescription(
                "Names of nodes that run one after the other, each with the result before it as its last argument: 1 to"
                        + " 1000. The last one's result is the chain's.")
        @Size(min = 1, max = TaskNode.MAX_NODES)
        List<@Size(min = 1, max = TaskNode.MAX_NAME_LENGTH) @Pattern(TaskNode.NAME) String> chain,

        @JsonPropertyDescription(
                "Names of nodes that run at the same time: 1 to 1000. Their results, as an array in this order, are the"
                        + " group's.")
        @Size(min = 1, max = TaskNode.MAX_NODES)
        List<@Size(min = 1, max = TaskNode.MAX_NAME_LENGTH) @Pattern(TaskNode.NAME) String> group,

        @JsonPropertyDescription(
                "Runs a node once for each element of the result before it, all at the same time. Their results, as an"
                        + " array in the order of the elements, are this node's.")
        TaskForEach forEach,

        @JsonPropertyDescription(
                "Calls a function or program for more and more children, for work that is not known at once. Its last"
                        + " call may give the node's result.")
        TaskIterator iterator,

        @JsonPropertyDescription(
                "Makes chunks, runs a function for each of them, and gives one other their results in order: for many"
                        + " thousand pieces of one kind.")
        MapReduce mapReduce,

        @JsonPropertyDescription(TaskRules.ARGS_TEXT + " Only with command and handler.") @Size(max = 64)
        List<JsonNode> args,

        @JsonPropertyDescription(TaskRules.ENV_TEXT + " Only with command and handler.") @Size(max = 64)
        List<EnvEntry> env,

        @JsonPropertyDescription(TaskRules.WORKING_DIR_TEXT)
        @Size(min = 1, max = 4096)
        @ValidationRule(value = Rules.IS_ABSOLUTE, message = Rules.ABSOLUTE)
        String workingDir,

        @JsonPropertyDescription(
                "The WorkerPool that runs the node, of the same keyspace as that of spec.workerPoolRef. Left out, it is"
                        + " spec.workerPoolRef. Only with command, handler and iterator.")
        WorkerPoolRef workerPoolRef,

        @JsonPropertyDescription(
                "Name of a pool of the programs that share the granted prefix, which run the node instead of a WorkerPool: 1"
                        + " to 128 characters, none a control character. Only with wire: Idoit, handler and iterator.")
        @Size(min = 1, max = 128)
        @ValidationRule(
                value = "!self.matches('[\\u0000-\\u001f\\u007f-\\u009f]')",
                message = "must be a name without control characters")
        String foreignPool,

        @JsonPropertyDescription(TaskRules.TRIALS_TEXT + " Only with command, handler and iterator.") @Min(1) @Max(100)
        Integer maxTrials,

        @JsonPropertyDescription(TaskRules.BACKOFF_TEXT + " Only with command, handler and iterator.")
        Backoff backoff,

        @JsonPropertyDescription(
                "How long it may take, in seconds. With command and handler each trial: 1 to 604800 (a week) from when a"
                        + " worker's slot got it, else it counts as failed with reason TimedOut. Of others all: 1 to 31536000 (a"
                        + " year) from their beginning, also while the Task is suspended. Left out, there is no limit.")
        @Min(1)
        @Max(31_536_000)
        Integer activeDeadlineSeconds,

        @JsonPropertyDescription(TaskRules.TOTAL_TEXT + " Only with command and handler.") @Min(1) @Max(1_000_000_000)
        Integer total,

        @JsonPropertyDescription(
                "What a child that failed for good means. Fail ends this node and cancels its other children. Continue"
                        + " counts the failure, takes null as the child's result and lets the others go on. Left out, Fail.")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        OnChildError onChildError,

        @JsonPropertyDescription(SchedulingRules.PRIORITY_TEXT + SchedulingRules.INHERITED_TEXT)
        @Min(SchedulingRules.LEAST_PRIORITY)
        @Max(SchedulingRules.MOST_PRIORITY)
        Integer relPriority,

        @JsonPropertyDescription(SchedulingRules.TAGS_TEXT + SchedulingRules.INHERITED_TEXT)
        @Size(max = SchedulingRules.MOST_TAGS)
        List<@Size(min = 1, max = SchedulingRules.NAME_LENGTH) @Pattern(SchedulingRules.NAME) String> tags,

        @JsonPropertyDescription(SchedulingRules.FAIRNESS_TEXT + SchedulingRules.INHERITED_TEXT)
        @Size(min = 1, max = SchedulingRules.NAME_LENGTH)
        @Pattern(SchedulingRules.NAME)
        String fairnessKey,

        @JsonPropertyDescription(SchedulingRules.RESOURCES_TEXT + SchedulingRules.INHERITED_TEXT)
        @Size(max = SchedulingRules.MOST_RESOURCES)
        List<@Size(min = 1, max = SchedulingRules.NAME_LENGTH) @Pattern(SchedulingRules.NAME) String> resources,

        @JsonPropertyDescription(TaskRules.PLAN_TEXT) Boolean plan,

        @JsonPropertyDescription(TaskRules.PLAN_SECONDS_TEXT) @Min(1) @Max(60)
        Integer planSeconds,

        @JsonPropertyDescription(TaskRules.CONTINGENCY_TEXT) Boolean contingency,

        @JsonPropertyDescription(TaskRules.COMPLEX_KEY_TEXT) @Size(min = 1, max = 118) @Pattern("^[!-~]+$")
        String complexKey,

        @JsonPropertyDescription(TaskRules.ONCE_TEXT + " Only of the root, and with finally not until: Start.")
        TaskOnce once) {

    /** How many nodes a Task may have. */
    public static final int MAX_NODES = 1000;

    /** The end of the name under which a worker serves the plan of a function. */
    public static final String PLAN = "#plan";

    /** The end of the name under which a worker serves the contingency of a function. */
    public static final String CONTINGENCY = "#contingency";

    /** The longest name of a node. */
    public static final int MAX_NAME_LENGTH = 63;

    /** The form of a node's name, where it is referred to. */
    static final String NAME = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

    /** The type of a node. */
    public enum Type {
        /** A program. */
        COMMAND("command"),
        /** A function of the handler process. */
        HANDLER("handler"),
        /** One child after the other. */
        CHAIN("chain"),
        /** All children at the same time. */
        GROUP("group"),
        /** Children made from a template, one for each element. */
        FOR_EACH("forEach"),
        /** Children made by calls. */
        ITERATOR("iterator"),
        /** Chunks, which are no nodes, between two that are. */
        MAP_REDUCE("mapReduce");

        private final String field;

        Type(String field) {
            this.field = field;
        }

        /** The name of the field that makes a node one of this type. */
        public String field() {
            return field;
        }
    }

    public TaskNode {
        command = command == null ? List.of() : List.copyOf(command);
        chain = chain == null ? List.of() : List.copyOf(chain);
        group = group == null ? List.of() : List.copyOf(group);
        args = args == null ? List.of() : List.copyOf(args);
        env = env == null ? List.of() : List.copyOf(env);
        tags = tags == null ? List.of() : List.copyOf(tags);
        resources = resources == null ? List.of() : List.copyOf(resources);
    }

    /** A node that runs a program. */
    public static TaskNode ofCommand(String name, String... command) {
        return TaskNodeBuilder.builder().name(name).command(List.of(command)).build();
    }

    /** A node that runs a function. */
    public static TaskNode ofHandler(String name, String handler, JsonNode... args) {
        return TaskNodeBuilder.builder()
                .name(name)
                .handler(handler)
                .args(List.of(args))
                .build();
    }

    /** A node that runs others one after the other. */
    public static TaskNode ofChain(String name, String... children) {
        return TaskNodeBuilder.builder().name(name).chain(List.of(children)).build();
    }

    /** A node that runs others at the same time. */
    public static TaskNode ofGroup(String name, String... children) {
        return TaskNodeBuilder.builder().name(name).group(List.of(children)).build();
    }

    /** A node that runs another once for each element of the result before it. */
    public static TaskNode ofForEach(String name, String template) {
        return TaskNodeBuilder.builder()
                .name(name)
                .forEach(new TaskForEach(template, null))
                .build();
    }

    /** A node that is a map-reduce. */
    public static TaskNode ofMapReduce(String name, MapReduce mapReduce) {
        return TaskNodeBuilder.builder().name(name).mapReduce(mapReduce).build();
    }

    /**
     * Something of a node that runs on a worker.
     *
     * @param field where it stands, without the node
     * @param handler the function; null for a command
     * @param pool that it names; null for that of the spec
     */
    public record Runner(String field, String handler, WorkerPoolRef pool) {}

    /** All of the node that runs on workers: nothing of one that has children alone. */
    public List<Runner> runners() {
        if (iterator != null) {
            return List.of(new Runner("handler", iterator.handler(), workerPoolRef));
        }
        if (mapReduce != null) {
            var all = new ArrayList<Runner>();
            mapReduce
                    .parts()
                    .forEach((field, part) -> all.add(
                            new Runner("mapReduce." + field + ".handler", part.handler(), part.workerPoolRef())));
            mapReduce
                    .combining()
                    .ifPresent(combine -> all.add(new Runner(
                            "mapReduce.combine.handler",
                            combine.handler(),
                            mapReduce.process().workerPoolRef())));
            return all;
        }
        if (!chain.isEmpty() || !group.isEmpty() || forEach != null) {
            return List.of();
        }
        List<Runner> all = new ArrayList<>(List.of(new Runner("handler", handler, workerPoolRef)));
        if (handler != null && secondsOfPlan().isPresent()) {
            all.add(new Runner("plan", handler + PLAN, workerPoolRef));
        }
        if (handler != null && hasContingency()) {
            all.add(new Runner("contingency", handler + CONTINGENCY, workerPoolRef));
        }
        return all;
    }

    /** Whether its function's contingency is asked where a trial did not pass. */
    public boolean hasContingency() {
        return Boolean.TRUE.equals(contingency);
    }

    /** How many nodes of a tree it makes: a map-reduce is a chain of its parts. */
    public int treeNodes() {
        return mapReduce == null ? 1 : mapReduce.nodes();
    }

    /** A node that asks for its children. */
    public static TaskNode ofIterator(String name, TaskIterator iterator) {
        return TaskNodeBuilder.builder().name(name).iterator(iterator).build();
    }

    /** The type of the node; empty if it has none or several, which the API server refuses. */
    public Optional<Type> type() {
        var types = new ArrayList<Type>(1);
        addIf(types, !command.isEmpty(), Type.COMMAND);
        addIf(types, handler != null, Type.HANDLER);
        addIf(types, !chain.isEmpty(), Type.CHAIN);
        addIf(types, !group.isEmpty(), Type.GROUP);
        addIf(types, forEach != null, Type.FOR_EACH);
        addIf(types, iterator != null, Type.ITERATOR);
        addIf(types, mapReduce != null, Type.MAP_REDUCE);
        return types.size() == 1 ? Optional.of(types.get(0)) : Optional.empty();
    }

    /** The trials after which it counts as failed. */
    public int maxTrialsOrDefault() {
        return maxTrials == null ? 3 : maxTrials;
    }

    /** The seconds for a trial of its plan; absent of a node that has none. */
    public Optional<Integer> secondsOfPlan() {
        return Optional.of(planSeconds == null ? 5 : planSeconds).filter(seconds -> Boolean.TRUE.equals(plan));
    }

    /** The waits between its trials. */
    public Backoff backoffOrDefault() {
        return backoff == null ? Backoff.DEFAULT : backoff;
    }

    /** Its units of progress. */
    public int totalOrDefault() {
        return total == null ? 1 : total;
    }

    /** The effect of a failed child on this node. */
    public OnChildError onChildErrorOrDefault() {
        return onChildError == null ? OnChildError.Fail : onChildError;
    }

    /** {@link #activeDeadlineSeconds} as a duration, where there is a limit. */
    public Optional<Duration> activeDeadline() {
        return Optional.ofNullable(activeDeadlineSeconds).map(Duration::ofSeconds);
    }

    private static void addIf(List<Type> types, boolean condition, Type type) {
        if (condition) {
            types.add(type);
        }
    }
}
