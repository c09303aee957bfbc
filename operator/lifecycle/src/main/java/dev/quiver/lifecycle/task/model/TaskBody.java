package dev.quiver.lifecycle.task.model;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.soabase.recordbuilder.core.RecordBuilder;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.execution.Utf8;

/**
 * The document of a node: its name and, of a leaf or an iterator, what it executes. Immutable. Readers ignore fields
 * that they do not know.
 *
 * @param name for people and in the environment
 * @param execution absent for a composite
 * @param args positional arguments, each a JSON document; read from a text they keep its {@linkplain RawJson words}
 * @param env variables, in order
 * @param timeLimit of one trial; absent: none
 * @param backoff between its trials
 * @param results ordinals of the nodes whose results stand among the arguments, by their names; known once it is stored
 * @param scheduled the run of a schedule that it belongs to; the script that makes the run adds it to the document
 * @param input its last argument, where it has one of its own; absent: the result before it, if there is one
 * @param brings how many chunks its result may have, which are those of the next node of its chain; absent: it is no list
 *     of chunks
 * @param chunks of a node with chunks: what they share beside the rest of the document
 * @param removes the directory whose files of its tree it removes
 * @param recording what is recorded of its trials; absent: nothing
 * @param plan the time for one trial of its plan, which is made before it is executed; absent: it has no plan
 * @param undo how tasks are kept that its plan leaves and that would undo it
 * @param contingency whether a trial that does not pass leaves it in doubt, and its function's contingency is asked
 * @param complex the complex task that it is of; absent: none
 */
@RecordBuilder
public record TaskBody(
        String name,
        Optional<Execution> execution,
        List<JsonNode> args,
        Map<String, String> env,
        Optional<Duration> timeLimit,
        RetryBackoff backoff,
        Map<String, Long> results,
        Optional<Scheduled> scheduled,
        Optional<JsonNode> input,
        Optional<Integer> brings,
        Optional<ChunkWork> chunks,
        Optional<Scratch> removes,
        Optional<Recording> recording,
        Optional<Duration> plan,
        Undo undo,
        boolean contingency,
        Optional<Complex> complex) {

    /** How tasks are kept that would undo one. */
    public enum Undo {
        /** They are not, and no plan is asked for any. */
        NOT,
        /** As rows of trees, which the one who undoes it makes. */
        AS_TREES,
        /** In their words, beside those of the other nodes of the tree: all of them are made as one tree. */
        AS_ONE_TREE
    }

    /** A run of a schedule: its number, and when it was due. */
    public record Scheduled(long run, Instant due) {}

    /** An argument that stands for the result of the node of this name. */
    private static final Pattern REFERENCE = Pattern.compile("\\$\\(results\\.([^)]+)\\)");

    /** A variable with the arguments of a task whose input is Arrow, as a JSON array. */
    private static final String ARGS = "QUIVER_ARGS";

    /** A variable of a task whose last argument is a list of Arrow streams, by reference or in base64. */
    private static final String REFERENCES = "QUIVER_REFERENCES";

    /** Bytes of one argument of a process at most: Linux takes 128 KiB with the NUL at its end. */
    public static final int MOST_WORD_BYTES = 128 * 1024 - 1;

    /** Copies the lists. */
    public TaskBody {
        args = List.copyOf(args);
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
        results = Map.copyOf(results);
    }

    /** Before it is stored. */
    public TaskBody(
            String name,
            Optional<Execution> execution,
            List<JsonNode> args,
            Map<String, String> env,
            Optional<Duration> timeLimit,
            RetryBackoff backoff) {
        this(
                name,
                execution,
                args,
                env,
                timeLimit,
                backoff,
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Undo.NOT,
                false,
                Optional.empty());
    }

    /** Seconds for a trial of a plan, where none are said; and at most. */
    public static final int PLAN_SECONDS = 5, MOST_PLAN_SECONDS = 60;

    /** The same of a task with a plan, which takes so long at most. */
    public TaskBody planned(int seconds) {
        NumberBounds.check("planSeconds", seconds, 1, MOST_PLAN_SECONDS);
        return TaskBodyBuilder.builder(this)
                .plan(Optional.of(Duration.ofSeconds(seconds)))
                .build();
    }

    /** The same of a task that can be undone. */
    public TaskBody undoable() {
        return undoable(Undo.AS_TREES);
    }

    /** The same of a task whose undo is kept so. */
    public TaskBody undoable(Undo how) {
        return TaskBodyBuilder.builder(this).undo(how).build();
    }

    /** Whether an argument stands for the result of another node. */
    boolean refers() {
        return args.stream().anyMatch(argument -> reference(argument).isPresent());
    }

    /** The same with this behind its name, where it has one, and behind each name that its arguments refer to. */
    TaskBody among(String end) {
        return TaskBodyBuilder.builder(this)
                .name(name.isEmpty() ? name : name + end)
                .args(args.stream()
                        .map(argument -> reference(argument)
                                .<JsonNode>map(node -> new TextNode("$(results." + node + end + ")"))
                                .orElse(argument))
                        .toList())
                .build();
    }

    /** The same of a task with a contingency. */
    public TaskBody withContingency() {
        return TaskBodyBuilder.builder(this).contingency(true).build();
    }

    /** The same of a leaf of a complex task. */
    public TaskBody ofComplex(Complex of) {
        return TaskBodyBuilder.builder(this).complex(Optional.of(of)).build();
    }

    /** The call by which a worker asks the contingency: the same one of another function. */
    public TaskBody ofContingency() {
        return TaskBodyBuilder.builder(this)
                .execution(handler().map(name -> new Execution.Handler(name + Execution.Handler.CONTINGENCY)))
                .build();
    }

    /** The call by which a worker makes the plan: the same one of another function, with a time limit of its own. */
    public TaskBody ofPlan() {
        return TaskBodyBuilder.builder(this)
                .execution(handler().map(name -> new Execution.Handler(name + Execution.Handler.PLAN)))
                .timeLimit(plan.or(() -> Optional.of(Duration.ofSeconds(PLAN_SECONDS))))
                .build();
    }

    /** The same with the arguments that its plan gave, and no others. */
    public TaskBody withArguments(List<JsonNode> given) {
        return TaskBodyBuilder.builder(this)
                .args(given)
                .results(Map.of())
                .input(Optional.empty())
                .build();
    }

    /** The same of a task whose result are the chunks of the next node of its chain, as many as a node can have. */
    public TaskBody bringing() {
        return bringing(ChunkWork.MOST_CHUNKS);
    }

    /** The same with at most so many chunks. */
    public TaskBody bringing(int most) {
        NumberBounds.check("chunks", most, 1, ChunkWork.MOST_CHUNKS);
        return TaskBodyBuilder.builder(this).brings(Optional.of(most)).build();
    }

    /** The same without what only its invocation needs. */
    public TaskBody withoutArguments() {
        return TaskBodyBuilder.builder(this)
                .execution(execution.filter(how -> how instanceof Execution.Handler))
                .args(List.of())
                .env(Map.of())
                .results(Map.of())
                .input(Optional.empty())
                .chunks(Optional.empty())
                .removes(Optional.empty())
                .build();
    }

    /** The same of a task with a last argument of its own. */
    public TaskBody about(JsonNode argument) {
        return TaskBodyBuilder.builder(this).input(Optional.of(argument)).build();
    }

    /** The same of a node with chunks. */
    public TaskBody with(ChunkWork work) {
        return TaskBodyBuilder.builder(this).chunks(Optional.of(work)).build();
    }

    /** The same of the task that removes the files of its tree. */
    TaskBody removing(Scratch scratch) {
        return TaskBodyBuilder.builder(this).removes(Optional.of(scratch)).build();
    }

    /** The same of a node whose trials are recorded so; absent: they are not. */
    public TaskBody recorded(Optional<Recording> how) {
        return TaskBodyBuilder.builder(this).recording(how).build();
    }

    /** The handler that it names; absent for a command and a composite. */
    public Optional<String> handler() {
        return execution
                .filter(Execution.Handler.class::isInstance)
                .map(handler -> ((Execution.Handler) handler).name());
    }

    /** The name of the node whose result an argument stands for; absent for a value of its own. */
    static Optional<String> reference(JsonNode argument) {
        return RawJson.text(argument)
                .map(REFERENCE::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1));
    }

    /** The body of a composite. */
    public static TaskBody named(String name) {
        return new TaskBody(name, Optional.empty(), List.of(), Map.of(), Optional.empty(), RetryBackoff.NONE);
    }

    /**
     * The input of a trial.
     *
     * @param arguments a JSON array
     * @param words of the task's own arguments, with the values of results in place of their names: a JSON value each
     * @param stream behind them, an Arrow IPC stream; absent where the last argument is JSON like the others
     * @param references whether the last argument is a list of streams, most of them in files
     */
    public record Given(String arguments, List<String> words, Optional<byte[]> stream, boolean references) {}

    /**
     * The arguments with one more.
     *
     * @param values of the results among them, by the names of their nodes
     * @param before the result before the task, or the chunk that it is about
     */
    public Given given(Map<String, String> values, Optional<LastArgument> before) {
        Optional<LastArgument> more =
                before.or(() -> input.map(JsonNode::toString).map(LastArgument.Json::new));
        List<String> words = words(values);
        return more.orElse(null) instanceof LastArgument.Arrow(byte[] stream)
                ? new Given(array(words, Optional.empty()), words, Optional.of(stream), false)
                : new Given(
                        array(words, more.map(LastArgument::json)),
                        words,
                        Optional.empty(),
                        more.orElse(null) instanceof LastArgument.References);
    }

    /** The arguments with one more, as a JSON array. */
    public String arguments(Map<String, String> values, Optional<String> more) {
        return array(words(values), more);
    }

    /** The input of a complex task: its arguments, the result before it if there is one, and what it keeps. */
    public Given given(Map<String, String> values, Optional<LastArgument> before, String state) {
        List<String> words = new ArrayList<>(words(values));
        before.map(LastArgument::json).or(() -> input.map(JsonNode::toString)).ifPresent(words::add);
        return new Given(array(words, Optional.of(state)), words, Optional.empty(), false);
    }

    /** The arguments alone, each a JSON value, with the values of results in place of their names. */
    public List<String> words(Map<String, String> values) {
        return args.stream()
                .map(argument -> reference(argument).map(values::get).orElseGet(argument::toString))
                .toList();
    }

    private static String array(List<String> words, Optional<String> more) {
        List<String> all = new ArrayList<>(words);
        more.ifPresent(all::add);
        return RawJson.encodable("[" + String.join(",", all) + "]");
    }

    /**
     * One trial of the document in a slot.
     *
     * @param task its name there
     * @param given its arguments. An Arrow stream is the input alone: the arguments before it, if there are any, are a
     *     variable then
     * @param own variables of this task alone, which precede those of the document
     * @param last one more argument on the line of a command, where it fits: a JSON value
     * @throws InputTooLargeException when they do not fit into the slot, or one of them not on the line of a command
     */
    public TaskInvocation invocation(
            String task, Given given, int trial, Map<String, String> own, Optional<String> last, SlotFacts facts) {
        byte[] input = given.stream().orElseGet(() -> given.arguments().getBytes(StandardCharsets.UTF_8));
        InputTooLargeException.check(
                given.stream().isPresent() ? "the input" : "args", input.length, facts.inputBytes());
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("QUIVER_TASK", task);
        variables.put("QUIVER_TRIAL", Integer.toString(trial));
        variables.putAll(own);
        scheduled.ifPresent(run -> {
            variables.put("QUIVER_RUN", Long.toString(run.run()));
            variables.put("QUIVER_SCHEDULED_TIME", run.due().toString());
        });
        variables.putAll(env);
        if (given.stream().isPresent() && !args.isEmpty()) {
            variables.put(ARGS, given.arguments());
        }
        if (given.references()) {
            variables.put(REFERENCES, "1");
        }
        return switch (execution.orElseThrow(() -> new IllegalArgumentException("nothing to execute"))) {
            case Execution.Handler handler ->
                new TaskInvocation.Handler(
                        task, handler.name(), variables, payload(input, given, ExecutionInput.Format.ARGUMENTS));
            case Execution.Command command -> {
                variables.put("QUIVER_SLOT", Integer.toString(facts.slot()));
                variables.put("QUIVER_POD_NAME", facts.podName());
                variables.put("QUIVER_INPUT", facts.inputPath());
                variables.put("QUIVER_OUTPUT", facts.outputPath());
                List<String> argv = new ArrayList<>(command.command());
                given.words()
                        .forEach(word -> argv.add(
                                word("args[" + (argv.size() - command.command().size()) + "]", word)));
                last.map(TaskBody::word)
                        .filter(word -> fits(word, facts.inputBytes() - input.length))
                        .ifPresent(argv::add);
                yield new TaskInvocation.Command(
                        task, argv, variables, command.workingDir(), payload(input, given, ExecutionInput.Format.JSON));
            }
        };
    }

    /** A JSON value as a word of a command line: a text as it is, anything else as it was written. */
    private static String word(String json) {
        return RawJson.text(RawJson.node(json)).orElse(json);
    }

    private static String word(String field, String json) {
        String word = word(json);
        int bytes = Utf8.length(word);
        if (bytes > MOST_WORD_BYTES) {
            throw InputTooLargeException.ofWord(field, bytes, MOST_WORD_BYTES);
        }
        if (word.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    field + " has a NUL character: no process can be given one as an argument");
        }
        return word;
    }

    /**
     * Whether a chunk may be an argument. It is in the input as well, so a large one does without: a program that reads it
     * there needs no room for it twice.
     *
     * @param room bytes that the slot has beside the input
     */
    private static boolean fits(String word, long room) {
        return Utf8.length(word) <= Math.min(MOST_WORD_BYTES, room / 2) && word.indexOf('\0') < 0;
    }

    private static ExecutionInput.Payload payload(byte[] input, Given given, ExecutionInput.Format ofJson) {
        return new ExecutionInput.Payload(
                input, given.stream().isPresent() ? ExecutionInput.Format.ARROW : ofJson, false);
    }
}
