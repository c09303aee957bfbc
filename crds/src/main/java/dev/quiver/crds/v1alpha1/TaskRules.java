package dev.quiver.crds.v1alpha1;

/** Parts of rules, messages and descriptions of a {@link Task} that more than one of its fields uses. */
final class TaskRules {

    /** The message for a change of a fixed field. */
    static final String IS_FIXED =
            "cannot be changed: only suspend, cancel, relPriority, tags, resources, schedule, activeDeadlineSeconds and"
                    + " ttlSecondsAfterFinished can; make a new Task instead";

    /** The message for a change of the work, which a later run of a schedule would take. */
    static final String WORK_IS_FIXED =
            "cannot be changed without schedule: only suspend, cancel, relPriority, tags, resources, activeDeadlineSeconds and"
                    + " ttlSecondsAfterFinished can; make a new Task instead";

    /** The message for a schedule that comes or goes. */
    static final String SCHEDULE_STAYS =
            "cannot be added or removed: set schedule.suspend to pause it, or make a new Task instead";

    /** The same messages for a map-reduce job. */
    static final String JOB_IS_FIXED =
            "cannot be changed: only suspend, cancel, relPriority, tags, schedule, activeDeadlineSeconds and"
                    + " ttlSecondsAfterFinished can; make a new MapReduceJob instead";

    static final String JOB_WORK_IS_FIXED =
            "cannot be changed without schedule: only suspend, cancel, relPriority, tags, activeDeadlineSeconds and"
                    + " ttlSecondsAfterFinished can; make a new MapReduceJob instead";

    static final String JOB_SCHEDULE_STAYS =
            "cannot be added or removed: set schedule.suspend to pause it, or make a new MapReduceJob instead";

    /**
     * True of an update that leaves the work as it was. Then a rule of the spec forgives an old violation: people can
     * suspend and cancel objects that were made under a laxer definition.
     */
    static final String SAME_WORK = "oldSelf.hasValue()"
            + " && has(self.task) == has(oldSelf.value().task)"
            + " && (!has(self.task) || self.task == oldSelf.value().task)"
            + " && has(self.nodes) == has(oldSelf.value().nodes)"
            + " && (!has(self.nodes) || self.nodes == oldSelf.value().nodes)"
            + " && has(self.root) == has(oldSelf.value().root)"
            + " && (!has(self.root) || self.root == oldSelf.value().root)"
            + " && has(self.finally) == has(oldSelf.value().finally)"
            + " && (!has(self.finally) || self.finally == oldSelf.value().finally)";

    /** Either of the two that a slot can run. */
    static final String RUNS = "(has(self.command) || has(self.handler))";

    /** A node that runs on a slot; of an iterator its function does. */
    static final String RUNS_OR_ITERATES = "(has(self.command) || has(self.handler) || has(self.iterator))";

    /** A node that has children. */
    static final String HAS_CHILDREN =
            "(has(self.chain) || has(self.group) || has(self.forEach) || has(self.iterator))";

    /** True of a node {@code n} that the layout of idoit can hold. */
    static final String IDOIT_HAS =
            "!has(n.command) && !has(n.forEach) && !has(n.mapReduce) && (!has(n.onChildError) || n.onChildError != 'Continue')"
                    + " && !has(n.relPriority) && !has(n.tags) && !has(n.fairnessKey) && !has(n.resources) && !has(n.plan)"
                    + " && !has(n.contingency) && !has(n.once)"
                    + " && (!has(n.iterator) || !has(n.iterator.command))";

    /** The message for a working directory of a function. */
    static final String WORKING_DIR_NEEDS_COMMAND = "needs command: a function runs in the directory of its process";

    /** True of an object whose resultsSize is in its bounds. */
    static final String IS_RESULTS_SIZE = "isQuantity(string(self.resultsSize)) &&"
            + " quantity(string(self.resultsSize)).isInteger() &&"
            + " quantity(string(self.resultsSize)).compareTo(quantity('1Ki')) >= 0 &&"
            + " quantity(string(self.resultsSize)).compareTo(quantity('1Gi')) <= 0";

    /** The same where it is a string, whose length bounds what the rule costs. */
    static final String IS_RESULTS_TEXT = "isQuantity(self.resultsSize) &&"
            + " quantity(self.resultsSize).isInteger() &&"
            + " quantity(self.resultsSize).compareTo(quantity('1Ki')) >= 0 &&"
            + " quantity(self.resultsSize).compareTo(quantity('1Gi')) <= 0";

    /** The meaning of {@link #IS_RESULTS_SIZE}. */
    static final String RESULTS_SIZE = "must be a quantity of whole bytes from 1Ki to 1Gi";

    /** True of a history that its kind can have. */
    static final String HISTORY_FORGETS = "self.whenFull != 'Wait'";

    /** The meaning of {@link #HISTORY_FORGETS}. */
    static final String HISTORY_CANNOT_WAIT = "must be Forget or absent: only the tasks of a TaskSet can wait";

    // Descriptions of fields, or how they begin.

    static final String COMMAND_TEXT =
            "The program and its first arguments, run in the worker container without a shell: 1 to 64 strings of at"
                    + " most 16384 characters, the first not empty. $(NAME) is replaced from the environment of the"
                    + " task.";

    static final String COMMAND_INPUT_TEXT =
            " It finds args and the result before it as a JSON array in the file $QUIVER_INPUT.";

    static final String PART_INPUT_TEXT = " It finds its arguments as a JSON array in the file $QUIVER_INPUT.";

    static final String PART_ARGS_TEXT =
            "Arguments before the one that it is about: at most 64, of a function any JSON, of a command texts.";

    static final String PART_DEADLINE_TEXT =
            "How long a trial may take, in seconds from when a worker's slot got it: 1 to 604800 (a week). Then it counts"
                    + " as failed with reason TimedOut. Left out, 3600 (an hour).";

    static final String HANDLER_TEXT =
            "Name of a function that the handler process of the pool serves: 1 to 128 bytes of UTF-8 without control"
                    + " characters.";

    static final String HANDLER_INPUT_TEXT = " It is called with args, then the result before it.";

    static final String ARGS_TEXT =
            "Arguments: at most 64, of a function any JSON, of a command texts. \"$(results.NAME)\" as a whole argument"
                    + " becomes the JSON result of a node that ended earlier in a chain: at most 8 a node.";

    static final String ENV_TEXT =
            "Environment variables, set after those of the container: at most 64. A handler finds them in the context"
                    + " of its task.";

    static final String PLAN_TEXT =
            "Whether the function's plan is made before it is called: it says with which arguments, which priority and which"
                    + " resources that is. Plans go before all other Tasks that wait, and need no resource. Only with handler.";

    static final String PLAN_SECONDS_TEXT =
            "How long one trial of the plan may take, in seconds: 1 to 60. A plan has 3 trials. Left out, 5. Only with plan.";

    /** True of an object whose plan is that of a function. */
    static final String IS_PLAN_OF_HANDLER =
            "!has(self.plan) || !self.plan || has(self.handler) && size(bytes(self.handler)) <= 123";

    static final String PLAN_NEEDS_HANDLER = "needs handler, of at most 123 bytes: only a function has a plan";

    /** True of an object that says no time for a plan that it does not have. */
    static final String IS_TIME_OF_PLAN = "!has(self.planSeconds) || has(self.plan) && self.plan";

    static final String PLAN_SECONDS_NEED_PLAN = "needs plan: true";

    static final String CONTINGENCY_TEXT =
            "Whether a trial that did not pass, and may have done what the function does, leaves the node in doubt: then the"
                    + " function's contingency is asked whether it was done, before another trial. For what must not be done"
                    + " twice. Only with handler.";

    /** True of an object whose contingency is that of a function. */
    static final String IS_CONTINGENCY_OF_HANDLER =
            "!has(self.contingency) || !self.contingency || has(self.handler) && size(bytes(self.handler)) <= 116";

    static final String CONTINGENCY_NEEDS_HANDLER =
            "needs handler, of at most 116 bytes: only a function has a contingency";

    static final String COMPLEX_KEY_TEXT =
            "Whose state it is: the function is a complex task, which keeps a state and markers for each key. The node is a"
                    + " request, which ends with its plan: that changes both, and other tasks execute the markers. 1 to 118"
                    + " printable characters of ASCII without blanks, 119 together with those of handler. Only with plan: true.";

    /** True of an object that is no request to a complex task, or one that can be. */
    static final String IS_REQUEST = "!has(self.complexKey) || has(self.plan) && self.plan && has(self.handler)"
            + " && self.handler.matches('^[!-~]+$') && size(self.handler) + size(self.complexKey) <= 119";

    static final String REQUEST_NEEDS_PLAN =
            "needs plan: true, and a handler of printable characters of ASCII: both together have at most 119";

    static final String ONCE_TEXT =
            "A name that no other task of the keyspace has meanwhile. A Task whose name is taken ends at once with reason"
                    + " AlreadyQueued, and with schedule the run is missed.";

    /** True of an object that has no name which one task alone can have. */
    static final String IS_ONCE_OF_TASK =
            "!has(self.once) || !has(self.once.until) || self.once.until != 'Start' || " + RUNS;

    static final String ONCE_NEEDS_TASK =
            "must be End or absent but with command and handler: a node with children never waits for a worker";

    static final String WORKING_DIR_TEXT =
            "Directory to run a command in: an absolute path of at most 4096 characters. Left out, it is that of the"
                    + " worker container.";

    static final String TRIALS_TEXT =
            "How often it is tried before it counts as failed: 1 to 100. Left out, 3. Runs lost with their worker are"
                    + " not counted.";

    static final String BACKOFF_TEXT = "How long to wait before the next trial. Left out, 60 seconds each time.";

    static final String TOTAL_TEXT =
            "How many units of progress the work has: 1 to 1000000000. Left out, 1. A handler reports those that are"
                    + " done while it runs; all are done when it succeeds.";

    private TaskRules() {}
}
