package dev.quiver.lifecycle.ordinals;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.InputDocument;
import dev.quiver.lifecycle.execution.JsonFault;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.TrialTimeouts;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.EnvVar;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;

/** The execution spec as JSON in Redis. Readers ignore fields that they do not know, so a newer operator may add some. */
public final class ExecutionSpecJson {

    /** Bytes of a spec at most: 256 KiB, and as much again as the longest inline input takes in base64. */
    static final int MAX_BYTES = 640 * 1024;

    private static final String ORDERED = "ordered";
    private static final String LISTING = "listing";
    private static final String SPECULATIVE = "speculative";

    private static final JsonMapper JSON = JsonMapper.builder()
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private record Document(
            String taskSet,
            List<String> command,
            List<String> args,
            List<EnvVar> env,
            String workingDir,
            String handler,
            InputDocument input,
            Source source,
            Long timeLimitMillis,
            Integer batch,
            String history,
            Integer streamKib,
            FailureRulesDocument failures,
            Boolean reports,
            Timeouts timeouts) {}

    private record Timeouts(long leastSeconds, long unknownSeconds) {

        static Timeouts of(TrialTimeouts limits) {
            return new Timeouts(limits.least().toSeconds(), limits.unknown().toSeconds());
        }

        TrialTimeouts read() {
            return new TrialTimeouts(Duration.ofSeconds(leastSeconds), Duration.ofSeconds(unknownSeconds));
        }
    }

    /**
     * @param of the kind of source of which the tasks were picked, or that earlier releases cannot run; null where there is none
     */
    private record Source(String kind, Long tasks, LinkedHashMap<String, List<String>> matrix, Source of) {}

    private ExecutionSpecJson() {}

    /** The document; a document that is too large throws an IllegalArgumentException. */
    public static String write(ExecutionSpec spec) {
        return write(spec, source(spec));
    }

    /**
     * The source of a set. If tasks may run twice, it stands within another one. A worker of a release without copies would
     * count a task twice that two sessions hold. It cannot read that source, and leaves the set to others.
     */
    private static Source source(ExecutionSpec spec) {
        Source source = source(spec.source());
        return spec.speculates() ? new Source(SPECULATIVE, null, null, source) : source;
    }

    /**
     * The same of a set whose tasks go out by an order. A worker of a release without orders would give some of them out
     * twice and others never. It does not know this kind of source, so it leaves the set to others.
     */
    public static String writeOrdered(ExecutionSpec spec) {
        return write(spec, new Source(ORDERED, null, null, source(spec)));
    }

    /** The same of a program that names tasks. A worker of a release before would run it and leave its list behind. */
    public static String writeListing(ExecutionSpec spec) {
        return write(spec, new Source(LISTING, null, null, source(spec.source())));
    }

    private static String write(ExecutionSpec spec, Source source) {
        try {
            String text = JSON.writeValueAsString(document(spec, source));
            int bytes = Utf8.length(text);
            if (bytes > MAX_BYTES) {
                throw new IllegalArgumentException(
                        "execution spec is " + bytes + " bytes as JSON, at most " + MAX_BYTES + " are allowed");
            }
            return text;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Document document(ExecutionSpec spec, Source source) {
        InputDocument input = spec.input().map(InputDocument::of).orElse(null);
        Long timeLimitMillis = spec.timeLimit().map(Duration::toMillis).orElse(null);
        String history = spec.recording().map(Recording::word).orElse(null);
        Integer streamKib = spec.recording().flatMap(Recording::storedStreamKib).orElse(null);
        FailureRulesDocument failures = FailureRulesDocument.of(spec.failures()).orElse(null);
        Boolean reports = spec.reports() ? true : null;
        Timeouts timeouts = spec.timeouts().map(Timeouts::of).orElse(null);
        return switch (spec.execution()) {
            case Execution.Command run ->
                new Document(
                        spec.taskSet(),
                        run.command(),
                        run.args(),
                        spec.env(),
                        run.workingDir().orElse(null),
                        null,
                        input,
                        source,
                        timeLimitMillis,
                        spec.batch().orElse(null),
                        history,
                        streamKib,
                        failures,
                        reports,
                        timeouts);
            case Execution.Handler(String name) ->
                new Document(
                        spec.taskSet(),
                        null,
                        null,
                        spec.env(),
                        null,
                        name,
                        input,
                        source,
                        timeLimitMillis,
                        spec.batch().orElse(null),
                        history,
                        streamKib,
                        failures,
                        reports,
                        timeouts);
        };
    }

    static ExecutionSpec read(String text) {
        try {
            Document document = JSON.readValue(text, Document.class);
            Execution execution = document.handler() != null
                    ? new Execution.Handler(document.handler())
                    : new Execution.Command(
                            orEmpty(document.command()),
                            orEmpty(document.args()),
                            Optional.ofNullable(document.workingDir()));
            return new ExecutionSpec(
                            document.taskSet(),
                            execution,
                            orEmpty(document.env()),
                            Optional.ofNullable(document.input()).map(InputDocument::input),
                            source(document.source()),
                            Optional.ofNullable(document.timeLimitMillis()).map(Duration::ofMillis))
                    .batched(Optional.ofNullable(document.batch()))
                    .recorded(Optional.ofNullable(document.history())
                            .map(word -> Recording.of(word, Optional.ofNullable(document.streamKib()))))
                    .failing(Optional.ofNullable(document.failures())
                            .map(FailureRulesDocument::read)
                            .orElse(FailureRules.NONE))
                    .reporting(Boolean.TRUE.equals(document.reports()))
                    .limiting(Optional.ofNullable(document.timeouts()).map(Timeouts::read))
                    .speculating(speculates(document.source()));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not an execution spec: " + JsonFault.message(e), e);
        }
    }

    private static Source source(TaskSource source) {
        return switch (source) {
            case TaskSource.Count count -> new Source("count", count.tasks(), null, null);
            case TaskSource.Matrix matrix -> new Source("matrix", null, new LinkedHashMap<>(matrix.keys()), null);
            case TaskSource.Items _ -> new Source("items", null, null, null);
            case TaskSource.Lines _ -> new Source("lines", null, null, null);
            case TaskSource.Picked(TaskSource of) -> new Source("picked", null, null, source(of));
        };
    }

    private static boolean speculates(Source source) {
        return source.kind().equals(SPECULATIVE) || source.kind().equals(ORDERED) && speculates(source.of());
    }

    private static TaskSource source(Source source) {
        return switch (source.kind()) {
            case "count" -> new TaskSource.Count(source.tasks());
            case "matrix" -> new TaskSource.Matrix(source.matrix() == null ? Map.of() : source.matrix());
            case "items" -> new TaskSource.Items();
            case "lines" -> new TaskSource.Lines();
            case "picked" -> new TaskSource.Picked(source(source.of()));
            case ORDERED, LISTING, SPECULATIVE -> source(source.of());
            default -> throw new IllegalArgumentException("unknown source of tasks: " + source.kind());
        };
    }

    private static <T> List<T> orEmpty(List<T> list) {
        return list == null ? List.of() : list;
    }
}
