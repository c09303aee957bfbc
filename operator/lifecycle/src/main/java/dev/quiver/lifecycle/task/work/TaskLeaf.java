package dev.quiver.lifecycle.task.work;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import io.soabase.recordbuilder.core.RecordBuilder;

import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.history.QueueTaskNumber;
import dev.quiver.lifecycle.ordinals.CombineTree;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.Complex;
import dev.quiver.lifecycle.task.model.LastArgument;
import dev.quiver.lifecycle.task.model.Scratch;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskDocument;
import dev.quiver.lifecycle.task.rows.StoredResult;

/**
 * One trial of a leaf, or one call of an iterator, as a claim brings it.
 *
 * @param source the queue that it waited in
 * @param node its id
 * @param trial this trial's number, from 1
 * @param maxTrials failed trials that end it
 * @param failed trials that failed before this one; those that lost their worker are none
 * @param text its document
 * @param body the same, read; absent where it is not readable, which rendering reports
 * @param from ordinal and path of its input; empty for none
 * @param input its last argument; absent where it has to be read first, by {@code TaskResults}, and for none
 * @param chunks the numbers of those whose results it gets; absent where the claim did not bring them
 * @param results values of the results among its arguments, by the names of their nodes, once they are read
 * @param progress of an iterator: children made and ended, room for more, and {@code S} with its state. {@code plan} where
 *     its plan is to be made. {@code doubt} where its contingency is asked. {@code P} with the arguments that its plan gave,
 *     also behind that. Else empty
 * @param relocation what moves the ordinals in its document
 * @param state what its complex task keeps, as a JSON object that is its last argument, once it is read
 * @param tokens of the permits that it holds, as a JSON object; empty for none
 * @param ofQueue how trees without a resource are recorded; absent: they are not
 */
@RecordBuilder
public record TaskLeaf(
        String source,
        String node,
        int trial,
        int maxTrials,
        int failed,
        String text,
        Optional<TaskBody> body,
        String from,
        Optional<LastArgument> input,
        Optional<CombineTree> chunks,
        Map<String, String> results,
        String progress,
        Relocation relocation,
        Optional<String> state,
        String tokens,
        Optional<Recording> ofQueue)
        implements RunnableTask {

    /** The variable with the tokens of its permits. */
    static final String TOKENS = "QUIVER_TOKENS";

    /** The variable of a plan that is to say what would undo it. */
    static final String UNDO = "QUIVER_UNDO";

    private static final String PLANNING = "plan";

    private static final String PLANNED = "P";

    private static final String IN_DOUBT = "doubt";

    /** Whether this is a call of an iterator. */
    public boolean iterator() {
        return !progress.isEmpty() && !plans() && !isInDoubt() && !progress.startsWith(PLANNED);
    }

    @Override
    public boolean isInDoubt() {
        return progress.startsWith(IN_DOUBT);
    }

    @Override
    public boolean isUnsure() {
        return !plans() && !isInDoubt() && body.map(TaskBody::contingency).orElse(false);
    }

    @Override
    public boolean plans() {
        return progress.equals(PLANNING);
    }

    /** How tasks are kept that would undo it. */
    public TaskBody.Undo undo() {
        return body.filter(_ -> plans()).map(TaskBody::undo).orElse(TaskBody.Undo.NOT);
    }

    /** Whether its task has a plan, made or not. */
    public boolean hasPlan() {
        return body.flatMap(TaskBody::plan).isPresent();
    }

    @Override
    public boolean takesEffects() {
        return !iterator() && !brings();
    }

    /** The pool that it runs in. */
    public String pool() {
        return TaskKeys.poolOf(source);
    }

    /** Children that an iterator has made, or chunks of the pages so far. */
    public int created() {
        return Integer.parseInt(progress.split(" ", 4)[0]);
    }

    /** Children that an iterator may add now. */
    public int room() {
        return Integer.parseInt(progress.split(" ", 4)[2]);
    }

    /** The waits between its trials. */
    public RetryBackoff backoff() {
        return body.map(TaskBody::backoff).orElse(RetryBackoff.NONE);
    }

    /** As a claim brings it, its document unread. */
    public static TaskLeaf of(
            String source,
            String node,
            int trial,
            int maxTrials,
            int failed,
            String text,
            String from,
            String given,
            String progress,
            Relocation relocation,
            String tokens) {
        Optional<TaskBody> body;
        try {
            body = Optional.of(planned(TaskDocument.read(text), progress));
        } catch (IllegalArgumentException unreadable) {
            body = Optional.empty();
        }
        return TaskLeafBuilder.builder()
                .source(source)
                .node(node)
                .trial(trial)
                .maxTrials(maxTrials)
                .failed(failed)
                .text(text)
                .body(body)
                .from(planGaveAll(progress) ? "" : from) // its plan had the input
                .input(
                        planGaveAll(progress)
                                ? Optional.empty()
                                : inline(from, given).map(LastArgument.Json::new))
                .chunks(chunks(given))
                .results(Map.of())
                .progress(progress)
                .relocation(relocation)
                .state(Optional.empty())
                .tokens(tokens)
                .build();
    }

    private static boolean planGaveAll(String progress) {
        return progress.startsWith(PLANNED) || progress.startsWith(IN_DOUBT + PLANNED);
    }

    private static TaskBody planned(TaskBody body, String progress) {
        if (progress.equals(PLANNING)) {
            return body.ofPlan();
        }
        if (progress.startsWith(IN_DOUBT)) {
            return planned(body.ofContingency(), progress.substring(IN_DOUBT.length()));
        }
        return progress.startsWith(PLANNED)
                ? body.withArguments(RawJson.elements("args", progress.substring(PLANNED.length())).stream()
                        .map(RawJson::node)
                        .toList())
                : body;
    }

    /** The same where trees without a resource are recorded so. */
    public TaskLeaf ofQueue(Optional<Recording> how) {
        return TaskLeafBuilder.builder(this).ofQueue(how).build();
    }

    @Override
    public String id() {
        return RunnableTask.id(source, node);
    }

    @Override
    public String name() {
        return body.map(TaskBody::name).orElse(node);
    }

    @Override
    public Optional<Duration> timeLimit() {
        return body.flatMap(TaskBody::timeLimit);
    }

    @Override
    public Optional<String> handler() {
        return body.flatMap(TaskBody::handler);
    }

    @Override
    public Optional<RecordedTask> recorded() {
        return body.flatMap(TaskBody::recording)
                .filter(_ -> !TreeIds.isApart(TaskKeys.treeOf(node)))
                .map(how -> new RecordedTask(TaskKeys.treeOf(node), TaskKeys.ordinalOf(node), how))
                .or(() -> ofQueue.filter(_ -> TreeIds.isOfProgram(TaskKeys.treeOf(node)))
                        .map(how -> new RecordedTask(source, QueueTaskNumber.number(node), how, Optional.of(node))));
    }

    @Override
    public TaskInvocation render(SlotFacts facts) {
        if (!isReady()) {
            throw new IllegalStateException("the results that " + node + " needs were not read");
        }
        TaskBody document = body.orElseGet(() -> TaskDocument.read(text));
        return document.invocation(
                document.name(), given(document), trial, variables(document), Optional.empty(), facts);
    }

    private Map<String, String> variables(TaskBody document) {
        Map<String, String> all = new HashMap<>();
        document.removes().ifPresent(scratch -> all.put(Scratch.VARIABLE, scratch.directory(TaskKeys.treeOf(node))));
        if (!tokens.isEmpty()) {
            all.put(TOKENS, tokens);
        }
        if (plans() && document.undo() != TaskBody.Undo.NOT) {
            all.put(UNDO, "1");
        }
        return all;
    }

    /** The positional arguments; of an iterator one object with what it has made so far. */
    private TaskBody.Given given(TaskBody document) {
        if (state.isPresent()) {
            return document.given(results, input, state.get());
        }
        if (!iterator()) {
            return document.given(results, input);
        }
        String own = document.arguments(
                results, input.map(LastArgument::json).or(() -> document.input().map(JsonNode::toString)));
        String[] facts = progress.split(" ", 4);
        return new TaskBody.Given(
                "[{\"state\":" + (facts[3].startsWith("S") ? facts[3].substring(1) : "null")
                        + (brings() ? ",\"makes\":\"chunks\"" : "") + ",\"created\":" + facts[0] + ",\"finished\":"
                        + facts[1]
                        + ",\"room\":" + facts[2] + ",\"args\":" + own
                        + "}]",
                document.words(results),
                Optional.empty(),
                false);
    }

    @Override
    public boolean wantsResult() {
        return true;
    }

    @Override
    public boolean mayBeBlocked() {
        return true;
    }

    @Override
    public boolean brings() {
        return body.flatMap(TaskBody::brings).isPresent();
    }

    /** Chunks that it may bring. */
    public int mostChunks() {
        return body.flatMap(TaskBody::brings).orElse(0);
    }

    /** Unless its input, or a result among its arguments, has to be read first. */
    @Override
    public boolean isReady() {
        return (from.isEmpty() || input.isPresent())
                && results.size() == references().size()
                && (complex().isEmpty() || state.isPresent());
    }

    /** Ordinals of the nodes whose results stand among its arguments, by their names. */
    public Map<String, Long> references() {
        Map<String, Long> moved = new HashMap<>();
        body.map(TaskBody::results).orElse(Map.of()).forEach((name, at) -> moved.put(name, relocation.of(at)));
        return moved;
    }

    /** Whether it runs at the end, or below the node that does: its input is the outcome of the root. */
    public boolean isAtEnd() {
        return isAtEnd(from);
    }

    private static boolean isAtEnd(String from) {
        return from.startsWith("0 ");
    }

    /** The same with the results among its arguments, and its input if it has one. */
    public TaskLeaf with(Map<String, String> values, Optional<LastArgument> read) {
        return TaskLeafBuilder.builder(this)
                .input(read.or(() -> input))
                .results(values)
                .build();
    }

    /** The complex task that it is of. */
    public Optional<Complex> complex() {
        return body.flatMap(TaskBody::complex);
    }

    /** The same with what its complex task keeps, a JSON object. */
    public TaskLeaf with(String kept) {
        return TaskLeafBuilder.builder(this).state(Optional.of(kept)).build();
    }

    @Override
    public long inputBytes() {
        return text.length()
                + state.map(String::length).orElse(0)
                + input.map(LastArgument::bytes).orElse(0L)
                + results.values().stream().mapToLong(String::length).sum();
    }

    @Override
    public TaskLeaf dispatched() {
        return TaskLeafBuilder.builder(this)
                .text("")
                .progress(isInDoubt() ? IN_DOUBT : progress.startsWith(PLANNED) ? "" : progress)
                .body(body.map(TaskBody::withoutArguments))
                .input(Optional.empty())
                .state(Optional.empty())
                .results(Map.of())
                .build();
    }

    /** The outcome of a root that ended well. */
    public static String outcome(String result) {
        return "{\"state\":\"finished\",\"result\":" + result + "}";
    }

    /** The outcome of a root that failed. */
    public static String failure(String error) {
        return "{\"state\":\"failed\",\"error\":" + error + "}";
    }

    private static Optional<CombineTree> chunks(String given) {
        try {
            return StoredResult.parse(given)
                    .flatMap(stored ->
                            stored instanceof StoredResult.OfChunks(var combines) ? combines : Optional.empty());
        } catch (IllegalArgumentException unreadable) {
            return Optional.empty(); // whoever reads it finds out
        }
    }

    /** The input that a claim brought; absent where there is none, or where it has to be put together first. */
    private static Optional<String> inline(String from, String given) {
        boolean atEnd = isAtEnd(from);
        try {
            return StoredResult.parse(given).flatMap(stored -> switch (stored) {
                case StoredResult.Value(var result) -> Optional.of(atEnd ? outcome(result.json()) : result.json());
                case StoredResult.Error(String error) -> Optional.of(atEnd ? failure(error) : "null");
                case StoredResult.ErrorOf error -> atEnd ? Optional.empty() : Optional.of("null");
                case StoredResult.Arrow arrow -> Optional.empty();
                case StoredResult.Reference file -> Optional.empty();
                case StoredResult.Of other -> Optional.empty();
                case StoredResult.OfChildren children -> Optional.empty();
                case StoredResult.OfChunks chunks -> Optional.empty();
            });
        } catch (IllegalArgumentException unreadable) {
            return Optional.empty(); // whoever reads it finds out
        }
    }
}
