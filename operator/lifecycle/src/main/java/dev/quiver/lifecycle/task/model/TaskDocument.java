package dev.quiver.lifecycle.task.model;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.JsonFault;
import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.RetryBackoff;

/** The JSON of a {@link TaskBody}, as it is stored. Fields that a task does not have are null, and are not written. */
public record TaskDocument(
        String name,
        String handler,
        List<String> command,
        String workingDir,
        List<JsonNode> args,
        LinkedHashMap<String, String> env,
        Long timeLimitMillis,
        Wait backoff,
        LinkedHashMap<String, Long> results,
        Long run,
        Long dueMillis,
        List<JsonNode> input,
        Boolean brings,
        Integer mostChunks,
        Chunks chunks,
        String removes,
        String history,
        Integer streamKib,
        Long planMillis,
        Boolean undo,
        Boolean undoOfTree,
        Boolean contingency,
        String complexKey,
        String marker) {

    /** Fields of documents whose values are kept as they were written. */
    private static final Set<String> IN_THEIR_WORDS = Set.of("args", "elements", "input");

    private static final JsonMapper JSON = JsonMapper.builder()
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_EMPTY, JsonInclude.Include.ALWAYS))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private record Chunks(
            TaskDocument combine,
            int combineTrials,
            int fanIn,
            boolean skips,
            long resultsSize,
            boolean ofInput,
            @JsonInclude(JsonInclude.Include.NON_NULL) // none at all is a number of chunks like any other
            List<JsonNode> elements,
            String scratch,
            Integer perWorker) {}

    private record Wait(long initialMillis, int factor, long mostMillis, int jitterPercent) {

        static Wait of(RetryBackoff backoff) {
            return backoff.equals(RetryBackoff.NONE)
                    ? null
                    : new Wait(
                            backoff.initial().toMillis(),
                            backoff.factor(),
                            backoff.most().toMillis(),
                            backoff.jitterPercent());
        }

        RetryBackoff backoff() {
            return new RetryBackoff(
                    Duration.ofMillis(initialMillis), factor, Duration.ofMillis(mostMillis), jitterPercent);
        }
    }

    /** Writes one; {@code found} are the ordinals of the nodes that its arguments refer to. */
    static TaskDocument of(TaskBody body, LinkedHashMap<String, Long> found) {
        Optional<Execution.Command> command =
                body.execution().filter(Execution.Command.class::isInstance).map(Execution.Command.class::cast);
        return new TaskDocument(
                body.name(),
                body.handler().orElse(null),
                command.map(Execution.Command::command).orElse(null),
                command.flatMap(Execution.Command::workingDir).orElse(null),
                body.args(),
                new LinkedHashMap<>(body.env()),
                body.timeLimit().map(Duration::toMillis).orElse(null),
                Wait.of(body.backoff()),
                found,
                body.scheduled().map(TaskBody.Scheduled::run).orElse(null),
                body.scheduled().map(it -> it.due().toEpochMilli()).orElse(null),
                body.input().map(List::of).orElse(null),
                body.brings().isPresent() ? true : null,
                body.brings().filter(most -> most < ChunkWork.MOST_CHUNKS).orElse(null),
                body.chunks()
                        .map(work -> new Chunks(
                                work.combine()
                                        .map(combine -> of(combine, new LinkedHashMap<>()))
                                        .orElse(null),
                                work.combineTrials(),
                                work.fanIn(),
                                work.skips(),
                                work.resultsSize(),
                                work.ofInput(),
                                work.elements().orElse(null),
                                work.scratch().map(Scratch::path).orElse(null),
                                work.perWorker() == 0 ? null : work.perWorker()))
                        .orElse(null),
                body.removes().map(Scratch::path).orElse(null),
                body.recording().map(Recording::word).orElse(null),
                body.recording().flatMap(Recording::storedStreamKib).orElse(null),
                body.plan().map(Duration::toMillis).orElse(null),
                body.undo() == TaskBody.Undo.AS_TREES ? true : null,
                body.undo() == TaskBody.Undo.AS_ONE_TREE ? true : null,
                body.contingency() ? true : null,
                body.complex().map(Complex::key).orElse(null),
                body.complex().flatMap(Complex::marker).orElse(null));
    }

    /** The task that it is of. */
    TaskBody body() {
        return new TaskBody(
                name,
                execution(),
                args == null ? List.of() : args,
                env == null ? Map.of() : env,
                Optional.ofNullable(timeLimitMillis).map(Duration::ofMillis),
                backoff == null ? RetryBackoff.NONE : backoff.backoff(),
                results == null ? Map.of() : results,
                Optional.ofNullable(run)
                        .filter(_ -> dueMillis != null)
                        .map(run -> new TaskBody.Scheduled(run, Instant.ofEpochMilli(dueMillis))),
                Optional.ofNullable(input).flatMap(one -> one.stream().findFirst()),
                Optional.of(mostChunks == null ? ChunkWork.MOST_CHUNKS : mostChunks)
                        .filter(_ -> Boolean.TRUE.equals(brings)),
                Optional.ofNullable(chunks)
                        .map(work -> new ChunkWork(
                                Optional.ofNullable(work.combine()).map(TaskDocument::body),
                                work.combineTrials(),
                                work.fanIn(),
                                work.skips(),
                                work.resultsSize(),
                                work.ofInput(),
                                Optional.ofNullable(work.elements()),
                                Optional.ofNullable(work.scratch()).map(Scratch::new),
                                work.perWorker() == null ? 0 : work.perWorker())),
                Optional.ofNullable(removes).map(Scratch::new),
                Optional.ofNullable(history).map(word -> Recording.of(word, Optional.ofNullable(streamKib))),
                Optional.ofNullable(planMillis).map(Duration::ofMillis),
                undoing(),
                Boolean.TRUE.equals(contingency),
                Optional.ofNullable(complexKey)
                        .filter(_ -> handler != null)
                        .map(key -> new Complex(handler, key, Optional.ofNullable(marker))));
    }

    private TaskBody.Undo undoing() {
        if (Boolean.TRUE.equals(undoOfTree)) {
            return TaskBody.Undo.AS_ONE_TREE;
        }
        return Boolean.TRUE.equals(undo) ? TaskBody.Undo.AS_TREES : TaskBody.Undo.NOT;
    }

    private Optional<Execution> execution() {
        if (handler != null) {
            return Optional.of(new Execution.Handler(handler));
        }
        return Optional.ofNullable(command)
                .map(words -> new Execution.Command(words, List.of(), Optional.ofNullable(workingDir)));
    }

    /**
     * The document of a task as JSON.
     *
     * @param ordinals of all nodes of the tree, by their names
     * @throws IllegalArgumentException for a reference to a name that is not among them
     */
    public static String write(TaskBody body, Map<String, Long> ordinals) {
        LinkedHashMap<String, Long> found = new LinkedHashMap<>();
        for (JsonNode argument : body.args()) {
            TaskBody.reference(argument).ifPresent(node -> {
                if (!ordinals.containsKey(node)) {
                    throw new IllegalArgumentException(
                            "args of \"" + body.name() + "\" have $(results." + node + "), and no node is called so");
                }
                found.put(node, ordinals.get(node));
            });
        }
        try {
            return RawJson.encodable(JSON.writeValueAsString(of(body, found)));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The document of a text; an IllegalArgumentException describes a fault. */
    public static TaskBody read(String text) {
        try {
            return JSON.treeToValue(tree(text), TaskDocument.class).body();
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the task's document is no JSON: " + JsonFault.message(e), e);
        }
    }

    private static JsonNode tree(String text) {
        try {
            return RawJson.tree(text, IN_THEIR_WORDS);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the task's document is no JSON: " + e.getMessage(), e);
        }
    }
}
