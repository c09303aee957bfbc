package dev.quiver.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.model.Complex;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.tree.TaskTrees;

/**
 * Work before it is created: a call of a function, a command, or a composite of such. Immutable: each method gives
 * another job. {@code Job.chain(Job.call("fetch", url), Job.group(pages), Job.call("merge").pool("large"))}.
 */
public final class Job {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int DEPTH = 16;

    private enum Kind {
        CALL,
        COMMAND,
        CHAIN,
        GROUP,
        FOR_EACH
    }

    private final Kind kind;
    private final List<String> words;
    private final List<JsonNode> args;
    private final List<Job> children;

    // Of a copy only, before anybody has it.
    private Optional<String> name = Optional.empty();
    private Optional<String> pool = Optional.empty();
    private int maxTrials = 3;
    private RetryBackoff backoff = RetryBackoff.NONE;
    private long total = 1;
    private Map<String, String> env = Map.of();
    private Optional<Duration> timeout = Optional.empty();
    private int window;
    private TreeNode.OnChildError onChildError = TreeNode.OnChildError.FAIL;
    private Optional<Integer> relPriority = Optional.empty();
    private Optional<List<String>> tags = Optional.empty();
    private Optional<String> fairnessKey = Optional.empty();
    private Optional<List<String>> resources = Optional.empty();
    private Optional<Integer> planSeconds = Optional.empty();
    private boolean undo;
    private boolean contingency;
    private Optional<String> complexKey = Optional.empty();

    private Job(Kind kind, List<String> words, List<JsonNode> args, List<Job> children) {
        this.kind = kind;
        this.words = List.copyOf(words);
        this.args = List.copyOf(args);
        this.children = List.copyOf(children);
    }

    private Job with(Consumer<Job> change) {
        Job copy = new Job(kind, words, args, children);
        copy.name = name;
        copy.pool = pool;
        copy.maxTrials = maxTrials;
        copy.backoff = backoff;
        copy.total = total;
        copy.env = env;
        copy.timeout = timeout;
        copy.window = window;
        copy.onChildError = onChildError;
        copy.relPriority = relPriority;
        copy.tags = tags;
        copy.fairnessKey = fairnessKey;
        copy.resources = resources;
        copy.planSeconds = planSeconds;
        copy.undo = undo;
        copy.contingency = contingency;
        copy.complexKey = complexKey;
        change.accept(copy);
        return copy;
    }

    /** The function of this name with these arguments, whatever Jackson writes as JSON. */
    public static Job call(String handler, Object... args) {
        List<JsonNode> all =
                Arrays.stream(args).<JsonNode>map(JSON::valueToTree).toList();
        return new Job(Kind.CALL, List.of(Execution.Handler.checkFunction(handler)), all, List.of());
    }

    /** A program and its arguments. */
    public static Job command(String... words) {
        if (words.length == 0) {
            throw new IllegalArgumentException("command must have at least one word");
        }
        return new Job(Kind.COMMAND, List.of(words), List.of(), List.of());
    }

    /** Jobs one after the other, each with the result of the one before it as its last argument. */
    public static Job chain(Job... jobs) {
        return chain(List.of(jobs));
    }

    /** Jobs one after the other. */
    public static Job chain(List<Job> jobs) {
        return new Job(Kind.CHAIN, List.of(), List.of(), jobs);
    }

    /** Jobs side by side; the result is the array of theirs. */
    public static Job group(Job... jobs) {
        return group(List.of(jobs));
    }

    /** Jobs side by side. */
    public static Job group(List<Job> jobs) {
        return new Job(Kind.GROUP, List.of(), List.of(), jobs);
    }

    /** In a chain: this job for each element of the array before it, side by side. */
    public static Job forEach(Job job) {
        return new Job(Kind.FOR_EACH, List.of(), List.of(), List.of(job));
    }

    /** Its name for people, and for {@code $(results.NAME)} among the arguments of a later job of a chain. */
    public Job named(String name) {
        return with(copy -> copy.name = Optional.of(name));
    }

    /** The WorkerPool of a call or command. */
    public Job pool(String pool) {
        return with(copy -> copy.pool = Optional.of(pool));
    }

    /** How often a call or command may run, 3 by default, without a wait in between. */
    public Job maxTrials(int maxTrials) {
        return maxTrials(maxTrials, RetryBackoff.NONE);
    }

    /** How often a call or command may run, and the waits in between. */
    public Job maxTrials(int maxTrials, RetryBackoff backoff) {
        return with(copy -> {
            copy.maxTrials = maxTrials;
            copy.backoff = backoff;
        });
    }

    /** The weight of a call or command in the progress. */
    public Job total(long total) {
        return with(copy -> copy.total = total);
    }

    /** A variable of a call or command. */
    public Job env(String variable, String value) {
        Map<String, String> more = new LinkedHashMap<>(env);
        more.put(variable, value);
        return with(copy -> copy.env = more);
    }

    /** A call whose plan is made first, in 5 seconds a trial: the function's plan says how it is executed. */
    public Job planned() {
        return planned(Duration.ofSeconds(TaskBody.PLAN_SECONDS));
    }

    /**
     * The same with another time for a trial of the plan, in whole seconds.
     *
     * @throws IllegalArgumentException for a job that is no call, and for a time that is not 1 to 60 seconds
     */
    public Job planned(Duration trial) {
        if (kind != Kind.CALL) {
            throw new IllegalArgumentException("only a call has a plan");
        }
        int seconds = (int) Math.min(trial.toSeconds(), Integer.MAX_VALUE);
        if (seconds < 1 || seconds > TaskBody.MOST_PLAN_SECONDS) {
            throw new IllegalArgumentException(
                    "planned has " + trial + ", 1 to " + TaskBody.MOST_PLAN_SECONDS + " seconds are allowed");
        }
        return with(copy -> copy.planSeconds = Optional.of(seconds));
    }

    /**
     * A call whose function's contingency is asked where a trial may have done what it does, and did not pass.
     *
     * @throws IllegalArgumentException for any job but a call
     */
    public Job withContingency() {
        if (kind != Kind.CALL) {
            throw new IllegalArgumentException("only a call has a contingency");
        }
        return with(copy -> copy.contingency = true);
    }

    /**
     * A request to a complex task: its plan changes the state of this key and its markers, and ends it. It has the plan's
     * time of {@link #planned(Duration)}, and neither a contingency nor resources, which are of the markers.
     *
     * @param key printable characters of ASCII without blanks, at most 119 together with those of the function
     * @throws IllegalArgumentException for any job but a call, and for another key
     */
    public Job complexKey(String key) {
        if (kind != Kind.CALL) {
            throw new IllegalArgumentException("only a call has a complexKey");
        }
        return with(copy -> copy.complexKey =
                Optional.of(Complex.request(words.getFirst(), key).key()));
    }

    /**
     * A job that {@link Handle#undo} can undo. A call is the same as {@link #planned}, and its plan says what would undo it. In
     * a chain or a group the plans of all calls say so, and at least one has a plan.
     *
     * @throws IllegalArgumentException for a command and a forEach
     */
    public Job undoable() {
        if (kind == Kind.COMMAND || kind == Kind.FOR_EACH) {
            throw new IllegalArgumentException("a call, a chain or a group can be undone, and a "
                    + (kind == Kind.COMMAND ? "command" : "forEach") + " has no plan");
        }
        return (kind == Kind.CALL ? planned() : this).with(copy -> copy.undo = true);
    }

    /** The longest time of each trial of a call or command, or of a composite as a whole. */
    public Job timeout(Duration timeout) {
        return with(copy -> copy.timeout = Optional.of(timeout));
    }

    /** Children of a group or forEach that may run at once; 0: all. */
    public Job window(int window) {
        return with(copy -> copy.window = window);
    }

    /** A composite goes on when a child failed: null stands in its place. */
    public Job continueOnError() {
        return with(copy -> copy.onChildError = TreeNode.OnChildError.CONTINUE);
    }

    /** Its priority among what waits, −99999 to 99999; of a composite that of all jobs in it that say none. */
    public Job relPriority(int priority) {
        return with(copy -> copy.relPriority = Optional.of(priority));
    }

    /** Names that a pool or a program may boost; of a composite those of all jobs in it that say none. */
    public Job tags(String... names) {
        return with(copy -> copy.tags = Optional.of(List.of(names)));
    }

    /** The key whose turns it shares where the pool is fair; of a composite that of all jobs in it that say none. */
    public Job fairnessKey(String key) {
        return with(copy -> copy.fairnessKey = Optional.of(key));
    }

    /**
     * Resources without which it is not given out, at most 8, the most severe first. A composite has them for all jobs in
     * it that name none. The pool declares them, or their patterns.
     */
    public Job resources(String... names) {
        return with(copy -> copy.resources = Optional.of(List.of(names)));
    }

    /**
     * The node of a tree.
     *
     * @param pool of those that name none
     */
    TreeNode node(String pool) {
        return node(pool, Rank.NONE, 1);
    }

    private TreeNode node(String otherwise, Rank above, int depth) {
        if (depth > DEPTH) {
            throw new IllegalArgumentException("jobs are nested deeper than " + DEPTH + " levels");
        }
        if (depth > 1 && undo) {
            throw new IllegalArgumentException("undoable is of a whole job, not of one within a chain or a group");
        }
        TreeNode node = made(otherwise, above, depth);
        return undo && kind != Kind.CALL ? LeftUndo.undoable(node) : node;
    }

    private TreeNode made(String otherwise, Rank above, int depth) {
        Rank rank = Rank.below(above, relPriority, tags, fairnessKey, resources);
        List<TreeNode> nodes = children.stream()
                .map(child -> child.node(otherwise, rank, depth + 1))
                .toList();
        TaskBody named = TaskBody.named(name.orElse(""));
        return switch (kind) {
            case CALL -> leaf(otherwise, rank, Optional.of(words.getFirst()), new Execution.Handler(words.getFirst()));
            case COMMAND ->
                leaf(otherwise, rank, Optional.empty(), new Execution.Command(words, List.of(), Optional.empty()));
            case CHAIN -> new TreeNode.Chain(nodes, onChildError, timeout, named);
            case GROUP -> new TreeNode.Group(nodes, window, onChildError, timeout, named);
            case FOR_EACH -> new TreeNode.ForEach(nodes.getFirst(), window, onChildError, timeout, named);
        };
    }

    private TreeNode leaf(String otherwise, Rank rank, Optional<String> handler, Execution execution) {
        TaskBody body = new TaskBody(
                name.or(() -> handler).orElse("command"), Optional.of(execution), args, env, timeout, backoff);
        Optional<Complex> complex = handler.flatMap(function -> complexKey.map(key -> Complex.request(function, key)));
        if (complex.isPresent() && (contingency || resources.isPresent())) {
            throw new IllegalArgumentException(
                    "complexKey stands without contingency and resources: the markers of a complex task have their own");
        }
        TaskBody asked = planSeconds
                .or(() -> complex.map(_ -> TaskBody.PLAN_SECONDS))
                .map(body::planned)
                .map(planned -> undo ? planned.undoable() : planned)
                .orElse(body);
        return new TreeNode.Leaf(
                TaskTrees.checkPool(pool.orElse(otherwise)),
                handler,
                maxTrials,
                total,
                complex.map(of -> of.rank(rank)).orElse(rank),
                complex.map(asked::ofComplex).orElse(contingency ? asked.withContingency() : asked));
    }
}
